import { textOf, textsOf } from "../json.ts"
import type { Args } from "../json.ts"
import { Answer, useTool } from "../parts.tsx"

/** What a call would change, as the tool itself says in a dry run; nothing is changed. */
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
    {note === "" ? null : <p class="soft">{note}</p>}
  </>
)

const toneOfLine = (line: string): string => {
  const start = line.trimStart()
  if (/^(?:\+|new |added )/.test(start)) return "good"
  return /^(?:-|−|removed )/.test(start) ? "bad" : ""
}

/** A value and the one in its place, as differences write them. */
const pair = /^(.*?)("(?:[^"\\]|\\.)*"|[\w.-]+) → ("(?:[^"\\]|\\.)*"|[\w.-]+)(.*)$/s

const Line = ({ text }: { readonly text: string }) => {
  const match = text.includes(" renamed ") || text.startsWith("renamed ") ? null : pair.exec(text)
  if (match === null) return <>{text}</>
  const [, before = "", old = "", now = "", after = ""] = match
  return (
    <>
      {before}
      <del>{old}</del>
      {" → "}
      <ins>{now}</ins>
      {after}
    </>
  )
}
