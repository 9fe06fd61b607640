import { Predicate, Result } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { nearest } from "../../internal/texts.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { isDecoration } from "./collectNodeTypes.ts"
import type { Choice, DisplayOptions, NodeType, Property } from "./NodeType.ts"

/** Values of parameters that are known before a node is described; `@version` stands for its version. */
export type KnownValues = Readonly<Record<string, unknown>>

/** The amount of detail in a description. */
interface Detail {
  readonly descriptions: boolean
  readonly inner: boolean
  readonly choices: number
}

const details: ReadonlyArray<Detail> = [
  { descriptions: true, inner: true, choices: 40 },
  { descriptions: false, inner: true, choices: 40 },
  { descriptions: false, inner: true, choices: 12 },
  { descriptions: false, inner: false, choices: 12 }
]

/** Characters of a description of parameters; about 1,000 tokens. */
const room = 3300

/**
 * The parameters that a node can have where these values are known, a line each, in as much detail as there is room for:
 * `name*: type = default [when]`. A star marks what is required. What depends on something that is still `open` is left
 * out.
 */
export const describeParameters = (
  node: NodeType,
  knownValues: KnownValues,
  open: ReadonlyArray<string> = []
): string => {
  const properties = node.properties.filter((property) => !open.some((name) => dependsOn(property, name)))
  const texts = details.map((detail) => lines(properties, knownValues, detail).join("\n"))
  return texts.find((text) => text.length <= room) ?? texts.at(-1) ?? ""
}

const dependsOn = ({ name, show = {} }: Property, open: string) =>
  name === open || [open, `/${open}`].some((key) => Object.hasOwn(show, key))

const lines = (properties: ReadonlyArray<Property>, knownValues: KnownValues, detail: Detail): ReadonlyArray<string> =>
  properties.flatMap((property) => {
    const when = condition(property, knownValues)
    if (when === undefined || isUnseen(property.type) || Object.hasOwn(knownValues, property.name)) return []
    const { description } = property
    const words = detail.descriptions && description !== undefined && isTelling(property) ? ` — ${description}` : ""
    return [`${lineOf(property, knownValues, detail)}${when === "" ? "" : ` [${when}]`}${words}`]
  })

const isUnseen = (type: string) => type === "hidden" || isDecoration(type)

/** Whether a description says more than the name. */
const isTelling = ({ description = "", title }: Property) =>
  description.length > 12 && !description.toLowerCase().startsWith(`the ${title.toLowerCase()}`)

const lineOf = (property: Property, knownValues: KnownValues, detail: Detail): string => {
  const { default: standard, name, required } = property
  const shownDefault =
    standard === undefined || isEmpty(standard) || isJsonObject(standard)
      ? ""
      : ` = ${clipped(JSON.stringify(standard), 60)}`
  return `${name}${required === true ? "*" : ""}: ${typeText(property, knownValues, detail)}${shownDefault}`
}

const isEmpty = (value: unknown) =>
  value === "" || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)

const typeText = (property: Property, knownValues: KnownValues, detail: Detail): string => {
  const { choices, fields, groups, isDynamic = false, isMultiple = false, modes, type } = property
  const many = isMultiple ? "[]" : ""
  if (choices !== undefined && choices.length > 0) {
    return `${choiceText(choices, knownValues, detail)}${isDynamic ? "|…" : ""}${type === "multiOptions" ? "[]" : ""}`
  }
  if (isDynamic) return `${type === "multiOptions" ? "list of names" : "a name"} that the service knows`
  if (groups !== undefined) {
    return `{${groups.map(({ fields: inside, name }) => `${name}${many}: {${inner(inside, knownValues, detail)}}`).join(", ")}}`
  }
  if (fields !== undefined) return `{${inner(fields, knownValues, detail)}}${many}`
  const shape = shapes.get(type)
  if (shape !== undefined) return shape
  if (type === "resourceLocator") return `{__rl: true, mode: ${(modes ?? []).join("|")}, value}`
  return `${type}${many}`
}

/** Kinds of values that the engine knows the inside of. */
const shapes: ReadonlyMap<string, string> = new Map([
  ["assignmentCollection", "{assignments: [{id, name, value, type: string|number|boolean|array|object}]}"],
  [
    "filter",
    "{conditions: [{id, leftValue, rightValue, operator: {type: string|number|boolean|dateTime|array|object, operation: " +
      "equals|notEquals|contains|exists|empty|gt|lt|true|…, singleValue}}], combinator: and|or, options: {caseSensitive, " +
      "leftValue, typeValidation: strict|loose, version: 2}}"
  ],
  [
    "resourceMapper",
    "{mappingMode: defineBelow|autoMapInputData, value: {<column>: value}, matchingColumns: [], schema: []}"
  ],
  ["workflowSelector", "{__rl: true, mode: list|id, value}"]
])

const inner = (fields: ReadonlyArray<Property>, knownValues: KnownValues, detail: Detail): string =>
  fields
    .filter((field) => condition(field, knownValues) !== undefined)
    .map((field) => (detail.inner ? lineOf(field, knownValues, { ...detail, choices: 12 }) : field.name))
    .join(", ")

const choiceText = (choices: ReadonlyArray<Choice>, knownValues: KnownValues, detail: Detail): string => {
  const fitting = choices.filter((choice) => condition(choice, knownValues) !== undefined)
  const values = [...new Set(fitting.map(({ value }) => String(value)))]
  const more = values.length - detail.choices
  return `${values.slice(0, detail.choices).join("|")}${more > 0 ? `|… ${more} more` : ""}`
}

/** When something is shown, as far as it is not known; nothing where it never is then. */
export const condition = ({ hide, show }: DisplayOptions, knownValues: KnownValues): string | undefined => {
  const parts: Array<string> = []
  for (const [key, wanted] of Object.entries(show ?? {})) {
    const name = key.replace(/^\//, "")
    if (!Object.hasOwn(knownValues, name)) parts.push(openText(name, wanted))
    else if (!meets(knownValues[name], wanted)) return undefined
  }
  for (const [key, unwanted] of Object.entries(hide ?? {})) {
    const name = key.replace(/^\//, "")
    if (!Object.hasOwn(knownValues, name)) parts.push(`not ${openText(name, unwanted)}`)
    else if (meets(knownValues[name], unwanted)) return undefined
  }
  return parts.join(", ")
}

const meets = (value: unknown, wanted: ReadonlyArray<unknown>): boolean =>
  wanted.some((one) => {
    const rule = isJsonObject(one) && isJsonObject(one._cnd) ? Object.entries(one._cnd)[0] : undefined
    if (rule === undefined) return one === value
    const [key, target] = rule
    if (key === "not") return value !== target
    if (key === "eq") return value === target
    if (key === "exists") return value !== "" && value !== undefined
    if (!Predicate.isNumber(value)) return true
    if (key === "between") return isJsonObject(target) && value >= Number(target.from) && value <= Number(target.to)
    const order = value - Number(target)
    return key === "gte" ? order >= 0 : key === "lte" ? order <= 0 : key === "gt" ? order > 0 : order < 0
  })

const openText = (name: string, wanted: ReadonlyArray<unknown>): string => {
  const [only] = wanted
  if (wanted.length === 1 && Predicate.isBoolean(only)) return only ? name : `not ${name}`
  return `${name}=${clipped(wanted.map((one) => (isJsonObject(one) ? ruleText(one._cnd) : String(one))).join("|"), 80)}`
}

const ruleText = (rule: unknown): string =>
  Object.entries(Object(rule))
    .map(([key, target]) => (key === "exists" ? "given" : `${key} ${JSON.stringify(target)}`))
    .join()

/** The values that are known when a node is described, and the choices that are still open. */
export interface Chosen {
  readonly knownValues: KnownValues
  /** `resource` or `operation`, where there are several and none was named. */
  readonly open: ReadonlyArray<string>
}

/** Takes the requested resource and operation; given one alone, the other is added where only one fits. */
export const chooseOperation = (
  node: NodeType,
  version: number,
  request: { readonly resource?: string | undefined; readonly operation?: string | undefined }
): Result.Result<Chosen, InvalidArgument> =>
  Result.gen(function* () {
    const start = { ...fixedValues(node), "@version": version, "@tool": node.type.endsWith("Tool") }
    const resources = valuesOf(node.properties, "resource", start)
    const fitting =
      request.operation === undefined
        ? []
        : resources.filter((value) =>
            valuesOf(node.properties, "operation", { ...start, resource: value }).includes(request.operation ?? "")
          )
    const resource =
      request.resource ?? (fitting.length === 1 ? fitting[0] : resources.length === 1 ? resources[0] : undefined)
    if (resource !== undefined) yield* requireKnown("resource", resource, resources)
    const withResource = resource === undefined ? start : { ...start, resource }
    const operations = valuesOf(node.properties, "operation", withResource)
    const operation =
      request.operation ?? (operations.length === 1 && resources.length <= 1 ? operations[0] : undefined)
    if (operation !== undefined) yield* requireKnown("operation", operation, operations)
    return {
      knownValues: operation === undefined ? withResource : { ...withResource, operation },
      open: [
        ...(resources.length > 0 && resource === undefined ? ["resource"] : []),
        ...(operations.length > 0 && operation === undefined ? ["operation"] : [])
      ]
    }
  })

const requireKnown = (argument: string, value: string, all: ReadonlyArray<string>) => {
  if (all.includes(value)) return Result.succeed(undefined)
  const guess = nearest(value, all)
  const hint = all.length === 0 ? `this node has no ${argument} to choose` : `its values are ${all.join(", ")}`
  const problem = `there is no ${value}: ${hint}${guess === undefined ? "" : `. Did you mean ${guess}?`}`
  return Result.fail(new InvalidArgument({ argument, problem }))
}

/** The values that no form offers to choose. */
const fixedValues = ({ properties }: NodeType): KnownValues =>
  Object.fromEntries(
    properties
      .filter(
        ({ default: value, name, type }) =>
          type === "hidden" && value !== undefined && properties.filter((other) => other.name === name).length === 1
      )
      .map(({ default: value, name }) => [name, value])
  )

/** The values that a parameter can have where these are known, over all its forms. */
const valuesOf = (
  properties: ReadonlyArray<Property>,
  name: string,
  knownValues: KnownValues
): ReadonlyArray<string> => [
  ...new Set(
    properties
      .filter((property) => property.name === name && condition(property, knownValues) !== undefined)
      .flatMap(({ choices = [] }) => choices)
      .filter((choice) => condition(choice, knownValues) !== undefined)
      .map(({ value }) => String(value))
  )
]

/** The choices: each resource with its operations, or only operations. */
export const operationsOf = (node: NodeType, { knownValues }: Chosen): Readonly<Record<string, string>> | string => {
  const resources = Object.hasOwn(knownValues, "resource") ? [] : valuesOf(node.properties, "resource", knownValues)
  if (resources.length === 0) return valuesOf(node.properties, "operation", knownValues).join("|")
  return Object.fromEntries(
    resources.map((resource) => [
      resource,
      valuesOf(node.properties, "operation", { ...knownValues, resource }).join("|")
    ])
  )
}
