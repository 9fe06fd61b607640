import { Predicate } from "effect"

/** One argument of a tool on a command line. */
export interface Parameter {
  readonly name: string
  readonly description: string
  /** The placeholder of its value in the help. */
  readonly metavar: string
  readonly isRequired: boolean
  /** Whether it is a boolean flag. */
  readonly isSwitch: boolean
  readonly isList: boolean
  /** The only allowed values, if there are any. */
  readonly choices: ReadonlyArray<string>
  /** Whether its value is written as JSON. */
  readonly isJson: boolean
}

/** The arguments that an input schema describes, in its order. */
export const parametersOf = (schema: Readonly<Record<string, unknown>>): ReadonlyArray<Parameter> => {
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(Object(schema["properties"])).map(([name, property]) => {
    const types = typesOf(property)
    const items = Predicate.hasProperty(property, "items") ? typesOf(property.items) : []
    const isList = types.length === 1 && types[0] === "array"
    const said = Predicate.hasProperty(property, "description") ? String(property.description) : ""
    const choices = choicesOf(property)
    const oneOf = choices.length === 0 ? "" : `One of ${choices.join(", ")}`
    return {
      name,
      choices,
      description: [said, oneOf].filter((words) => words !== "").join(". "),
      metavar: metavarOf(types, items),
      isRequired: required.includes(name),
      isSwitch: types.length === 1 && types[0] === "boolean",
      isList,
      isJson:
        types.length > 0 && types.every((type) => type === "object" || type === "array") && !items.includes("string")
    }
  })
}

/** The argument for a word: `--workflow-id` is `workflowId`, `--dry-run` is `dry_run`. */
export const parameter = (parameters: ReadonlyArray<Parameter>, written: string): Parameter | undefined =>
  parameters.find(({ name }) => name === written) ?? parameters.find(({ name }) => plain(name) === plain(written))

const plain = (name: string) => name.replace(/[-_]/g, "").toLowerCase()

export const namesOf = (parameters: ReadonlyArray<Parameter>): string =>
  parameters.length === 0 ? "none" : parameters.map(({ name }) => `--${name}`).join(", ")

const typesOf = (schema: unknown): ReadonlyArray<string> => {
  const branches = Predicate.hasProperty(schema, "anyOf") && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  return branches
    .filter(Predicate.hasProperty("type"))
    .flatMap(({ type }) => type)
    .map(String)
}

const choicesOf = (schema: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(schema, "enum") && Array.isArray(schema.enum) ? schema.enum.map(String) : []

const metavarOf = (types: ReadonlyArray<string>, items: ReadonlyArray<string>): string => {
  if (types.includes("array") && items.includes("string")) return "TEXT…"
  if (types.includes("object") || types.includes("array")) return "JSON"
  return types.includes("integer") || types.includes("number") ? "NUMBER" : types.includes("boolean") ? "" : "TEXT"
}
