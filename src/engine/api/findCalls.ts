import { type JsonSchema, Predicate } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { fitted, jsonBytes } from "../../internal/json/values.ts"
import { listOf, objectOf, textOf } from "../../internal/schema/JsonObject.ts"
import { allWordsOf, has, wordsOf } from "../nodes/searchWords.ts"
import type { ApiCall, Parameter } from "./ApiCall.ts"

const list = (words: string) => words.split(" ")

/** Words that people use for what calls do, by the method that does it. */
const verbs: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [list("get list read retrieve show which what who where many find check view tell see look"), ["GET"]],
  [
    list(
      "create add make insert run start install invite link give grant send test sync push pull export import trigger"
    ),
    ["POST"]
  ],
  [
    list(
      "change update upgrade rename edit set move transfer assign configure turn enable disable enforce forbid allow block hand"
    ),
    ["PATCH", "PUT"]
  ],
  [list("delete remove clear drop uninstall kick empty rid revoke off unlink"), ["DELETE"]]
]

/** Words for what calls are about that engines call otherwise. Those that are verbs as well count as both. */
const others = new Map(
  Object.entries({
    user: "who access people person member members colleague account accounts",
    role: "admin owner editor viewer permission permissions",
    variable: "env environment",
    project: "team workspace",
    folder: "directory",
    transfer: "move hand",
    audit: "secure security risk risks vulnerable",
    insights: "statistics stats metrics save saved usage",
    "source-control": "git repository commit commits",
    "security-policy": "factor 2fa mfa",
    "log-streaming": "syslog",
    otel: "opentelemetry tracing traces",
    sso: "login sign",
    policies: "forbid forbidden allow allowed block blocked",
    "test-runs": "evaluate evaluation evaluations",
    promote: "deploy",
    "community-packages": "plugin plugins npm",
    clear: "empty",
    discover: "key capabilities"
  }).flatMap(([name, words]) => list(words).map((word) => [word, wordsOf(name)] as const))
)

/** Words that are about every call. */
const idle = new Set(["api", "engine", "instance", "server"])

/** Verbs that stand in paths as well. */
const pathVerbs = new Set(list("run test sync push pull export import install transfer"))

/** Characters of a text that are compared. */
const mostText = 300

/** The calls that fit a text, the best first: of equal ones, the shorter path. */
export const rankCalls = (calls: ReadonlyArray<ApiCall>, text: string): ReadonlyArray<ApiCall> => {
  const words = [...new Set(wordsOf(text.slice(0, mostText)))]
  const wanted = verbs.flatMap(([names, methods]) => (words.some((word) => names.includes(word)) ? methods : []))
  const things = words.filter(isThing).map((word) => [word, ...(others.get(word) ?? [])])
  const isOne = /@|\b(?:an?|one|single|id)\b/i.test(text.slice(0, mostText))
  const isFitting = ({ method }: ApiCall) => {
    if (wanted.length === 0) return method === "GET"
    // Such as "get rid of".
    return wanted.includes(method) && !(method === "GET" && wanted.includes("DELETE"))
  }
  return calls
    .map((call) => {
      const worth = worthOf(call, things)
      const pathWords = pathWordsOf(call)
      const others = pathWords.filter((word) => !has(words, word)).length
      const isNamed = words.some((word) => isVerb(word) && has(pathWords, word))
      const isThatOne = isOne && call.method !== "POST" && call.path.endsWith("}")
      const fit =
        Number(isFitting(call) || isNamed) + (isFitting(call) ? 0.1 : 0) + (isNamed ? 0.4 : 0) + (isThatOne ? 0.5 : 0)
      return { call, worth, rank: text.trim() === call.call ? Infinity : worth + fit - others * 0.2 }
    })
    .filter(({ worth }) => worth > 0 || things.length === 0)
    .toSorted((a, b) => b.rank - a.rank || a.call.path.length - b.call.path.length)
    .map(({ call }) => call)
}

const isVerb = (word: string) => verbs.some(([names]) => names.includes(word))

/** Whether a word tells what a call is about, and not only what it does. */
const isThing = (word: string) => !idle.has(word) && (!isVerb(word) || pathVerbs.has(word) || others.has(word))

const pathWordsOf = ({ path }: ApiCall) => wordsOf(path.replaceAll(/\{\w+\}/g, " "))

/** The worth of a call for words, each of them with others for the same. */
const worthOf = (
  { description, path, summary, tag }: ApiCall,
  things: ReadonlyArray<ReadonlyArray<string>>
): number => {
  const inPath = allWordsOf(path.replaceAll(/\{\w+\}/g, " "))
  const inNames = allWordsOf(path).filter((word) => word !== "id")
  const inSummary = allWordsOf(`${summary} ${tag}`)
  const inDescription = allWordsOf(description.slice(0, mostText))
  const worth = (word: string) =>
    has(inPath, word) ? 4 : has(inSummary, word) ? 3 : has(inNames, word) ? 2 : has(inDescription, word) ? 1 : 0
  return things.reduce((sum, words) => sum + Math.max(...words.map(worth)), 0)
}

/** A call in one line. */
export const lineOf = ({ call, summary }: ApiCall): string =>
  summary === "" ? call : `${call}: ${clipped(summary, 80)}`

/** Bytes of the arguments and the body of one call. */
const mostArgumentBytes = 800

/** The arguments and the body of a call, each in a few words; fewer words where there are many. */
export const argumentsOf = ({ body, parameters }: ApiCall) => {
  const described = [120, 60, 20, 0].map((characters) => ({
    arguments: Object.fromEntries(parameters.map((one) => [one.name, wordsOfParameter(one, characters)])),
    ...(body === undefined ? {} : { body: bodyWords(body.schema, characters) })
  }))
  return described.find((one) => jsonBytes(one) <= mostArgumentBytes) ?? outlined(described.at(-1))
}

type Words = Readonly<Record<string, string>>

/** The first fields alone, and how many others there are. */
const outlined = (described: { readonly arguments: Words; readonly body?: Words } = { arguments: {} }) => {
  const { arguments: args, body = {} } = described
  const fields = fitted(Object.entries(body), mostArgumentBytes - jsonBytes(args))
  const left = Object.keys(body).length - fields.length
  return {
    ...described,
    body: { ...Object.fromEntries(fields), ...(left === 0 ? {} : { "…": `${left} more fields` }) }
  }
}

/** The fields of a body in a few words, required ones first; of a body that is a list, what its items are. */
export const bodyWords = (schema: JsonSchema.JsonSchema, characters: number): Words => {
  const required = listOf(schema["required"])
  const fields = fieldsOf(schema)
  if (fields.length === 0) return { [schema["type"] === "array" ? "items" : "any"]: deepShapeOf(schema) }
  return Object.fromEntries(
    fields
      .toSorted(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
      .map(([name, part]) => [
        name,
        describedShape(deepShapeOf(part), required.includes(name), part["description"], characters)
      ])
  )
}

const fieldsOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> => {
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => listOf(schema[key]).map(objectOf))
  const direct = Object.entries(objectOf(schema["properties"])).map(([name, part]) => [name, objectOf(part)] as const)
  return [...direct, ...parts.flatMap(fieldsOf)]
}

/** Fields of an object that are named inside of another shape. */
const mostInside = 8

/** A shape in a few words, with the names of what is in it: `list of {id: string}`. */
const deepShapeOf = (schema: JsonSchema.JsonSchema, depth = 0): string => {
  if (schema["type"] === "array") return `list of ${deepShapeOf(objectOf(schema["items"]), depth)}`
  const fields = fieldsOf(schema)
  if (fields.length === 0 || depth > 1) return shapeOf(schema)
  const required = listOf(schema["required"])
  const words = fields
    .slice(0, mostInside)
    .map(([name, part]) => `${name}${required.includes(name) ? "" : "?"}: ${deepShapeOf(part, depth + 1)}`)
  return `{${[...words, ...(fields.length > mostInside ? ["…"] : [])].join(", ")}}`
}

const wordsOfParameter = ({ description, isRequired, schema }: Parameter, characters: number): string =>
  describedShape(shapeOf(schema), isRequired, description, characters)

const describedShape = (shape: string, isRequired: boolean, description: unknown, characters: number) => {
  const words = clipped(textOf(description).replaceAll(/\s+/g, " ").trim(), characters)
  return [`${shape}${isRequired ? ", required" : ""}`, ...(words === "" ? [] : [words])].join(": ")
}

const mostChoices = 10

/** A shape in a few words: `integer, at most 250`. */
export const shapeOf = (schema: JsonSchema.JsonSchema): string => {
  const choices = listOf(schema["enum"])
  if (choices.length > 0) return choices.slice(0, mostChoices).map(String).join(" | ")
  const { maximum, minimum } = schema
  const type = clipped(textOf(listOf(schema["type"])[0] ?? schema["type"]) || "any", 20)
  return [
    type,
    ...(Predicate.isNumber(minimum) ? [`at least ${minimum}`] : []),
    ...(Predicate.isNumber(maximum) ? [`at most ${maximum}`] : [])
  ].join(", ")
}
