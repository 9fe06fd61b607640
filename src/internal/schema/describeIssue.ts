import { type Schema, SchemaAST, SchemaIssue } from "effect"

/** The first thing a schema finds wrong with an input: the path, such as `items.0.id` (empty for the input itself), and the problem. */
interface FirstIssue {
  readonly path: string
  /** As they follow the name of the place: `must be ...`, unless the schema has words of its own. */
  readonly words: string
  /** A field that the object there does not have, and those it has. */
  readonly unknown?: { readonly name: string; readonly names: ReadonlyArray<string> }
}

/** The first issue that a schema found, in words for people; `missing` is the text for a missing field. */
export const firstIssue = ({ issue }: Schema.SchemaError, missing = "is required"): FirstIssue => {
  let names: ReadonlyArray<string> | undefined
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (leaf) => {
      if (leaf._tag === "UnexpectedKey") names ??= fieldsOf(leaf.ast)
      return SchemaIssue.defaultLeafHook(leaf)
    }
  })
  const [first] = format(issue).issues
  const message = first?.message ?? "is not what is expected"
  const path = (first?.path ?? []).map(String)
  return {
    path: path.join("."),
    words: message === "Missing key" ? missing : message.replace(/^Expected (?=\S)/, "must be "),
    ...(names === undefined ? {} : { unknown: { name: path.at(-1) ?? "", names } })
  }
}

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The same in one sentence about something that came in: `items.0.id is missing`. */
export const firstIssueOf = (error: Schema.SchemaError): string => {
  const { path, words } = firstIssue(error, "is missing")
  return `${path || "it"} ${words}`
}
