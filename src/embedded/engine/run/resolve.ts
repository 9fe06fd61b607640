import { Effect, Predicate, Result, Schema } from "effect"

import { textOf } from "../store/values.ts"
import { evaluate, type Scope } from "./evaluate.ts"
import { parse } from "./Expression.ts"

/** A node cannot do its work; the message is what the execution shows. */
export class NodeFailure extends Schema.TaggedError<NodeFailure>()("NodeFailure", { message: Schema.String }) {}

const run = (source: string, scope: Scope): Effect.Effect<unknown, NodeFailure> =>
  parse(source).pipe(
    Result.flatMap((expression) => evaluate(expression, scope)),
    Result.mapError(
      (problem) => new NodeFailure({ message: `The embedded engine cannot run "${source.trim()}": ${problem}` })
    ),
    Effect.fromResult
  )

/** A parameter with its expressions worked out: texts that begin with `=` are templates, and so in everything inside. */
export const resolve = (value: unknown, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  if (Predicate.isString(value)) return value.startsWith("=") ? template(value.slice(1), scope) : Effect.succeed(value)
  if (Array.isArray(value)) return Effect.forEach(value, (item) => resolve(item, scope))
  if (!Predicate.isObject(value)) return Effect.succeed(value)
  return Effect.map(
    Effect.forEach(Object.entries(value), ([key, item]) =>
      Effect.map(resolve(item, scope), (done) => [key, done] as const)
    ),
    Object.fromEntries<unknown>
  )
}

/** A value among text. */
const printed = (value: unknown): string => (Predicate.isObject(value) ? "[object Object]" : textOf(value))

/** One expression alone keeps its type; among text it becomes text. */
const template = (source: string, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  const parts = source.split(/\{\{(.*?)\}\}/s)
  const [before, alone = "", after] = parts
  if (parts.length === 3 && before === "" && after?.trim() === "") return run(alone, scope)
  const texts = Effect.forEach(parts, (part, index) =>
    index % 2 === 0 ? Effect.succeed(part) : Effect.map(run(part, scope), printed)
  )
  return Effect.map(texts, (all) => all.join(""))
}

/** A program of a code node, if all that it does is to return an expression. */
export const runCode = (code: string, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  const body = /^\s*return\s+(.*?);?\s*$/s.exec(code)?.[1]
  return body === undefined
    ? Effect.fail(new NodeFailure({ message: "The embedded engine runs no code but `return <expression>`" }))
    : run(body, scope)
}
