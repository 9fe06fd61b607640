import { Predicate, Result } from "effect"
import { getLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/** The place at which a text is not valid JSON. It never quotes the text, which may contain a key there. */
interface Problem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

/**
 * The value of a JSON text that a person wrote, with comments and trailing commas; otherwise its first problem in words,
 * including duplicate fields.
 */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => parse(text.replace(/^\uFEFF/, "")),
    // Parsing is recursive: only a stack overflow can throw here.
    catch: (): Problem => ({ line: 1, column: 1, problem: "nested too deeply" })
  }).pipe(
    Result.flatMap((result) => result),
    Result.mapError(({ column, line, problem }) => `line ${line}, column ${column}: ${problem}`)
  )

const parse = (text: string): Result.Result<unknown, Problem> => {
  const errors: Array<ParseError> = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [error, next] = errors
  if (error !== undefined) {
    return Result.fail({ ...position(text, error.offset), problem: expectedAt(text, error, next) })
  }
  if (tree === undefined) return Result.fail({ line: 1, column: 1, problem: "expected a value" })
  const twice = fieldGivenTwice(tree)
  if (twice === undefined) return Result.succeed(getNodeValue(tree))
  const { length, offset } = twice
  return Result.fail({
    ...position(text, offset),
    problem: `${text.slice(offset, offset + length)} is given twice`
  })
}

const expectedAt = (text: string, { error, offset }: ParseError, next: ParseError | undefined): string => {
  const name = printParseErrorCode(error)
  const isInList = name === "CommaExpected" && Predicate.isNumber(getLocation(text, offset).path.at(-1))
  // The parser reports an unquoted name as a symbol, and only what follows as a missing name.
  const isName = name === "InvalidSymbol" && next !== undefined && printParseErrorCode(next.error) === noName
  return expected.get(isInList ? "CloseBracketExpected" : isName ? noName : name) ?? "expected a value"
}

const noName = "PropertyNameExpected"

/** The expected text instead, by the parser's error codes; otherwise a value. */
const expected: ReadonlyMap<string, string> = new Map([
  [noName, "expected the name of a field in double quotes"],
  ["ColonExpected", "expected a colon"],
  ["CommaExpected", "expected a comma or }"],
  ["CloseBraceExpected", "expected a comma or }"],
  ["CloseBracketExpected", "expected a comma or ]"],
  ["EndOfFileExpected", "expected nothing more"],
  ["UnexpectedEndOfComment", "expected the end of the comment"]
])

const position = (text: string, offset: number) => {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** The first duplicate field in a text. */
const fieldGivenTwice = (node: Node): Node | undefined => {
  const names = new Set<unknown>()
  for (const child of node.children ?? []) {
    const [name] = child.children ?? []
    if (child.type === "property" && name !== undefined) {
      if (names.has(name.value)) return name
      names.add(name.value)
    }
    const inside = fieldGivenTwice(child)
    if (inside !== undefined) return inside
  }
  return undefined
}
