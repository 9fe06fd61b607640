import type { Box } from "../engine/workflow/drawing/model.ts"

const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1]
}

/** The node to which a key leads from another: the nearest one that way, what lies aside counting as farther. */
export const nextNode = (nodes: ReadonlyArray<Box>, from: number, key: string): number | undefined => {
  if (key === "Home") return nodes.length === 0 ? undefined : 0
  if (key === "End") return nodes.length === 0 ? undefined : nodes.length - 1
  const start = nodes[from]
  const direction = Object.hasOwn(directions, key) ? directions[key] : undefined
  if (start === undefined || direction === undefined) return undefined
  const [x, y] = middle(start)
  const [dx, dy] = direction
  let best: { readonly place: number; readonly far: number } | undefined
  for (const [place, node] of nodes.entries()) {
    const [otherX, otherY] = middle(node)
    const ahead = (otherX - x) * dx + (otherY - y) * dy
    const aside = Math.abs((otherX - x) * dy) + Math.abs((otherY - y) * dx)
    if (place === from || ahead <= 4 || aside > ahead * 4) continue
    const far = ahead + 2 * aside
    if (best === undefined || far < best.far) best = { place, far }
  }
  return best?.place
}

const middle = ({ height, width, x, y }: Box): readonly [number, number] => [x + width / 2, y + height / 2]
