import { Context, Effect, type JsonSchema, Result, Schema } from "effect"

import { memoized } from "../internal/memoize.ts"
import { spanned } from "../internal/spanned.ts"
import { withReference } from "../internal/withReference.ts"
import * as Arguments from "./Arguments.ts"
import type { Content } from "./Content.ts"
import { AnswerTooLarge, AnswerUnwritable, type ToolFailure } from "./ToolError.ts"

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
  /** The data as JSON, where it has been written already. */
  readonly json?: string
}

/** One tool as the protocol sees it. `call` takes the arguments as they came. */
export interface Tool<R = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** JSON Schema 2020-12 of the arguments; made at the first look. */
  readonly inputSchema: () => JsonSchema.JsonSchema
  /** The same as JSON, where it has been written already. */
  readonly inputJson?: (() => string) | undefined
  readonly outputSchema: (() => JsonSchema.JsonSchema) | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** False for one that lists leave out; it can be called nevertheless, to be told why. */
  readonly isListed?: boolean | undefined
  /**
   * What a call with these arguments works on, in words for people: calls of the same group share one limit, and those of
   * other groups do not wait for them. All tools without it are in one group.
   */
  readonly concurrencyGroup?: ((input: unknown) => string) | undefined
  readonly call: (input: unknown) => Effect.Effect<Answer, ToolFailure, R>
}

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}

/** Largest answer text in bytes. */
export const AnswerLimit = Context.Reference<number>("workflow-tool-server/tools/AnswerLimit", {
  defaultValue: () => 4 * 1024 * 1024
})

/** What a tool is made of: its words, its arguments and its program. The result is one JSON object. */
export interface Definition<Fields extends Arguments.Fields, R, E = ToolFailure> {
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly arguments: Fields
  readonly aliases?: Arguments.Options["aliases"]
  readonly run: (args: Arguments.Decoded<Fields>) => Effect.Effect<Readonly<Record<string, unknown>>, E, R>
  /** Shape of the result, open to unknown fields. */
  readonly result?: Schema.Constraint
  /** What to do when the answer is too large. */
  readonly narrow?: string
  /** What to answer instead of a result of so many bytes that it is too large, where saying nothing else would do harm. */
  readonly shorten?: (value: Readonly<Record<string, unknown>>, bytes: number) => Readonly<Record<string, unknown>>
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
    call: Effect.fnUntraced(function* (input) {
      const args = yield* parameters.decode(input)
      return yield* run(definition, args)
    }, spanned(name))
  }
}

/** Everything about a tool that a list of tools shows, but for its arguments. */
export const describe = <Fields extends Arguments.Fields, R, E>(
  name: string,
  { annotations, description, meta, result, title }: Definition<Fields, R, E>
) => ({
  name,
  title,
  description,
  annotations,
  outputSchema: result === undefined ? undefined : () => Schema.toJsonSchemaDocument(result).schema,
  meta
})

/** The program's result as compact JSON text and as data, unless it is over the limit. */
export const run = <Fields extends Arguments.Fields, R, E>(
  definition: Definition<Fields, R, E>,
  args: Arguments.Decoded<Fields>
) =>
  withReference(AnswerLimit, (limit) => {
    const advice = adviceOf(definition)
    return Effect.flatMap(definition.run(args), (value) =>
      Effect.flatMap(rendered(value, limit, advice), (whole) =>
        whole.bytes <= limit ? Effect.succeed(whole.answer) : shortened(definition, whole, limit)
      )
    )
  })

/** What is answered in place of what is too large. */
const shortened = Effect.fnUntraced(function* <Fields extends Arguments.Fields, R, E>(
  definition: Definition<Fields, R, E>,
  { answer: { structured }, bytes }: Rendered,
  limit: number
) {
  const advice = adviceOf(definition)
  if (definition.shorten !== undefined) {
    const short = yield* rendered(definition.shorten(structured, bytes), limit, advice)
    if (short.bytes <= limit) return short.answer
  }
  return yield* new AnswerTooLarge({ bytes, limit, advice })
})

const adviceOf = <Fields extends Arguments.Fields, R, E>({ annotations, narrow }: Definition<Fields, R, E>) =>
  (annotations.readOnlyHint ? "" : "What was asked for has been done: do not repeat it. ") +
  (narrow ?? "Ask for less at once.")

/** The failure of a tool whose answer would be so large, or larger, that it was not made. */
export const tooLarge = <Fields extends Arguments.Fields, R, E>(definition: Definition<Fields, R, E>, bytes: number) =>
  Effect.map(AnswerLimit, (limit) => new AnswerTooLarge({ bytes, limit, advice: adviceOf(definition), orMore: true }))

interface Rendered {
  readonly answer: Answer & { readonly structured: Readonly<Record<string, unknown>>; readonly json: string }
  readonly bytes: number
}

/** The answer, and how large it is; where that is far below the limit, its characters are enough. */
const rendered = (
  value: Readonly<Record<string, unknown>>,
  limit: number,
  advice: string
): Effect.Effect<Rendered, AnswerUnwritable> =>
  Result.match(
    Result.try(() => answerOf(value)),
    {
      onFailure: () => Effect.fail(new AnswerUnwritable({ advice })),
      onSuccess: (answer) => {
        const { json } = answer
        return Effect.succeed({ answer, bytes: json.length * 3 <= limit ? json.length : bytesOf(json) })
      }
    }
  )

const answerOf = memoized((structured: Readonly<Record<string, unknown>>): Rendered["answer"] => {
  const json = JSON.stringify(structured)
  return { content: [{ type: "text", text: json }], structured, json }
})

/** The length of a text in UTF-8, which of a large one is counted rather than made. */
const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // The halves of a surrogate pair are two bytes each.
    if (unit > 0x7f) bytes += unit <= 0x7ff || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
