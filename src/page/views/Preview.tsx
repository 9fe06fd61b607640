import { textOf, textsOf } from "../json.ts"
import type { Args } from "../json.ts"
import { Answer, useTool, Words } from "../parts.tsx"

/** The changes that a call would make, as the tool itself says in a dry run; nothing is changed. */
export const Preview = ({ args, tool }: { readonly tool: string; readonly args: Args }) => {
  const { outcome } = useTool(tool, { ...args, dry_run: true })
  return (
    <Answer outcome={outcome} what="what would change">
      {(value) => <Lines lines={textsOf(value.changes)} note={textOf(value.caveat) || textOf(value.notice)} />}
    </Answer>
  )
}

/** A difference in lines, as people would say it: what comes and goes is marked. */
export const Lines = ({ lines, note = "" }: { readonly lines: ReadonlyArray<string>; readonly note?: string }) => (
  <>
    {lines.length === 0 ? (
      <p class="soft">Nothing differs.</p>
    ) : (
      <ul class="diff">
        {lines.map((line, at) => (
          <li key={at} class={toneOfLine(line)} dir="auto">
            <Line text={line} />
          </li>
        ))}
      </ul>
    )}
    {note === "" ? null : (
      <p class="soft">
        <Words>{note}</Words>
      </p>
    )}
  </>
)

const toneOfLine = (line: string): string => {
  const start = line.trimStart()
  if (/^(?:\+|new |added )/.test(start)) return "good"
  return /^(?:-|−|removed )/.test(start) ? "bad" : ""
}

const arrow = " → "

/** A value and the one in its place, as differences write them. */
const exchangeIn = (text: string) => {
  const at = text.includes("renamed ") ? -1 : text.indexOf(arrow)
  if (at === -1) return undefined
  const start = text.lastIndexOf(text[at - 1] === '"' ? ' "' : " ", at - 2) + 1
  const rest = text.slice(at + arrow.length)
  const now = /^(?:"(?:[^"\\]|\\.)*"|[\w.-]+)/s.exec(rest)?.[0]
  return now === undefined
    ? undefined
    : { before: text.slice(0, start), old: text.slice(start, at), now, after: rest.slice(now.length) }
}

const Line = ({ text }: { readonly text: string }) => {
  const exchange = exchangeIn(text)
  if (exchange === undefined) return <>{text}</>
  const { after, before, now, old } = exchange
  return (
    <>
      {before}
      <del>{old}</del>
      {arrow}
      <ins>{now}</ins>
      {after}
    </>
  )
}
