import { Predicate, Result } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { nameOf } from "../../workflow/models.ts"
import { aiLinkOf, outputNames } from "../../workflow/outputs.ts"
import { wiresLike, withWire, withoutWires, type WirePattern } from "../../workflow/wires.ts"
import { type Apply, connectionsOf, type Draft, nodeNamed, withConnections } from "./Draft.ts"

/** The number of an output that is given by number or name: `true`, `done`, `error`. */
export const outputOf = (
  node: JsonObject,
  given: number | string | undefined
): Result.Result<number | undefined, string> => {
  if (given === undefined || Predicate.isNumber(given)) return Result.succeed(given)
  const names = namesOfOutputs(node)
  const found = names.indexOf(given.trim().toLowerCase())
  if (found >= 0) return Result.succeed(found)
  if (/^\d{1,3}$/.test(given.trim())) return Result.succeed(Number(given))
  const known = names.filter((name) => !/^\d*$/.test(name))
  const guess = nearest(given, known)
  const hint =
    guess !== undefined
      ? `Did you mean ${guess}?`
      : known.length === 0
        ? "Give its number, from 0"
        : `It has ${known.join(", ")}`
  return Result.fail(`${nameOf(node)} has no output ${JSON.stringify(given)}. ${hint}`)
}

const namesOfOutputs = (node: JsonObject): ReadonlyArray<string> => {
  const nameAt = outputNames(node)
  return Array.from({ length: 64 }, (_, index) => nameAt(index).toLowerCase())
}

/** Inputs have no names that a workflow tells. */
export const inputOf = (given: number | string | undefined): Result.Result<number | undefined, string> => {
  if (given === undefined || Predicate.isNumber(given)) return Result.succeed(given)
  return /^\d{1,3}$/.test(given.trim())
    ? Result.succeed(Number(given))
    : Result.fail(`input must be a number, from 0, not ${JSON.stringify(given)}`)
}

/** A type of connections in full: `tool` is `ai_tool`; left out, the one that begins at nodes of the source's type. */
export const linkType = (given: string | undefined, source?: unknown): string => {
  if (given === undefined) return (Predicate.isString(source) ? aiLinkOf(source) : undefined) ?? "main"
  return given === "main" || given.startsWith("ai_") ? given : `ai_${given}`
}

export const connect: Apply<"connect"> = (draft, { from, input, link, output, to }) =>
  Result.gen(function* () {
    const source = yield* nodeNamed(draft, from)
    yield* nodeNamed(draft, to)
    const wire = {
      source: from,
      output: (yield* outputOf(source, output)) ?? 0,
      type: linkType(link, source.type),
      target: to,
      input: (yield* inputOf(input)) ?? 0
    }
    return withConnections(draft, withWire(yield* connectionsOf(draft), wire))
  })

export const disconnect: Apply<"disconnect"> = (draft, { from, input, link, output, to }) =>
  Result.gen(function* () {
    if (from === undefined && to === undefined) return yield* Result.fail("disconnect: from or to is required")
    const connections = yield* connectionsOf(draft)
    const source =
      from === undefined ? undefined : yield* endNamed(draft, from, wiresLike(connections, { source: from }))
    if (to !== undefined) yield* endNamed(draft, to, wiresLike(connections, { target: to }))
    const pattern: WirePattern = {
      source: from,
      target: to,
      output: source === undefined ? undefined : yield* outputOf(source, output),
      input: yield* inputOf(input),
      type: link === undefined ? undefined : linkType(link)
    }
    if (wiresLike(connections, pattern).length > 0) return withConnections(draft, withoutWires(connections, pattern))
    const others = wiresLike(connections, from === undefined ? { target: to } : { source: from })
    const ends = [...new Set(others.map(({ source, target }) => (from === undefined ? source : target)))]
    const [subject, verb] = from === undefined ? [to, "is reached from"] : [from, "leads to"]
    return yield* Result.fail(
      `there is no such connection. ${subject} ${verb} ${ends.length === 0 ? "nothing" : ends.join(", ")}`
    )
  })

/** A node of this name; only the name where there is none, but connections that lead to it or from it still are. */
const endNamed = (draft: Draft, name: string, wires: ReadonlyArray<unknown>): Result.Result<JsonObject, string> => {
  const node = nodeNamed(draft, name)
  return Result.isFailure(node) && wires.length > 0 ? Result.succeed({ name }) : node
}
