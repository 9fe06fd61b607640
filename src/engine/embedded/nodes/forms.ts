import type { JsonObject } from "../../../internal/schema/JsonObject.ts"

/** Short forms for parameters as engines describe them. */
type More = JsonObject

const parameter =
  (type: string, usual: unknown) =>
  (name: string, more: More = {}): JsonObject => ({ displayName: titleOf(name), name, type, default: usual, ...more })

/** `httpMethod` as a label: "Http Method". */
const titleOf = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^./, (letter) => letter.toUpperCase())

export const text = parameter("string", "")
export const number = parameter("number", 0)
export const boolean = parameter("boolean", false)
export const jsonText = parameter("json", "")
export const conditions = parameter("filter", {})
export const assignments = parameter("assignmentCollection", {})

export const choice = (name: string, values: ReadonlyArray<string>, more: More = {}): JsonObject => ({
  ...parameter("options", values[0])(name, more),
  options: values.map((value) => ({ name: titleOf(value), value }))
})

/** The operations of a node with what each does; `resource` is what they belong to. */
export const operations = (of: Readonly<Record<string, string>>, resource?: string): JsonObject => ({
  ...parameter("options", Object.keys(of)[0])("operation"),
  options: Object.entries(of).map(([value, action]) => ({ name: titleOf(value), value, action })),
  ...(resource === undefined ? {} : when({ resource: [resource] }))
})

export const options = (...fields: ReadonlyArray<JsonObject>): JsonObject => ({
  ...parameter("collection", {})("options"),
  options: fields
})

/** A list of groups of fields, as in `{ parameters: [{ name, value }] }`. */
export const list = (name: string, group: string, fields: ReadonlyArray<JsonObject>, more: More = {}): JsonObject => ({
  ...parameter("fixedCollection", {})(name),
  typeOptions: { multipleValues: true },
  options: [{ displayName: titleOf(group), name: group, values: fields }],
  ...more
})

/** One group of fields, as in `{ response: { … } }`. */
export const one = (name: string, group: string, fields: ReadonlyArray<JsonObject>): JsonObject => ({
  ...list(name, group, fields),
  typeOptions: {}
})

/** The values for the columns of a table. */
export const columns = (mode: "add" | "update", operation: string): JsonObject => ({
  ...parameter("resourceMapper", { mappingMode: "defineBelow", value: null })("columns"),
  typeOptions: { resourceMapper: { mode } },
  ...when({ operation: [operation] })
})

export const locator = (name: string, modes: ReadonlyArray<string>, more: More = {}): JsonObject => ({
  ...parameter("resourceLocator", { mode: modes[0], value: "" })(name),
  modes: modes.map((mode) => ({ displayName: titleOf(mode), name: mode, type: "string" })),
  ...more
})

export const required = { required: true }
export const when = (show: JsonObject): More => ({ displayOptions: { show } })
export const unless = (hide: JsonObject): More => ({ displayOptions: { hide } })
