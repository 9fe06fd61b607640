import { Effect, Match } from "effect"

import { isJsonObject } from "../internal/schema/JsonObject.ts"
import { maskSecrets, maskText } from "../internal/secrets/maskSecrets.ts"
import { answerOf, type Answer, type Tool } from "./Tool.ts"
import { InvalidArgument, ToolError, type ToolFailure } from "./ToolError.ts"

/** A tool whose answers and failures show no secret, whatever it has read. */
export const masking = <R>(tool: Tool<R>): Tool<R> => ({
  ...tool,
  call: (input) => Effect.mapBoth(tool.call(input), { onSuccess: maskedAnswer, onFailure: maskedFailure })
})

const maskedAnswer = (answer: Answer): Answer =>
  answer.structured === undefined ? answer : answerOf(maskedFields(answer.structured))

const maskedFields = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, byNames.has(name) ? byForm(item) : maskSecrets(item, name)])
  )

/** Fields in which names of nodes stand where names of fields stand elsewhere: those do not say that a value is a secret. */
const byNames: ReadonlySet<string> = new Set(["expect"])

const byForm = (value: unknown): unknown =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [maskText(name), maskSecrets(item)]))
    : maskSecrets(value)

const maskedFailure: (failure: ToolFailure) => ToolFailure = Match.type<ToolFailure>().pipe(
  Match.withReturnType<ToolFailure>(),
  Match.tagsExhaustive({
    ToolError: ({ blame, code, details, message }) =>
      new ToolError({ blame, code, message: maskText(message), details: maskedFields(details) }),
    InvalidArgument: ({ argument, problem }) => new InvalidArgument({ argument, problem: maskText(problem) }),
    AnswerTooLarge: (failure) => failure,
    AnswerUnwritable: (failure) => failure
  })
)
