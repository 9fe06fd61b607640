import { isJsonObject, type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { type Args, textOf, textsOf } from "./json.ts"
import { readJson } from "./readJson.ts"

/**
 * The input for an argument: one value, one of some, any of some, one a line, a row for each condition, or JSON where nothing
 * simpler will do.
 */
type Kind = "text" | "number" | "choice" | "choices" | "lines" | "conditions" | "json"

/** The things that an argument names: instances are chosen, the others are suggested and can be written as well. */
export type Noun = "instance" | "workflow" | "workflowId" | "tag" | "date"

/** The things that arguments name; a tool and its argument come before the argument alone. */
const nouns: Readonly<Record<string, Noun>> = {
  instance: "instance",
  instances: "instance",
  "plan_promotion.from": "instance",
  "plan_promotion.to": "instance",
  workflow: "workflow",
  errorWorkflow: "workflow",
  "workflow_history.id": "workflow",
  "run_tests.id": "workflow",
  "plan_promotion.ids": "workflow",
  "plan_bulk.where.ids": "workflow",
  "plan_upgrade.where.ids": "workflow",
  workflowId: "workflowId",
  tag: "tag",
  tags: "tag",
  since: "date",
  until: "date",
  before: "date",
  changedSince: "date",
  startedAfter: "date",
  startedBefore: "date"
}

/** An id is one of what the name of its tool ends with. */
const nounOf = (tool: string, argument: string): Noun | undefined =>
  nouns[`${tool}.${argument}`] ?? nouns[argument === "id" ? tool.slice(tool.lastIndexOf("_") + 1) : argument]

/** One argument of a tool, as a form asks for it. */
export interface Field {
  readonly name: string
  readonly kind: Kind
  /** The type of a value, or of each of a list. */
  readonly value: "text" | "number" | "whole" | "boolean" | "object"
  readonly isList: boolean
  readonly isRequired: boolean
  readonly description: string
  /** The values that can be chosen, where not everything can. */
  readonly choices: ReadonlyArray<string>
  readonly noun: Noun | undefined
  /** The conditions that the argument can be made of. */
  readonly parts: ReadonlyArray<Field>
}

/** Arguments that choose workflows as a search does, and the further conditions that they know. */
const selections: ReadonlyArray<string> = ["plan_bulk.where", "plan_upgrade.where"]
const furtherConditions = {
  ids: { type: "array", items: { type: "string" }, description: "Of workflows" },
  name: { type: "string", description: "* stands for anything" },
  idle_days: { type: "integer", description: "Without a run for so many days" }
}
/** The arguments of a search that are about its answer, or that a selection does not know. */
const notConditions: ReadonlyArray<string> = ["calledBy", "cursor", "instances", "limit"]

/** The conditions of arguments that schemas leave open, as models read them in words. */
const openConditions: Readonly<Record<string, JsonObject>> = {
  "plan_bulk.in": {
    nodeType: { type: "string", description: "Only in nodes of this type" },
    field: { type: "array", items: { type: "string" }, description: "Only in fields of these names or paths" },
    notes: { type: "boolean", description: "Also in notes on the canvas" }
  }
}

const conditionsOf = (place: string, property: JsonObject, search: JsonObject): JsonObject =>
  selections.includes(place)
    ? Object.fromEntries(
        Object.entries({ ...objectOf(search.properties), ...furtherConditions }).filter(
          ([name]) => !notConditions.includes(name)
        )
      )
    : (openConditions[place] ?? objectOf(property.properties))

/** The arguments of a tool by its JSON schema, what it needs first. Names of instances are chosen, not written. */
export const fieldsOf = (
  tool: string,
  schema: JsonObject,
  instances: ReadonlyArray<string> = [],
  search: JsonObject = {}
): ReadonlyArray<Field> => {
  const required = textsOf(schema.required)
  const fields = Object.entries(objectOf(schema.properties)).map(([name, schemaOfField]): Field => {
    const property = objectOf(schemaOfField)
    const isList = property.type === "array"
    const item = isList ? objectOf(property.items) : property
    const value = values[textOf(item.type)] ?? "object"
    const noun = value === "text" ? nounOf(tool, name) : undefined
    const all = isList && instances.length > 0 ? ["*", ...instances] : instances
    const choices = value === "boolean" ? ["true", "false"] : noun === "instance" ? all : textsOf(item.enum)
    const properties = property.type === "object" ? conditionsOf(`${tool}.${name}`, property, search) : {}
    const parts = Object.keys(properties).length === 0 ? [] : fieldsOf(`${tool}.${name}`, { properties }, instances)
    return {
      name,
      kind: parts.length > 0 ? "conditions" : kindOf(value, isList, choices.length > 0),
      value,
      isList,
      isRequired: required.includes(name),
      description: textOf(property.description),
      choices,
      noun,
      parts
    }
  })
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

const values: Readonly<Record<string, Field["value"]>> = {
  string: "text",
  number: "number",
  integer: "whole",
  boolean: "boolean"
}

const kindOf = (value: Field["value"], isList: boolean, isChosen: boolean): Kind => {
  if (value === "object") return "json"
  if (isChosen) return isList ? "choices" : "choice"
  if (isList) return "lines"
  return value === "text" ? "text" : "number"
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
      if (field.isRequired) problems[field.name] = field.kind === "choices" ? "Choose at least one" : "Is needed"
      continue
    }
    const read =
      field.kind === "conditions"
        ? readConditions(field, text)
        : field.kind === "json"
          ? readObject(field, text)
          : readPlain(field, text)
    if ("value" in read) args[field.name] = read.value
    else problems[field.name] = read.problem
  }
  return { args, problems }
}

type Read = { readonly value: unknown } | { readonly problem: string }

const readObject = ({ isList }: Field, text: string): Read => {
  const parsed = readJson(text)
  const isFit = parsed !== undefined && parsed.value !== null && (!isList || Array.isArray(parsed.value))
  return isFit ? parsed : { problem: `Must be JSON: ${isList ? "a list, [ … ]" : "an object, { … }"}` }
}

/** The texts of conditions that one text holds as JSON: as they are typed, or as values that a link has brought. */
export const conditionTexts = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectOf(readJson(text)?.value)).map(([name, value]) => [
      name,
      Array.isArray(value) ? textsOf(value).join("\n") : isJsonObject(value) ? JSON.stringify(value) : String(value)
    ])
  )

const readConditions = (field: Field, text: string): Read => {
  const { parts } = field
  const object = readObject(field, text)
  if ("problem" in object) return object
  const texts = conditionTexts(text)
  const stranger = Object.keys(texts).find((name) => !parts.some((part) => part.name === name))
  if (stranger !== undefined) return { problem: `There is no condition ${stranger}` }
  const { args, problems } = readFields(
    parts.filter(({ name }) => Object.hasOwn(texts, name)).map((part) => ({ ...part, isRequired: true })),
    texts
  )
  const [first] = Object.entries(problems)
  return first === undefined ? { value: args } : { problem: `${first[0]}: ${first[1]}` }
}

const readPlain = ({ isList, value }: Field, text: string): Read => {
  if (!isList) return valueOf(value, text)
  const read = linesOf(text).map((line) => valueOf(value, line))
  const wrong = read.findIndex((one) => "problem" in one)
  return wrong < 0
    ? { value: read.flatMap((one) => ("value" in one ? [one.value] : [])) }
    : { problem: `Line ${wrong + 1} must be a ${value === "whole" ? "whole number" : "number"}` }
}

/** The lines of a list that say something; a list of JSON will do as well. */
export const linesOf = (text: string): ReadonlyArray<string> => {
  const list = /^\s*\[/.test(text) ? readJson(text)?.value : undefined
  if (Array.isArray(list) && textsOf(list).length === list.length) return textsOf(list)
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

const valueOf = (value: Field["value"], text: string): Read => {
  if (value === "text") return { value: text }
  if (value === "boolean") return { value: text === "true" }
  const number = Number(text)
  if (value === "whole" && !Number.isSafeInteger(number)) return { problem: "Must be a whole number" }
  return Number.isFinite(number) ? { value: number } : { problem: "Must be a number" }
}
