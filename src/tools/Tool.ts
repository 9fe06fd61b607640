import { Context, Effect, type JsonSchema, Result, Schema } from "effect"

import * as Arguments from "./Arguments.ts"
import type { Content } from "./Content.ts"
import { AnswerTooLarge, AnswerUnwritable, type ToolError } from "./ToolError.ts"

/** What a client may assume of a tool; all four hints are always said. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A finished answer: blocks for a client that shows text, and the same as data. */
export interface Answer {
  readonly content: ReadonlyArray<Content>
  readonly structured?: Readonly<Record<string, unknown>>
}

/** One tool as the protocol sees it. `call` takes the arguments as they came. */
export interface Tool<R = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** JSON Schema 2020-12 of the arguments; made at the first look. */
  readonly inputSchema: () => JsonSchema.JsonSchema
  readonly outputSchema: (() => JsonSchema.JsonSchema) | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /**
   * What a call with these arguments works on, for people: calls of the same name share places, and those of other names
   * do not wait for them. Without it, the tool shares places with all others that do not say.
   */
  readonly lane?: ((input: unknown) => string) | undefined
  readonly call: (input: unknown) => Effect.Effect<Answer, ToolError, R>
}

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}

/** Largest answer text in bytes. */
export const AnswerLimit = Context.Reference<number>("workflow-tool-server/tools/AnswerLimit", {
  defaultValue: () => 4 * 1024 * 1024
})

/** What a tool is made of: its words, its arguments and its program. The result is one JSON object. */
export interface Definition<Fields extends Arguments.Fields, R> {
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly arguments: Fields
  readonly aliases?: Arguments.Options["aliases"]
  readonly run: (args: Arguments.Decoded<Fields>) => Effect.Effect<Readonly<Record<string, unknown>>, ToolError, R>
  /** Shape of the result, open to unknown fields. */
  readonly result?: Schema.Constraint
  /** What to do when the answer is too large. */
  readonly narrow?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A tool from its definition. */
export const make = <const Fields extends Arguments.Fields, R>(
  name: string,
  definition: Definition<Fields, R>
): Tool<R> => {
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases })
  return {
    ...describe(name, definition),
    inputSchema: parameters.jsonSchema,
    call: Effect.fn(name)(function* (input) {
      const args = yield* parameters.decode(input)
      return yield* run(definition, args)
    })
  }
}

/** Everything about a tool that a list of tools shows, but for its arguments. */
export const describe = <Fields extends Arguments.Fields, R>(
  name: string,
  { annotations, description, meta, result, title }: Definition<Fields, R>
) => ({
  name,
  title,
  description,
  annotations,
  outputSchema: result === undefined ? undefined : () => Schema.toJsonSchemaDocument(result).schema,
  meta
})

/** The program's result as compact JSON text and as data, unless it is over the limit. */
export const run = Effect.fnUntraced(function* <Fields extends Arguments.Fields, R>(
  definition: Definition<Fields, R>,
  args: Arguments.Decoded<Fields>
) {
  const value = yield* definition.run(args)
  const done = definition.annotations.readOnlyHint ? "" : "What was asked for has been done: do not repeat it. "
  const advice = done + (definition.narrow ?? "Ask for less at once.")
  const written = Result.try(() => JSON.stringify(value))
  if (Result.isFailure(written)) return yield* new AnswerUnwritable({ advice })
  const text = written.success
  const limit = yield* AnswerLimit
  const bytes = text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).length
  if (bytes > limit) return yield* new AnswerTooLarge({ bytes, limit, advice })
  return { content: [{ type: "text", text }], structured: value } satisfies Answer
})
