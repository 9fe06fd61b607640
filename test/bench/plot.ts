import type { Results } from "./results.ts"

const width = 720
const rowHeight = 30
const left = 330
const right = 110
const top = 34

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** A drawing of what calls cost in terms of a bare Node server: a bar for each, a line where both are the same. */
export const plot = ({ calls, machine, measured, measures }: Results): string => {
  const rows = [
    ...calls.map(({ bare, goal, ours, what }) => ({ what, goal, ratio: ours / bare, figure: `${ours.toFixed(0)} µs` })),
    ...measures.flatMap(({ bare, goal = 0, ours, unit, what }) =>
      goal === 0 ? [] : [{ what, goal, ratio: ours / bare, figure: `${ours.toFixed(0)} ${unit}` }]
    )
  ]
  const most = Math.max(...rows.flatMap(({ goal, ratio }) => [goal, ratio]))
  const scale = (ratio: number) => Math.round((ratio / most) * (width - left - right))
  const height = top + rows.length * rowHeight + 44
  const one = left + scale(1)
  const bars = rows.flatMap(({ figure, goal, ratio, what }, index) => {
    const y = top + index * rowHeight
    const at = left + scale(goal)
    return [
      `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${escaped(what)}</text>`,
      `<rect x="${left}" y="${y + 2}" width="${scale(ratio)}" height="18" rx="2" fill="#3b82f6"/>`,
      `<path d="M${at} ${y - 2}v26" stroke="#f59e0b" stroke-width="2"/>`,
      `<text x="${left + Math.max(scale(ratio), scale(goal)) + 8}" y="${y + 15}">${ratio.toFixed(2)} (${figure})</text>`
    ]
  })
  const { memoryGiB, node, platform, processor, processors } = machine
  const facts = `${measured}, Node ${node}, ${processors} × ${processor}, ${memoryGiB} GiB, ${platform}`
  const bottom = top + rows.length * rowHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#6b7280">`,
    `<title>CPU time of calls, starts and peak memory, as multiples of a bare Node server's</title>`,
    `<text x="10" y="16">CPU time of a call, wait for a start, peak memory ÷ those of a bare Node server; orange: the goal</text>`,
    `<path d="M${one} ${top - 8}V${bottom}" stroke="#6b7280" stroke-dasharray="3 3"/>`,
    ...bars,
    `<text x="10" y="${bottom + 26}" font-size="11">${escaped(facts)}</text>`,
    "</svg>",
    ""
  ].join("\n")
}
