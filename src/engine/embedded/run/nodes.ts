import { Duration, Effect, Predicate } from "effect"

import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Item } from "../store/records.ts"
import { entryOf, textOf } from "../store/values.ts"
import { NodeFailure, resolve, runCode, type Scope } from "./evaluate.ts"
import { edit, holds } from "./parameters.ts"
import { kindOf, parametersOf } from "./triggers.ts"

/** A workflow's response to its caller. */
export interface Response {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of a node: the items of each output, and perhaps a response. */
export interface Outcome {
  readonly outputs: ReadonlyArray<ReadonlyArray<Item>>
  readonly response?: Response
}

/** The context of a running node. `scopeOf` returns the names that its expressions can use for an input item. */
interface Work {
  readonly parameters: JsonObject
  readonly input: ReadonlyArray<Item>
  readonly scopeOf: (item: Item | undefined) => Scope
}

type Kind = (work: Work) => Effect.Effect<Outcome, NodeFailure>

/** Runs a node; one of an unknown kind passes its items on. */
export const perform = (node: JsonObject, work: Omit<Work, "parameters">): Effect.Effect<Outcome, NodeFailure> =>
  (entryOf(kinds, kindOf(node)) ?? pass)({ ...work, parameters: parametersOf(node) })

const pass: Kind = ({ input }) => Effect.succeed({ outputs: [input] })

const paired = (json: JsonObject, item: number): Item => ({ json, pairedItem: { item } })

const set: Kind = ({ input, parameters, scopeOf }) =>
  Effect.forEach(input, (item, index) =>
    resolve(parameters, scopeOf(item)).pipe(
      Effect.flatMap((resolved) => edit(objectOf(resolved), item.json)),
      Effect.map((json) => paired(json, index))
    )
  ).pipe(Effect.map((items) => ({ outputs: [items] })))

/** Items that meet the conditions go to the first output, the others to the second. */
const divide: Kind = ({ input, parameters, scopeOf }) =>
  Effect.map(
    Effect.forEach(input, (item) =>
      Effect.map(resolve(parameters, scopeOf(item)), (resolved) => holds(objectOf(resolved)))
    ),
    (results) => ({
      outputs: [input.filter((_, index) => results[index]), input.filter((_, index) => !results[index])]
    })
  )

/** Items go to the output whose number an expression returns; with rules, all to the first. */
const spread: Kind = ({ input, parameters, scopeOf }) =>
  parameters.mode !== "expression"
    ? Effect.succeed({ outputs: [input] })
    : Effect.map(
        Effect.forEach(input, (item) =>
          Effect.map(resolve(parameters, scopeOf(item)), (resolved) => Number(objectOf(resolved).output))
        ),
        (chosen) => ({
          outputs: Array.from({ length: Number(parameters.numberOutputs ?? 4) }, (_, output) =>
            input.filter((_item, index) => chosen[index] === output)
          )
        })
      )

/** The entries of a list in each item, as items of their own. */
const splitOut: Kind = ({ input, parameters: { fieldToSplitOut } }) => {
  const name = textOf(fieldToSplitOut)
  const within = ({ json }: Item) =>
    name.split(".").reduce<unknown>((value, part) => entryOf(objectOf(value), part), json)
  const items = input.flatMap((item, index) =>
    listOf(within(item)).map((entry) => paired(Predicate.isObject(entry) ? objectOf(entry) : { [name]: entry }, index))
  )
  return Effect.succeed({ outputs: [items] })
}

const stop: Kind = ({ input, parameters, scopeOf }) =>
  resolve(parameters, scopeOf(input[0])).pipe(
    Effect.map(objectOf),
    Effect.flatMap(({ errorMessage, errorObject, errorType }) =>
      Effect.fail(new NodeFailure({ message: textOf(errorType === "errorObject" ? errorObject : errorMessage) }))
    )
  )

const returnable = (value: unknown): Effect.Effect<JsonObject, NodeFailure> =>
  Predicate.isObject(value)
    ? Effect.succeed(objectOf(value))
    : Effect.fail(new NodeFailure({ message: "Code doesn't return items properly" }))

/** An item that code returns: as it is, or its JSON alone; where it does not say which item it comes from, that of its place. */
const returned = (value: JsonObject, index: number): Item => {
  const { binary, json, pairedItem } = value
  if (!Predicate.isObject(json)) return paired(value, index)
  const { item = pairedItem } = objectOf(pairedItem)
  return {
    ...paired(objectOf(json), typeof item === "number" ? item : index),
    ...(Predicate.isObject(binary) ? { binary: objectOf(binary) } : {})
  }
}

const code: Kind = ({ input, parameters, scopeOf }) => {
  const program = textOf(parameters.jsCode)
  const items =
    parameters.mode === "runOnceForEachItem"
      ? Effect.forEach(input, (item, index) => Effect.flatMap(runCode(program, scopeOf(item), index), returnable))
      : Effect.flatMap(runCode(program, scopeOf(input[0])), (value) =>
          Effect.forEach(Array.isArray(value) ? value : [value], returnable)
        )
  return Effect.map(items, (all) => ({ outputs: [all.map(returned)] }))
}

/** The old nodes for code: a Function gets all items, a Function Item the JSON of each, whose files it keeps. */
const oldFunction: Kind = ({ parameters: { functionCode }, ...work }) =>
  code({ ...work, parameters: { jsCode: functionCode } })

const oldFunctionItem: Kind = ({ input, parameters, scopeOf }) =>
  Effect.forEach(input, (item, index) =>
    Effect.map(runCode(textOf(parameters.functionCode), { ...scopeOf(item), item: item.json }, index), (json) => ({
      ...item,
      ...paired(objectOf(json), index)
    }))
  ).pipe(Effect.map((items) => ({ outputs: [items] })))

const limit: Kind = ({ input, parameters: { keep, maxItems = 1 } }) => {
  const most = Number(maxItems)
  return Effect.succeed({ outputs: [keep === "lastItems" ? input.slice(-most) : input.slice(0, most)] })
}

/** The operations of the old node that this engine knows, and their successors. */
const listKinds: Readonly<Record<string, Kind>> = { splitOutItems: splitOut, limit }

const oldLists: Kind = (work) => (entryOf(listKinds, work.parameters.operation ?? "splitOutItems") ?? pass)(work)

/** Old triggers give out one empty item, newer schedules the moment. */
const emptied: Kind = ({ input }) => Effect.succeed({ outputs: [input.map(() => ({ json: {} }))] })

const perUnit: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }

const wait: Kind = ({ input, parameters: { amount = 1, unit = "hours" } }) =>
  Effect.as(Effect.sleep(Duration.seconds(Number(amount) * (entryOf(perUnit, unit) ?? 0))), { outputs: [input] })

const respond: Kind = ({ input, parameters, scopeOf }) =>
  Effect.map(resolve(parameters, scopeOf(input[0])), (resolved) => ({
    outputs: [input],
    response: responseOf(objectOf(resolved), input)
  }))

/** A status set by a workflow; the default if it is invalid. */
export const statusOf = (given: unknown, usual = 200): number =>
  Number.isInteger(Number(given)) && Number(given) >= 200 && Number(given) <= 599 ? Number(given) : usual

const responseOf = (
  { options, redirectURL, respondWith, responseBody }: JsonObject,
  input: ReadonlyArray<Item>
): Response => {
  const { responseCode, responseHeaders } = objectOf(options)
  const entries = objectOf(responseHeaders).entries
  const headers = Object.fromEntries(
    listOf(entries)
      .map(objectOf)
      .map(({ name, value }) => [String(name).toLowerCase(), textOf(value)])
  )
  const status = statusOf(responseCode)
  const json = { status, headers, contentType: "application/json; charset=utf-8" }
  switch (respondWith) {
    case "allIncomingItems":
      return { ...json, body: JSON.stringify(input.map((item) => item.json)) }
    case "json":
      return { ...json, body: textOf(responseBody) }
    case "text":
      return { ...json, contentType: "text/html; charset=utf-8", body: textOf(responseBody) }
    case "noData":
      return { ...json, body: "" }
    case "redirect":
      return {
        ...json,
        status: statusOf(responseCode, 307),
        headers: { ...headers, location: textOf(redirectURL) },
        body: ""
      }
    default:
      return { ...json, body: JSON.stringify(input[0]?.json ?? {}) }
  }
}

const kinds: Readonly<Record<string, Kind>> = {
  set,
  if: divide,
  filter: divide,
  splitOut,
  switch: spread,
  stopAndError: stop,
  code,
  function: oldFunction,
  functionItem: oldFunctionItem,
  itemLists: oldLists,
  limit,
  cron: emptied,
  interval: emptied,
  wait,
  respondToWebhook: respond
}
