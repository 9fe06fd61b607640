import { Context, Effect, type JsonSchema, Predicate, Result, Schema, SchemaAST } from "effect"

import { memoized } from "../internal/caching.ts"
import { inSlices, spanned } from "../internal/effects.ts"
import { visibleJson, visibleJsonSliced } from "../internal/foreignText.ts"
import * as Arguments from "./Arguments.ts"
import type { Content } from "./Resources.ts"
import { AnswerTooLarge, AnswerUnwritable, type ToolFailure } from "./ToolError.ts"

/** The hints about a tool for clients; all four are always given. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** An answer: blocks for a client that shows text, and the same as data. */
export interface Answer {
  readonly content: ReadonlyArray<Content>
  readonly structured?: Readonly<Record<string, unknown>>
  /** The data as JSON, if it is available. */
  readonly json?: string
}

/** The calls of which a tool always makes one, and what tells whether all that it works on is known to refuse them all. */
export interface Refusal {
  readonly calls: ReadonlyArray<string>
  /** Nothing is waited for. */
  readonly refusing: Effect.Effect<(calls: ReadonlyArray<string>) => boolean>
}

/** One tool as the protocol sees it. `call` takes unvalidated arguments. */
export interface Tool<R = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** JSON Schema 2020-12 of the arguments; made at the first access. */
  readonly inputSchema: () => JsonSchema.JsonSchema
  /** The same as JSON, if it is available. */
  readonly inputJson?: (() => string) | undefined
  readonly outputSchema: (() => JsonSchema.JsonSchema) | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** Whether lists say of it only what clients do not assume. */
  readonly isBrief?: true
  /** Whether a call with these arguments asks for more than a short answer. */
  readonly isWhole?: ((input: unknown) => boolean) | undefined
  /** The name of the toolset that it belongs to. */
  readonly toolset?: string | undefined
  /** The refusal of its calls: where all that it works on is known to refuse them, it is not listed, either. */
  readonly refusal?: Refusal | undefined
  /**
   * The HTTP headers in which modern clients repeat arguments, by argument, so that what stands between can route by them. Brief
   * lists name none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether calls without these headers are taken: programs that have not read the list cannot know them. */
  readonly areHeadersOptional?: boolean | undefined
  /** False for a tool that is not listed; it can still be called, which explains why. */
  readonly isListed?: boolean | undefined
  /**
   * The concurrency group of a call with these arguments, in words for people: calls of one group share a limit, and do not
   * wait for other groups. Tools without it form one group.
   */
  readonly concurrencyGroup?: ((input: unknown) => string) | undefined
  readonly call: (input: unknown) => Effect.Effect<Answer, ToolFailure, R>
}

/** Largest answer text in bytes. */
export const AnswerLimit = Context.Reference<number>("workflow-tool-server/tools/AnswerLimit", {
  defaultValue: () => 4 * 1024 * 1024
})

/** A result: one object of any type or interface, not a list. */
export type ResultObject = object & { readonly [Symbol.iterator]?: never }

/** The definition of a tool: its words, its arguments and its program. */
export interface Definition<
  Fields extends Arguments.Fields,
  R,
  E = ToolFailure,
  A extends ResultObject = ResultObject
> {
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly arguments: Fields
  readonly aliases?: Arguments.Options["aliases"]
  readonly run: (args: Arguments.Decoded<Fields>) => Effect.Effect<NoInfer<A>, E, R>
  /** Shape of the result, which may have further fields; one that says how values are encoded answers what they become. */
  readonly result?: Schema.Codec<A, unknown>
  /** The advice if the answer is too large. */
  readonly narrow?: string
  /** The answer instead of a result that is too large, with its size in bytes, if an error alone would do harm. */
  readonly shorten?: (value: NoInfer<A>, bytes: number) => NoInfer<A>
  readonly meta?: Readonly<Record<string, unknown>>
  /** Whether a call with these arguments asks for more than a short answer; by default none does. */
  readonly isWhole?: Tool["isWhole"]
}

/** A tool from its definition. */
export const make = <const Fields extends Arguments.Fields, R, A extends ResultObject>(
  name: string,
  definition: Definition<Fields, R, ToolFailure, A>
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

/** Everything that a list of tools shows of a tool, except its arguments. */
export const describe = (
  name: string,
  { annotations, description, isWhole, meta, result, title }: Omit<Definition<{}, never>, "run" | "shorten">
) => ({
  name,
  title,
  description,
  annotations,
  outputSchema: result === undefined ? undefined : () => Schema.toJsonSchemaDocument(result).schema,
  meta,
  isWhole
})

/** The same tool, of whose answers lists name no fields: clients pay for the list in every conversation. */
export const lean = <R>(tool: Tool<R>): Tool<R> => {
  const { outputSchema } = tool
  return outputSchema === undefined ? tool : { ...tool, outputSchema: () => ({ ...outputSchema(), required: [] }) }
}

/** The program's result as compact JSON text and as data, unless it is over the limit. */
export const run = <Fields extends Arguments.Fields, R, E, A extends ResultObject>(
  definition: Definition<Fields, R, E, A>,
  args: Arguments.Decoded<Fields>
) =>
  Effect.flatMap(AnswerLimit, (limit) => {
    const render = (value: A) => Effect.flatMap(encoded(definition, value), (data) => sizedAnswer(data, limit, advice))
    const advice = adviceOf(definition)
    return Effect.flatMap(definition.run(args), (value) =>
      Effect.flatMap(render(value), ({ answer, bytes }) => {
        if (answer !== undefined) return Effect.succeed(answer)
        const tooLarge = Effect.fail(new AnswerTooLarge({ bytes, limit, advice }))
        if (definition.shorten === undefined) return tooLarge
        return Effect.flatMap(render(definition.shorten(value, bytes)), (short) =>
          short.answer === undefined ? tooLarge : Effect.succeed(short.answer)
        )
      })
    )
  })

/** The result as JSON has it. Most shapes say nothing about that: then the value is answered as it is. */
const encoded = <A extends ResultObject>({ result }: Pick<Definition<{}, never, never, A>, "result">, value: A) => {
  const isPlain = result === undefined || SchemaAST.flip(result.ast) === result.ast
  const data = isPlain ? Effect.succeed(value) : Effect.orDie(Schema.encodeEffect(result)(value))
  return Effect.filterOrElse(data, Predicate.isObject, () => Effect.die(new Error("The result is not an object")))
}

type Advised = Pick<Definition<{}, never>, "annotations" | "narrow">

const adviceOf = ({ annotations, narrow }: Advised) =>
  (annotations.readOnlyHint ? "" : "What was asked for has been done: do not repeat it. ") +
  (narrow ?? "Ask for less at once.")

/** The failure of a tool whose answer would have at least this size, and was not made. */
export const tooLarge = (definition: Advised, bytes: number) =>
  Effect.map(AnswerLimit, (limit) => new AnswerTooLarge({ bytes, limit, advice: adviceOf(definition), orMore: true }))

interface SizedAnswer {
  readonly answer: Answer | undefined
  readonly bytes: number
}

/** The answer and its size; far below the limit, counting characters is enough. Over it, there is no answer. */
const sizedAnswer = (
  value: Readonly<Record<string, unknown>>,
  limit: number,
  advice: string
): Effect.Effect<SizedAnswer, AnswerUnwritable> =>
  Result.match(
    Result.try(() => jsonOf(value)),
    {
      onFailure: () => Effect.fail(new AnswerUnwritable({ advice })),
      onSuccess: (json) => {
        const bytes = json.length * 3 <= limit ? json.length : bytesOf(json)
        return bytes > limit
          ? Effect.succeed({ answer: undefined, bytes })
          : Effect.map(answerOf(value, json), (answer) => ({ answer, bytes }))
      }
    }
  )

const jsonOf = memoized((structured: Readonly<Record<string, unknown>>): string => JSON.stringify(structured))

type StructuredAnswer = Answer & { readonly structured: Readonly<Record<string, unknown>>; readonly json: string }

const structuredAnswer = (
  structured: Readonly<Record<string, unknown>>,
  json: string,
  text: string
): StructuredAnswer => ({
  content: [{ type: "text", text }],
  structured,
  json
})

const madeAtOnce = memoized((structured: Readonly<Record<string, unknown>>, json: string): StructuredAnswer =>
  structuredAnswer(structured, json, visibleJson(json))
)

/** Characters of an answer that is made in one go. */
const small = 128 * 1024

/** An answer of this data. */
export const answerOf = (
  structured: Readonly<Record<string, unknown>>,
  json = jsonOf(structured)
): Effect.Effect<StructuredAnswer> =>
  json.length <= small
    ? Effect.succeed(madeAtOnce(structured, json))
    : Effect.map(
        inSlices(() => visibleJsonSliced(json)),
        (text) => structuredAnswer(structured, json, text)
      )

/** The length of a string in UTF-8; large ones are counted without being encoded. */
const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // Each half of a surrogate pair counts as two bytes.
    if (unit > 0x7f) bytes += unit <= 0x7ff || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
