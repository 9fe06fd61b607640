import { Effect, Match, Predicate } from "effect"

import { inSlices } from "../internal/effects.ts"
import { clipped } from "../internal/foreignText.ts"
import { isJsonObject, type JsonObject } from "../internal/schema/JsonObject.ts"
import { maskSecretsSliced, maskText } from "../internal/secrets/maskSecrets.ts"
import type { Sliced } from "../internal/Sliced.ts"
import { answerOf, type Answer, type Tool } from "./Tool.ts"
import { InvalidArgument, ToolError, type ToolFailure } from "./ToolError.ts"

/**
 * A tool whose answers and failures show no secret, whatever it has read. Where a caller did not ask for more, long texts of a
 * large answer are cut, by as much as each says.
 */
export const masking = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) =>
    Effect.catch(tool.call(input), maskedFailure).pipe(
      Effect.flatMap((answer) => maskedAnswer(answer, tool.isWhole?.(input) === true))
    )
})

const maskedAnswer = (answer: Answer, isWhole: boolean): Effect.Effect<Answer> =>
  answer.structured === undefined
    ? Effect.succeed(answer)
    : Effect.map(maskedFields(answer.structured), (fields) => (isWhole ? fields : shortened(fields))).pipe(
        Effect.flatMap((fields) => answerOf(fields))
      )

const maskedFields = (value: JsonObject): Effect.Effect<JsonObject> =>
  Effect.map(
    Effect.forEach(Object.entries(value), ([name, item]) =>
      Effect.map(
        inSlices(() => (byNames.has(name) ? byForm(item) : maskSecretsSliced(item, name))),
        (maskedItem) => [name, maskedItem] as const
      )
    ),
    (fields) => Object.fromEntries(fields)
  )

/** Fields in which names of nodes stand where names of fields stand elsewhere: those do not say that a value is a secret. */
const byNames: ReadonlySet<string> = new Set(["expect"])

function* byForm(value: unknown): Sliced<unknown> {
  if (!isJsonObject(value)) return yield* maskSecretsSliced(value)
  const fields: Array<readonly [string, unknown]> = []
  for (const [name, item] of Object.entries(value)) fields.push([maskText(name), yield* maskSecretsSliced(item)])
  return Object.fromEntries(fields)
}

/** Characters of an answer whose texts stay as they are, and most of one text in a larger one: the less, the more there are. */
const room = 8000
const longestTexts = [1000, 200]

/** Fields whose texts fit already, or are for keeping: drawings and tests. */
const wholeFields: ReadonlySet<string> = new Set(["sketch", "text"])

const shortened = (fields: JsonObject): JsonObject => {
  let shorter = fields
  for (const most of longestTexts) {
    if (JSON.stringify(shorter).length <= room) return shorter
    shorter = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        wholeFields.has(name) ? value : withoutLongTexts(value, most)
      ])
    )
  }
  return shorter
}

const withoutLongTexts = (value: unknown, most: number): unknown => {
  if (Predicate.isString(value)) return clipped(value, most)
  if (Array.isArray(value)) return value.map((item: unknown) => withoutLongTexts(item, most))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [clipped(name, most), withoutLongTexts(item, most)])
  )
}

const adviceOf = (advice: string | undefined) => (advice === undefined ? {} : { advice })

const maskedFailure: (failure: ToolFailure) => Effect.Effect<never, ToolFailure> = Match.type<ToolFailure>().pipe(
  Match.withReturnType<Effect.Effect<never, ToolFailure>>(),
  Match.tagsExhaustive({
    ToolError: ({ advice, blame, code, details, message }) =>
      Effect.flatMap(
        maskedFields(details),
        (maskedDetails) =>
          new ToolError({ blame, code, message: maskText(message), ...adviceOf(advice), details: maskedDetails })
      ),
    InvalidArgument: ({ advice, argument, problem }) =>
      new InvalidArgument({ argument, problem: maskText(problem), ...adviceOf(advice) }),
    AnswerTooLarge: Effect.fail,
    AnswerUnwritable: Effect.fail
  })
)
