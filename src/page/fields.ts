import type { JsonObject } from "../internal/schema/JsonObject.ts"
import { type Args, objectOf, textOf, textsOf } from "./json.ts"
import { readJson } from "./readJson.ts"

/** One argument of a tool, as a form asks for it. */
export interface Field {
  readonly name: string
  readonly kind: "text" | "number" | "boolean" | "json"
  readonly isList: boolean
  readonly isRequired: boolean
  readonly description: string
  /** What can be chosen, where not everything can. */
  readonly choices: ReadonlyArray<string>
}

/** The arguments of a tool by its JSON schema. */
export const fieldsOf = (schema: JsonObject): ReadonlyArray<Field> => {
  const required = textsOf(schema.required)
  const fields = Object.entries(objectOf(schema.properties)).map(([name, value]): Field => {
    const property = objectOf(value)
    const type = textOf(property.type)
    const kind = kinds[type] ?? "json"
    return {
      name,
      kind,
      isList: type === "array",
      isRequired: required.includes(name),
      description: textOf(property.description),
      choices: kind === "boolean" ? ["true", "false"] : textsOf(property.enum)
    }
  })
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

const kinds: Readonly<Record<string, Field["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean"
}

/** The arguments that texts stand for, and what is wrong with the others. What is left empty is left out. */
export const readFields = (
  fields: ReadonlyArray<Field>,
  texts: Readonly<Record<string, string>>
): { readonly args: Args; readonly problems: Readonly<Record<string, string>> } => {
  const args: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = Object.hasOwn(texts, field.name) ? (texts[field.name] ?? "") : ""
    if (text.trim() === "") {
      if (field.isRequired) problems[field.name] = "Is needed"
      continue
    }
    const value = read(field, text)
    if (value !== undefined) args[field.name] = value.value
    else
      problems[field.name] =
        field.kind === "number" ? "Must be a number" : `Must be JSON: ${field.isList ? "a list" : "an object"}`
  }
  return { args, problems }
}

const read = ({ isList, kind }: Field, text: string): { readonly value: unknown } | undefined => {
  if (kind === "text") return { value: text }
  if (kind === "boolean") return { value: text === "true" }
  if (kind === "number") return Number.isFinite(Number(text)) ? { value: Number(text) } : undefined
  // A list of plain words may be written as one.
  if (isList && !/^\s*\[/.test(text)) return { value: text.split(",").map((word) => word.trim()) }
  const found = readJson(text)
  if (found === undefined || found.value === null) return undefined
  return isList && !Array.isArray(found.value) ? undefined : found
}
