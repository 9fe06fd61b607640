import { Effect, Predicate, Result, Schema } from "effect"

import type { Free } from "../../../engine/Workflow.ts"
import { asFree, asList, textOf } from "../rules/values.ts"
import { own } from "./own.ts"
import { NodeFailure } from "./resolve.ts"

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** What an Edit Fields node makes of one item's data; its expressions have been worked out before. */
export const edit = (parameters: Free, json: Free): Effect.Effect<Free, NodeFailure> => {
  if (parameters.mode === "raw") {
    const given = Predicate.isString(parameters.jsonOutput)
      ? Result.getOrUndefined(parse(parameters.jsonOutput))
      : parameters.jsonOutput
    return Predicate.isObject(given)
      ? Effect.succeed({ ...kept(parameters, json), ...given })
      : Effect.fail(new NodeFailure({ message: "The 'JSON Output' does not contain a valid JSON object" }))
  }
  return Effect.succeed(assignments(parameters).reduce(put, kept(parameters, json)))
}

/** The first two versions of the node keep the other fields unless they are told not to; the later ones the reverse. */
const kept = ({ include, includeOtherFields, keepOnlySet, values }: Free, json: Free): Free => {
  if (values !== undefined) return keepOnlySet === true ? {} : json
  return includeOtherFields === true || include === "all" ? json : {}
}

interface Assignment {
  readonly name: string
  readonly value: unknown
}

const assignments = (parameters: Free): ReadonlyArray<Assignment> => {
  const listed = asFree(parameters.assignments).assignments
  if (Array.isArray(listed)) return listed.map(asFree).map(({ name, type, value }) => typed(name, type, value))
  const grouped = Object.entries(asFree(parameters.values)).flatMap(([type, list]) =>
    asList(list)
      .map(asFree)
      .map(({ name, value }) => typed(name, type, value))
  )
  return grouped
}

const typed = (name: unknown, type: unknown, value: unknown): Assignment => ({
  name: String(name),
  value: type === undefined ? value : (own(convert, type)?.(value) ?? value)
})

const convert: Readonly<Record<string, (value: unknown) => unknown>> = {
  string: (value) => textOf(value),
  number: Number,
  boolean: (value) => value === true || value === "true",
  object: parsed,
  array: parsed
}

function parsed(value: unknown): unknown {
  return Predicate.isString(value) ? Result.getOrElse(parse(value), () => value) : value
}

/** A name with dots reaches into objects. */
const put = (target: Free, { name, value }: Assignment): Free => {
  const [first = "", ...rest] = name.split(".")
  if (rest.length === 0) return { ...target, [first]: value }
  return { ...target, [first]: put(asFree(target[first]), { name: rest.join("."), value }) }
}
