import { Predicate } from "effect"

import type { Style } from "../../terminal/terminalText.ts"
import { type Parameter, parametersOf } from "./parameters.ts"

/** A field inside an argument that is written as JSON, such as `bids[].nm_id`. */
interface Field extends Pick<Parameter, "description" | "isRequired" | "metavar"> {
  readonly path: string
}

/** The fields of an argument's JSON, one per line; nothing for arguments that are just JSON. */
export const fieldHelp = (schema: Readonly<Record<string, unknown>>, { label }: Style): ReadonlyArray<string> =>
  Object.entries(Object(schema["properties"])).flatMap(([name, property]) => {
    const fields = fieldsIn(property, "")
    if (fields.length === 0) return []
    const width = Math.max(...fields.map((field) => termOf(field).length))
    return [
      "",
      label(`FIELDS OF --${name}${isList(property) ? " (each)" : ""}`),
      ...fields.map((field) => {
        const words = [field.description, field.isRequired ? "(required)" : ""].filter((text) => text !== "").join(" ")
        return `  ${termOf(field).padEnd(width)}    ${words}`.trimEnd()
      })
    ]
  })

const termOf = ({ metavar, path }: Field): string => `${path} ${metavar === "" ? "true or false" : metavar}`

const isList = (schema: unknown): boolean => Predicate.hasProperty(schema, "items")

const fieldsIn = (schema: unknown, within: string): ReadonlyArray<Field> => {
  const inner = Predicate.hasProperty(schema, "items") ? schema.items : schema
  if (!Predicate.isObject(inner)) return []
  const properties: Readonly<Record<string, unknown>> = { ...Object(Object({ ...inner }).properties) }
  return parametersOf({ ...inner }).flatMap(({ name, ...field }) => {
    const property = properties[name]
    const path = `${within}${name}`
    return [{ ...field, path }, ...fieldsIn(property, `${path}${isList(property) ? "[]" : ""}.`)]
  })
}
