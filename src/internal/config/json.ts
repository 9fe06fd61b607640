/** Where a text stops being the JSON that a person meant. It never quotes the text: a key may stand at that place. */
export interface JsonProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

const maxDepth = 100
const blank = /[ \t\r\n]*/y
const text = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const plain = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** The first problem of a JSON text, a field given twice included, or nothing when there is none. */
export const problemOf = (source: string): JsonProblem | undefined => {
  let at = 0

  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0]
    at += found?.length ?? 0
    return found
  }
  const take = (symbol: string): boolean => {
    read(blank)
    const found = source.startsWith(symbol, at)
    at += found ? symbol.length : 0
    return found
  }
  const problem = (words: string): JsonProblem => {
    const before = source.slice(0, at).split("\n")
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem: words }
  }
  const value = (depth: number): JsonProblem | undefined => {
    if (depth > maxDepth) return problem("nested too deeply")
    if (take("{")) return object(depth)
    if (take("[")) return list(depth)
    return read(text) === undefined && read(plain) === undefined ? problem("expected a value") : undefined
  }
  const object = (depth: number): JsonProblem | undefined => {
    const names = new Set<string>()
    if (take("}")) return undefined
    do {
      read(blank)
      const start = at
      const name = read(text)
      if (name === undefined) return problem("expected the name of a field in double quotes")
      const decoded = String(JSON.parse(name))
      if (names.has(decoded)) {
        at = start
        return problem(`${name} is given twice`)
      }
      names.add(decoded)
      if (!take(":")) return problem("expected a colon")
      const inner = value(depth + 1)
      if (inner !== undefined) return inner
    } while (take(","))
    return take("}") ? undefined : problem("expected a comma or }")
  }
  const list = (depth: number): JsonProblem | undefined => {
    if (take("]")) return undefined
    do {
      const inner = value(depth + 1)
      if (inner !== undefined) return inner
    } while (take(","))
    return take("]") ? undefined : problem("expected a comma or ]")
  }

  const found = value(0)
  if (found !== undefined) return found
  read(blank)
  return at < source.length ? problem("expected nothing more") : undefined
}
