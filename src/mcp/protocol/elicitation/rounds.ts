import { Data, Deferred, Effect, Option } from "effect"

import { Elicitation, type Question } from "../../Elicitation.ts"
import type { ToolFailure } from "../../ToolError.ts"
import { invalidParams, type ProtocolError } from "../ProtocolError.ts"
import { capabilitiesKey } from "../ProtocolVersion.ts"
import type { Result } from "../Response.ts"
import { replyOf, requestOf, showsForms } from "./form.ts"
import { fingerprint, make as makeStates } from "./requestState.ts"
import { readResponses } from "./schemas.ts"

/** The call continues when it is repeated with the answer to a question. */
export class InputNeeded extends Data.TaggedError("InputNeeded")<{
  readonly key: string
  readonly request: Readonly<Record<string, unknown>>
  readonly requestState: string
}> {}

/** The params of a call that concern questions. */
interface Params {
  readonly name: string
  readonly arguments?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly inputResponses?: unknown
  readonly requestState?: unknown
}

/**
 * Serves a call in as many rounds as it has questions: while one is unanswered, the result is the question. Answers count only
 * with the state that was sent with their question.
 */
export type Rounds = <A>(
  program: Effect.Effect<A, ToolFailure>,
  params: Params,
  called: <E extends ToolFailure | InputNeeded>(program: Effect.Effect<A, E>) => Effect.Effect<Result, E>
) => Effect.Effect<Result, ToolFailure | ProtocolError>

export const make: Effect.Effect<Rounds> = Effect.gen(function* () {
  const states = yield* makeStates

  /** The answers in a call, by their questions' fingerprints. */
  const answersOf = Effect.fnUntraced(function* ({ inputResponses = {}, requestState }: Params) {
    const responses = readResponses(inputResponses)
    if (Option.isNone(responses)) return yield* invalidParams("inputResponses: must be an object")
    const state = requestState === undefined ? Option.none() : yield* states.open(requestState)
    if (Option.isNone(state)) return {}
    const { answered, asked, key } = state.value
    if (!Object.hasOwn(responses.value, key)) return answered
    const result = responses.value[key]
    if (Option.isNone(replyOf(result)))
      return yield* invalidParams(`inputResponses.${key}: is no result of its request`)
    return { ...answered, [asked]: result }
  })

  return Effect.fnUntraced(function* (program, params, called) {
    if (!showsForms(params._meta?.[capabilitiesKey])) return yield* called(program)
    const answered = yield* answersOf(params)
    const needed = yield* Deferred.make<never, InputNeeded>()

    const ask = Effect.fnUntraced(function* (question: Question) {
      const asked = yield* fingerprint([params.name, params.arguments ?? null, question])
      const reply = replyOf(answered[asked])
      if (Option.isSome(reply)) return reply.value
      const { key } = question
      const requestState = yield* states.seal({ key, asked, answered })
      yield* Deferred.fail(needed, new InputNeeded({ key, request: requestOf(question), requestState }))
      return yield* Effect.interruptible(Effect.never)
    })

    const asking = Effect.provideService(program, Elicitation, { ask })
    return yield* called(Effect.raceFirst(asking, Deferred.await(needed))).pipe(
      Effect.catchTag("InputNeeded", ({ key, request, requestState }) =>
        Effect.succeed<Result>({ resultType: "input_required", inputRequests: { [key]: request }, requestState })
      )
    )
  })
})
