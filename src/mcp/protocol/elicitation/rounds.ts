import { Data, Deferred, Effect, Option } from "effect"

import { fingerprint } from "../../../internal/sha256.ts"
import { CallerId } from "../../CallerId.ts"
import { Copies, Elicitation, type Question, type Reply, type Use } from "../../Elicitation.ts"
import type { ToolFailure } from "../../ToolError.ts"
import { invalidParams, type ProtocolError } from "../ProtocolError.ts"
import { capabilitiesKey } from "../ProtocolVersion.ts"
import type { Result } from "../Response.ts"
import { replyOf, requestOf, showsForms, unanswered } from "./form.ts"
import { make as makeStates } from "./requestState.ts"
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
 * with the state that was sent with their question, for the same caller, call and content, and once.
 */
export type Rounds = <A>(
  program: Effect.Effect<A, ToolFailure>,
  params: Params,
  called: <E extends ToolFailure | InputNeeded>(program: Effect.Effect<A, E>) => Effect.Effect<Result, E>
) => Effect.Effect<Result, ToolFailure | ProtocolError>

/** The answers that came with a call, and their use: it is the same for all of them. */
interface Answers {
  readonly answered: Readonly<Record<string, unknown>>
  readonly use: Effect.Effect<Use>
}

const none: Answers = { answered: {}, use: Effect.succeed("again") }

const unrecorded: Reply = unanswered("whether the answer was used before cannot be told just now")

export const make: Effect.Effect<Rounds> = Effect.gen(function* () {
  const states = yield* makeStates
  const copies = yield* Copies

  /** The answers in a call, by their questions' fingerprints. */
  const answersOf = Effect.fnUntraced(function* ({ inputResponses = {}, requestState }: Params) {
    const responses = readResponses(inputResponses)
    if (Option.isNone(responses)) return yield* invalidParams("inputResponses: must be an object")
    const state = requestState === undefined ? Option.none() : yield* states.open(requestState)
    if (Option.isNone(state) || state.value.caller !== (yield* yield* CallerId)) return none
    const { answered, asked, id, key, until } = state.value
    const use = yield* Effect.cached(copies.use(id, until))
    if (!Object.hasOwn(responses.value, key)) return { answered, use }
    const result = responses.value[key]
    if (Option.isNone(replyOf(result)))
      return yield* invalidParams(`inputResponses.${key}: is no result of its request`)
    return { answered: { ...answered, [asked]: result }, use }
  })

  return Effect.fnUntraced(function* (program, params, called) {
    if (!showsForms(params._meta?.[capabilitiesKey])) return yield* called(program)
    const { answered, use } = yield* answersOf(params)
    const needed = yield* Deferred.make<never, InputNeeded>()

    const ask = Effect.fnUntraced(function* (question: Question) {
      const asked = yield* fingerprint([params.name, params.arguments ?? null, question])
      const used = Object.keys(answered).length === 0 ? "again" : yield* use
      const reply = replyOf(answered[asked])
      if (Option.isSome(reply) && used === "unknown") return unrecorded
      if (Option.isSome(reply) && used === "first") return reply.value
      const { key } = question
      const requestState = yield* states.seal({
        caller: yield* yield* CallerId,
        key,
        asked,
        answered: used === "first" ? answered : {}
      })
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
