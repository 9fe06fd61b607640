import { Option, Predicate, Result, Schema } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { Connections, InvalidWorkflow, Link, type Target } from "./models.ts"

/** Outputs are positions of a list, so that a slip like 1e9 must not become a list of that length. */
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

/** One end of a link, as callers write it: `1`, `"1"`, `"ai_tool"`, or `{ type, index }` with either left out. */
const End = Schema.Union([
  Index,
  Schema.NonEmptyString,
  Schema.Struct({ type: Schema.optionalKey(Schema.NonEmptyString), index: Schema.optionalKey(Index) })
])

export const isConnections = Schema.is(Connections)
const isLinks = Schema.is(Schema.Array(Link))
const isEnd = Schema.is(End)
const isIndex = Schema.is(Index)

const objectForm = '{"<source node>":{"main":[[{"node":"<target node>","type":"main","index":0}]]}}'
const listForm = "[{source, target, sourceOutput, targetInput}]"
const endForm = "an output or input from 0 to 255, a type such as ai_tool, or {type, index}"

const malformed = (problem: string, form = `${objectForm} or ${listForm}`) =>
  Result.fail(
    new InvalidWorkflow({
      message: "Invalid workflow definition: connections malformed",
      details: { problem, expected: form }
    })
  )

/** The beginning of a value, as JSON. */
const quoted = (value: unknown) => (JSON.stringify(value) ?? "").slice(0, 60)

const readConnections = Schema.decodeUnknownResult(Connections)
const readLinks = Schema.decodeUnknownResult(Schema.Array(Link))

/** The first entry that does not fit the form that was meant. */
const malformedIn = (input: unknown) => {
  if (!Predicate.isObject(input) && !Array.isArray(input)) return malformed("they are neither an object nor a list")
  const [broken, form] = Array.isArray(input)
    ? [Result.getFailure(readLinks(input)), listForm]
    : [Result.getFailure(readConnections(input)), objectForm]
  return malformed(
    Option.match(broken, { onNone: () => "they cannot be read", onSome: (error) => `entry ${firstIssueOf(error)}` }),
    form
  )
}

/**
 * Connections in the engine's object form, from that form (passed on as it is), from a list of links, or from nothing.
 */
export const toConnections = (input: unknown): Result.Result<Connections, InvalidWorkflow> => {
  if (input === undefined) return Result.succeed({})
  if (isConnections(input)) return Result.succeed(input)
  return isLinks(input) ? fromLinks(input) : malformedIn(input)
}

/**
 * The object form of a list of links. An end that is left out is index 0; an end without a type has the type of the
 * other end, or "main". Unknown fields of a link go with its target, outputs in between without links are empty.
 */
const fromLinks = (links: ReadonlyArray<Link>): Result.Result<Connections, InvalidWorkflow> => {
  const sources = new Map<string, Map<string, Array<Array<Target>>>>()
  for (const [place, { source, target, sourceOutput, targetInput, ...rest }] of links.entries()) {
    const from = readEnd(sourceOutput)
    const to = readEnd(targetInput)
    if (from === undefined) return malformed(`entry ${place}.sourceOutput is ${quoted(sourceOutput)}`, endForm)
    if (to === undefined) return malformed(`entry ${place}.targetInput is ${quoted(targetInput)}`, endForm)

    const types = sources.get(source) ?? new Map<string, Array<Array<Target>>>()
    const type = from.type ?? to.type ?? "main"
    const outputs = types.get(type) ?? []
    while (outputs.length <= from.index) outputs.push([])
    outputs[from.index]?.push({ ...rest, node: target, type: to.type ?? type, index: to.index })
    sources.set(source, types.set(type, outputs))
  }
  return Result.succeed(Object.fromEntries([...sources].map(([name, types]) => [name, Object.fromEntries(types)])))
}

/** The connections as a list of links, output by output; `fromLinks` takes them back. */
export const toLinks = (connections: Connections): ReadonlyArray<Link> =>
  Object.entries(connections).flatMap(([source, types]) =>
    Object.entries(types).flatMap(([type, outputs]) =>
      outputs.flatMap((targets, index) =>
        (targets ?? []).map(({ node, type: targetType, index: targetIndex, ...rest }) => ({
          ...rest,
          source,
          target: node,
          sourceOutput: writeEnd(type, index, type === targetType),
          targetInput: writeEnd(targetType, targetIndex, type === targetType)
        }))
      )
    )
  )

interface ReadEnd {
  readonly type?: string
  readonly index: number
}

const readEnd = (value: unknown): ReadEnd | undefined => {
  if (value === undefined || value === null) return { index: 0 }
  if (!isEnd(value)) return undefined
  if (typeof value === "number") return { index: value }
  if (typeof value === "object") return { index: 0, ...value }
  if (!/^-?\d+(\.\d+)?$/.test(value.trim())) return { type: value, index: 0 }
  return isIndex(Number(value)) ? { index: Number(value) } : undefined
}

/** The shortest spelling that still reads as the same end; only ends of equal type can leave it to each other. */
const writeEnd = (type: string, index: number, isShared: boolean) => {
  if (isShared && type === "main") return index
  return index === 0 && Number.isNaN(Number(type)) ? type : { type, index }
}
