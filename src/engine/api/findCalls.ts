import { type JsonSchema, Predicate } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { jsonBytes } from "../../internal/json/values.ts"
import { listOf, textOf } from "../../internal/schema/JsonObject.ts"
import { allWordsOf, has, wordsOf } from "../nodes/searchWords.ts"
import type { ApiCall, Parameter } from "./ApiCall.ts"

/** Words that people use for what calls do, by the method that does it. */
const verbs: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [["get", "list", "read", "show", "which", "what", "all", "see", "look"], ["GET"]],
  [["create", "add", "make", "insert", "run", "start"], ["POST"]],
  [
    ["change", "update", "rename", "edit", "set", "move"],
    ["PATCH", "PUT"]
  ],
  [["delete", "remove", "clear", "drop"], ["DELETE"]]
]

/** Characters of a text that are compared. */
const mostText = 300

/** The calls that fit a text, the best first: of equal ones, the shorter path. */
export const rankCalls = (calls: ReadonlyArray<ApiCall>, text: string): ReadonlyArray<ApiCall> => {
  const words = [...new Set(wordsOf(text.slice(0, mostText)))]
  const wanted = verbs.flatMap(([names, methods]) => (words.some((word) => names.includes(word)) ? methods : []))
  const things = words.filter((word) => !verbs.some(([names]) => names.includes(word)))
  const ranked = calls.map((call) => ({ call, worth: worthOf(call, things) }))
  const fitting = (method: string) => (wanted.length === 0 ? method === "GET" : wanted.includes(method))
  return ranked
    .filter(({ worth }) => worth > 0 || things.length === 0)
    .toSorted(
      (a, b) =>
        b.worth + Number(fitting(b.call.method)) - (a.worth + Number(fitting(a.call.method))) ||
        a.call.path.length - b.call.path.length
    )
    .map(({ call }) => call)
}

const worthOf = ({ description, path, summary, tag }: ApiCall, words: ReadonlyArray<string>): number => {
  const inPath = allWordsOf(path.replaceAll(/\{\w+\}/g, " "))
  const inSummary = allWordsOf(`${summary} ${tag}`)
  const inDescription = allWordsOf(description.slice(0, mostText))
  return words.reduce(
    (sum, word) => sum + (has(inPath, word) ? 4 : has(inSummary, word) ? 3 : has(inDescription, word) ? 1 : 0),
    0
  )
}

/** A call in one line. */
export const lineOf = ({ call, summary }: ApiCall): string =>
  summary === "" ? call : `${call}: ${clipped(summary, 80)}`

/** Bytes of the arguments of one call. */
const mostArgumentBytes = 900

/** The arguments of a call, each in a few words; fewer words where there are many. */
export const argumentsOf = ({ parameters }: ApiCall): Readonly<Record<string, string>> => {
  const most = [120, 60, 20, 0].map((characters) =>
    Object.fromEntries(parameters.map((one) => [one.name, wordsOfParameter(one, characters)]))
  )
  return most.find((described) => jsonBytes(described) <= mostArgumentBytes) ?? most.at(-1) ?? {}
}

const wordsOfParameter = ({ description, isRequired, schema }: Parameter, characters: number): string => {
  const words = clipped(description.replaceAll(/\s+/g, " ").trim(), characters)
  return [`${shapeOf(schema)}${isRequired ? ", required" : ""}`, ...(words === "" ? [] : [words])].join(": ")
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
