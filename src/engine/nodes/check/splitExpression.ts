/** A part of an expression: literal text, or code between braces. */
export interface Chunk {
  readonly isCode: boolean
  readonly text: string
  /** Whether the braces are closed; if not, the engine treats it as text. */
  readonly isClosed: boolean
}

/** Splits the text after the `=` as engines do: code begins at `{{` and ends at the first `}}`. */
export const splitExpression = (expression: string): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  let buffer = ""
  let isCode = false
  for (let index = 0; index < expression.length;) {
    const found = expression.indexOf(isCode ? "}}" : "{{", index)
    if (found < 0) {
      chunks.push({ isCode, text: unescape(buffer + expression.slice(index), isCode), isClosed: !isCode })
      return chunks
    }
    const before = expression.slice(index, found)
    index = found + 2
    let backslashes = 0
    while (before.at(-1 - backslashes) === "\\") backslashes += 1
    if (backslashes % 2 === 1) {
      buffer += expression.slice(found - before.length, index)
      continue
    }
    chunks.push({ isCode, text: unescape(buffer + before, isCode), isClosed: true })
    buffer = ""
    isCode = !isCode
  }
  if (isCode || buffer !== "") chunks.push({ isCode, text: unescape(buffer, isCode), isClosed: !isCode })
  return chunks
}

const unescape = (text: string, isCode: boolean) => (isCode ? text.replace("\\}}", "}}") : text)
