import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { effectiveValues, isExpression, isShown, type Settings } from "../conditions.ts"
import type { Group, Property } from "../NodeType.ts"
import { type Finding, quoted } from "./Finding.ts"
import { checkShape } from "./shapes.ts"

/** The place of a value in a node, and the values that decide there. */
interface Place {
  readonly node: string
  readonly path: string
  readonly settings: Settings
}

type Problem = Omit<Finding, "node" | "field">

/** Findings about given values of these parameters. `given` has only those that were set. */
export const checkValues = (
  properties: ReadonlyArray<Property>,
  given: JsonObject,
  place: Place
): ReadonlyArray<Finding> => [
  ...withoutEchoes(
    properties,
    Object.entries(given).flatMap(([name, value]) => checkGiven(properties, name, value, place))
  ),
  ...properties.flatMap((property) => missing(property, given, place))
]

/** If an option that others depend on is wrong, their findings are dropped: they may not hold once it is corrected. */
const withoutEchoes = (
  properties: ReadonlyArray<Property>,
  findings: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => {
  const last = ({ field = "" }: Finding) => field.slice(field.lastIndexOf(".") + 1)
  const wrong = new Set(findings.filter(({ problem }) => problem.endsWith(noOption)).map(last))
  if (wrong.size === 0) return findings
  const depends = (name: string) =>
    properties.some(
      (one) =>
        one.name === name &&
        [...Object.keys(one.show ?? {}), ...Object.keys(one.hide ?? {})].some((key) => wrong.has(key.replace("/", "")))
    )
  return findings.filter((one) => !one.problem.startsWith(noEffect) || !depends(last(one)))
}

const noOption = "is none of its options"
const noEffect = "has no effect"

const at = ({ node, path }: Place, name: string, problem: Problem): Finding => ({
  ...problem,
  node,
  field: `${path}.${name}`
})

const checkGiven = (
  properties: ReadonlyArray<Property>,
  name: string,
  value: unknown,
  place: Place
): ReadonlyArray<Finding> => {
  const sameName = properties.filter((property) => property.name === name)
  if (sameName.length === 0) {
    if (isNothing(value)) return []
    const names = [...new Set(properties.map((property) => property.name))]
    const guess = nearest(name, names)
    const fix = guess === undefined ? knownNames(properties, place) : `Did you mean ${guess}?`
    return [at(place, name, { level: "warning", problem: `there is no parameter ${name} here`, fix })]
  }
  const shownProperties = sameName.filter((property) => isShown(property, place.settings))
  const [first] = shownProperties
  if (first === undefined) {
    const isUsual = sameName.some((property) => isSame(property.default ?? "", value))
    // A missing value that hides others is reported at its own parameter.
    const isHidden = sameName.some(({ show = {} }) => isShown({ show }, place.settings))
    if (isNothing(value) || isUsual || isHidden) return []
    const problem = `${noEffect} under these settings: it needs ${needsOf(sameName)}`
    return [at(place, name, { level: "warning", problem })]
  }
  const problems = shownProperties.map((property) => checkValue(property, value, place))
  // If several visible parameters have the same name, the matching one is meant.
  return problems.find((findings) => findings.length === 0) ?? problems[0] ?? []
}

const knownNames = (properties: ReadonlyArray<Property>, { settings }: Place): string => {
  const names = [...new Set(properties.filter((one) => isShown(one, settings)).map(({ name }) => name))]
  return names.length === 0 ? "It has none" : `Known: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}`
}

const needsOf = (properties: ReadonlyArray<Property>) => {
  const all = [...new Set(properties.map(needs))].toSorted((a, b) => a.length - b.length)
  return `${all.slice(0, 2).join(", or ")}${all.length > 2 ? ", or other settings" : ""}`
}

const needs = ({ hide = {}, show = {} }: Property): string => {
  const words = (name: string, values: ReadonlyArray<unknown>) =>
    `${name.replace(/^\//, "")}=${values.map((one) => (isJsonObject(one) ? JSON.stringify(one._cnd) : String(one))).join("|")}`
  return [
    ...Object.entries(show).map(([name, values]) => words(name, values)),
    ...Object.entries(hide).map(([name, values]) => `not ${words(name, values)}`)
  ].join(" and ")
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isNothing))

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Findings about the value of a visible parameter. Expressions are not checked: only the engine knows their values. */
const checkValue = (property: Property, value: unknown, place: Place): ReadonlyArray<Finding> => {
  const { fields, groups, isMultiple = false, name } = property
  if (isExpression(value) || value === undefined || value === null) return []
  const inside = { ...place, path: `${place.path}.${name}` }
  if (fields !== undefined) {
    const all = isMultiple && Array.isArray(value) ? value : [value]
    return all.flatMap((one) => checkFields(fields, one, inside, property))
  }
  if (groups !== undefined) return checkGroups(groups, value, inside, property)
  if (isMultiple && Array.isArray(value) && property.choices === undefined) {
    return value.flatMap((one) => (isExpression(one) ? [] : wrong(property, one, place)))
  }
  return wrong(property, value, place)
}

const checkFields = (fields: ReadonlyArray<Property>, value: unknown, place: Place, { name }: Property) => {
  if (isExpression(value)) return []
  if (!isJsonObject(value)) {
    if (isNothing(value)) return []
    return [{ ...misshapen(place), problem: `${name} must be an object with its options, and is ${quoted(value)}` }]
  }
  // Only what was added to a collection is in it, so only that can have missing values.
  const present = fields.filter((field) => Object.hasOwn(value, field.name))
  const values = effectiveValues(present, value, place.settings, place.settings.root)
  const settings = { ...place.settings, values }
  return [
    ...Object.entries(value).flatMap(([key, one]) => checkGiven(fields, key, one, { ...place, settings })),
    ...present.flatMap((field) => missing(field, value, { ...place, settings }))
  ]
}

const checkGroups = (
  groups: ReadonlyArray<Group>,
  value: unknown,
  place: Place,
  { isMultiple = false, name }: Property
): ReadonlyArray<Finding> => {
  const names = groups.map((group) => group.name)
  if (!isJsonObject(value)) {
    if (isNothing(value)) return []
    const form = `{${names.map((group) => `${group}: ${isMultiple ? "[…]" : "{…}"}`).join(", ")}}`
    return [{ ...misshapen(place), problem: `${name} is ${quoted(value)}`, fix: `It must be ${form}` }]
  }
  return Object.entries(value).flatMap(([key, given]) => {
    const group = groups.find((one) => one.name === key)
    if (group === undefined) {
      if (isNothing(given)) return []
      const fix = `Known: ${names.join(", ")}`
      return [at(place, key, { level: "warning", problem: `${name} has no part ${key}`, fix })]
    }
    const misfit = misfitOf(given, isMultiple)
    if (misfit !== undefined) {
      return [{ ...misshapen(place), field: `${place.path}.${key}`, problem: `is ${quoted(given)}`, fix: misfit }]
    }
    const entries = Array.isArray(given) ? objectsOf(given) : isJsonObject(given) ? [given] : []
    return entries.flatMap((entry, index) => {
      const path = `${place.path}.${key}${Array.isArray(given) ? `[${index}]` : ""}`
      const values = effectiveValues(group.fields, entry, place.settings, place.settings.root)
      return checkValues(group.fields, entry, { ...place, path, settings: { ...place.settings, values } })
    })
  })
}

/** The required form of a group's entries, if they have another one. */
const misfitOf = (given: unknown, isMultiple: boolean): string | undefined => {
  if (isExpression(given) || isNothing(given)) return undefined
  const all: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const fits = Array.isArray(given) === isMultiple && all.every((one) => isJsonObject(one) || isExpression(one))
  return fits ? undefined : `It must be ${isMultiple ? "a list of objects" : "one object"}`
}

const misshapen = ({ node, path }: Place) => ({ level: "error", node, field: path }) as const

const wrong = (property: Property, value: unknown, place: Place): ReadonlyArray<Finding> => {
  const problem = wrongValue(property, value, place)
  if (problem !== undefined) return [at(place, property.name, problem)]
  return checkShape(property, value).map(({ at: where, ...one }) => at(place, `${property.name}${where}`, one))
}

const wrongValue = (property: Property, value: unknown, { settings }: Place): Problem | undefined => {
  const { choices = [], isDynamic = false, type } = property
  if (type === "multiOptions" && !Array.isArray(value) && !isNothing(value)) {
    return { level: "warning", problem: `is ${quoted(value)}`, fix: "It must be a list" }
  }
  if ((type === "options" || type === "multiOptions") && choices.length > 0 && !isDynamic) {
    const allowed = choices.filter((choice) => isShown(choice, settings)).map((choice) => choice.value)
    const unknown = (Array.isArray(value) ? value : [value]).find(
      (one) => !isExpression(one) && one !== "" && !allowed.some((choice) => choice === one)
    )
    if (unknown === undefined) return undefined
    const guess = Predicate.isString(unknown) ? nearest(unknown, allowed.map(String)) : undefined
    const list = `One of ${allowed.slice(0, 25).map(String).join(", ")}${allowed.length > 25 ? ", …" : ""}`
    const fix = guess === undefined ? list : `Did you mean ${guess}? ${list}`
    return { level: "error", problem: `${quoted(unknown)} ${noOption}`, fix }
  }
  if (type === "boolean" && !Predicate.isBoolean(value)) {
    return { level: "warning", problem: `is ${quoted(value)}`, fix: "It must be true or false" }
  }
  if (type === "number" && value !== "" && !Number.isFinite(Number(value))) {
    return { level: "warning", problem: `is ${quoted(value)}`, fix: "It must be a number" }
  }
  return undefined
}

/** A required parameter that is empty. */
const missing = (property: Property, given: JsonObject, place: Place): ReadonlyArray<Finding> => {
  const { isMultiple = false, name, required = false, title } = property
  if (!required || !isShown(property, place.settings)) return []
  const value = given[name] ?? property.default
  const values = isMultiple && Array.isArray(value) ? value : [value]
  if (!values.some((one) => isMissing(property, one))) return []
  return [at(place, name, { level: "error", problem: "is required and empty", fix: hintOf(property, title) })]
}

/** The engine's own check before it runs a node. */
const isMissing = ({ type }: Property, value: unknown): boolean => {
  if (["string", "dateTime", "options", "credentialsSelect"].includes(type)) return value === "" || value === undefined
  if (type === "multiOptions") return Array.isArray(value) && value.length === 0
  if (!["resourceLocator", "workflowSelector", "agentSelector"].includes(type)) return false
  if (!isJsonObject(value)) return value === undefined || value === null || value === ""
  return !Predicate.isString(value.value) && !Predicate.isNumber(value.value) ? true : value.value === ""
}

const hintOf = ({ choices = [], description }: Property, title: string): string => {
  if (choices.length > 0)
    return `One of ${choices
      .slice(0, 25)
      .map((choice) => String(choice.value))
      .join(", ")}`
  return description === undefined ? `Give ${title}` : description
}
