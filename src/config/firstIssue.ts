import { type Schema, SchemaIssue } from "effect"

/** What a schema says first about an input: where, as in `items.0.id` and empty for the whole, and what is wrong there. */
interface FirstIssue {
  readonly path: string
  /** As they follow the name of the place: `must be ...`, unless the schema has words of its own. */
  readonly words: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first of the issues that a schema found, in words for people; `missing` is said of what is not there. */
export const firstIssue = ({ issue }: Schema.SchemaError, missing = "is required"): FirstIssue => {
  const [first] = format(issue).issues
  const message = first?.message ?? "is not what is expected"
  return {
    path: (first?.path ?? []).map(String).join("."),
    words: message === "Missing key" ? missing : message.replace(/^Expected (?=\S)/, "must be ")
  }
}

/** The same in one sentence about something that came in: `items.0.id is missing`. */
export const firstIssueOf = (error: Schema.SchemaError): string => {
  const { path, words } = firstIssue(error, "is missing")
  return `${path || "it"} ${words}`
}
