import { Cause, Clock, Data, Deferred, Effect, Exit, Option, Predicate, Result, Schema } from "effect"
import { decode, decodeString, encode } from "effect/encoding/Base64Url"

import { fingerprint } from "../../../internal/sha256.ts"
import { CallerId } from "../../callContext.ts"
import { Copies, Elicitation, type Question, type Reply, type SecretForm, type Use } from "../../Elicitation.ts"
import type { ToolFailure } from "../../ToolError.ts"
import { invalidParams, type ProtocolError } from "../errors.ts"
import type { MethodResult } from "../Message.ts"
import { capabilitiesKey } from "../ProtocolVersion.ts"
import { longestWait, opensAddresses, replyOf, requestOf, requestToOpen, showsForms, unanswered } from "./Questions.ts"
import { noPage, type PageAddress, type SecretForms, valuesInRound } from "./SecretForms.ts"

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
  page: PageAddress,
  called: <E extends ToolFailure | InputNeeded>(program: Effect.Effect<A, E>) => Effect.Effect<MethodResult, E>
) => Effect.Effect<MethodResult, ToolFailure | ProtocolError>

/** The answers that came with a call, and their use: it is the same for all of them. */
interface Answers {
  readonly answered: Readonly<Record<string, unknown>>
  readonly use: Effect.Effect<Use>
}

const none: Answers = { answered: {}, use: Effect.succeed("again") }

const unrecorded: Reply = unanswered("whether the answer was used before cannot be told just now")

export const make = Effect.fnUntraced(function* (forms: SecretForms) {
  const states = yield* makeStates
  const copies = yield* Copies

  /** The answers in a call, by their questions' fingerprints. */
  const answersOf = Effect.fnUntraced(function* ({ inputResponses = {}, requestState }: Params) {
    const responses = readResponses(inputResponses)
    if (Option.isNone(responses)) return yield* invalidParams("inputResponses: must be an object")
    const state = requestState === undefined ? Option.none() : yield* states.open(requestState)
    if (Option.isNone(state) || state.value.caller !== (yield* yield* CallerId)) return none
    const { answered, id, key, question, until } = state.value
    const use = yield* Effect.cached(copies.use(id, until))
    if (!Object.hasOwn(responses.value, key)) return { answered, use }
    const result = responses.value[key]
    if (Option.isNone(replyOf(result)))
      return yield* invalidParams(`inputResponses.${key}: is no result of its request`)
    return { answered: { ...answered, [question]: result }, use }
  })

  const inRounds: Rounds = Effect.fnUntraced(function* (program, params, page, called) {
    const capabilities = params._meta?.[capabilitiesKey]
    const [isAsking, isOpening] = [showsForms(capabilities), opensAddresses(capabilities)]
    if (!isAsking && !isOpening) return yield* called(program)
    const { answered, use } = yield* answersOf(params)
    const needed = yield* Deferred.make<never, InputNeeded>()
    const idOf = (question: Question | SecretForm) => fingerprint([params.name, params.arguments ?? null, question])
    const useNow = Effect.suspend(() => (Object.keys(answered).length === 0 ? Effect.succeed<Use>("again") : use))

    /** The reply to a question in an earlier round. */
    const replyTo = (questionId: string) =>
      Effect.map(useNow, (used): Option.Option<Reply> => {
        const reply = used === "again" ? Option.none() : replyOf(answered[questionId])
        return Option.isSome(reply) && used === "unknown" ? Option.some(unrecorded) : reply
      })

    /** Ends this round with a request to the client. */
    const endRound = Effect.fnUntraced(function* (key: string, question: string, request: InputNeeded["request"]) {
      const caller = yield* yield* CallerId
      const requestState = yield* states.seal({
        caller,
        key,
        question,
        answered: (yield* useNow) === "first" ? answered : {}
      })
      yield* Deferred.fail(needed, new InputNeeded({ key, request, requestState }))
      return yield* Effect.interruptible(Effect.never)
    })

    const ask = Effect.fnUntraced(function* (question: Question) {
      const questionId = yield* idOf(question)
      const reply = yield* replyTo(questionId)
      return Option.isSome(reply) ? reply.value : yield* endRound(question.key, questionId, requestOf(question))
    })

    const filled: Array<Effect.Effect<void>> = []
    const enter = Effect.fnUntraced(function* (form: SecretForm) {
      const call = yield* idOf(form)
      const caller = yield* yield* CallerId
      const reply = yield* replyTo(call)
      if (Option.isSome(reply) && reply.value._tag !== "Accepted") {
        yield* forms.close(call, caller)
        return reply.value
      }
      const opened = yield* forms.open(call, caller, form, page)
      const address = yield* opened.address
      if (address === undefined) {
        yield* forms.close(call, caller)
        return unanswered(noPage)
      }
      const values = Option.isSome(reply) ? yield* valuesInRound(opened) : Option.none()
      if (Option.isNone(values)) {
        return yield* endRound(form.key, call, requestToOpen(form, address))
      }
      filled.push(forms.close(call, caller))
      return values.value
    })

    const asking = Effect.provideService(program, Elicitation, {
      ask: isAsking ? ask : undefined,
      enter: isOpening ? enter : undefined
    })
    return yield* called(Effect.raceFirst(asking, Deferred.await(needed))).pipe(
      Effect.onExit((exit) => (isInputNeeded(exit) ? Effect.void : Effect.all(filled, { discard: true }))),
      Effect.catchTag("InputNeeded", ({ key, request, requestState }) =>
        Effect.succeed<MethodResult>({
          resultType: "input_required",
          inputRequests: { [key]: request },
          requestState
        })
      )
    )
  })
  return inRounds
})

/** Whether a call goes on in another round. */
const isInputNeeded = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.find(Cause.isFailReason)?.error._tag === "InputNeeded"

/** State that a client carries from one round of a call to the next. */
const State = Schema.fromJsonString(
  Schema.Struct({
    /** Its own name: its answers count once. */
    id: Schema.String,
    /** The caller that it was made for, who alone is answered for by it. */
    caller: Schema.String,
    /** The key of the question that it goes with. */
    key: Schema.String,
    /** Fingerprint of that question. */
    question: Schema.String,
    /** Results of earlier rounds, by the fingerprints of their questions. */
    answered: Schema.Record(Schema.String, Schema.Unknown),
    /** The moment of its expiry, in milliseconds since 1970. */
    until: Schema.Finite
    // The name in states of other versions, which copies of this server may be.
  }).pipe(Schema.encodeKeys({ question: "asked" }))
)
type State = typeof State.Type
const readState = Schema.decodeUnknownOption(State)
const writeState = Schema.encodeEffect(State)

/** The answers to questions in a call, by key. */
const readResponses = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

const hmac = { name: "HMAC", hash: "SHA-256" }
const bytesOf = (text: string) => new TextEncoder().encode(text)

const foreign = invalidParams(
  "requestState: is not what this server sent, or not what this process of it sent. Nothing was changed. Make the call " +
    "again without it: the person is asked again"
)

/** Seals states with a key that only this server and its copies have, so that nobody can change them. */
const makeStates = Effect.gen(function* () {
  const { secret: material } = yield* Copies
  const key = yield* Effect.cached(
    Effect.flatMap(material, (bytes) =>
      Effect.promise(() => crypto.subtle.importKey("raw", Uint8Array.from(bytes), hmac, false, ["sign", "verify"]))
    )
  )

  const seal = Effect.fnUntraced(function* (state: Omit<State, "id" | "until">) {
    const until = (yield* Clock.currentTimeMillis) + longestWait
    const payload = encode(yield* Effect.orDie(writeState({ ...state, id: crypto.randomUUID(), until })))
    const secret = yield* key
    const seal = yield* Effect.promise(() => crypto.subtle.sign(hmac, secret, bytesOf(payload)))
    return `${payload}.${encode(new Uint8Array(seal))}`
  })

  /** The sealed state; undefined if it has expired, so that the person is asked again. */
  const open = Effect.fnUntraced(function* (sealed: unknown) {
    if (!Predicate.isString(sealed)) return yield* foreign
    const [payload = "", seal = ""] = sealed.split(".")
    const decodedSeal = decode(seal)
    if (Result.isFailure(decodedSeal) || sealed !== `${payload}.${seal}`) return yield* foreign
    const secret = yield* key
    const mac = Uint8Array.from(decodedSeal.success)
    const isOurs = yield* Effect.promise(() => crypto.subtle.verify(hmac, secret, mac, bytesOf(payload)))
    const now = yield* Clock.currentTimeMillis
    const state: Option.Option<State> = isOurs
      ? Option.flatMap(Result.getSuccess(decodeString(payload)), readState)
      : Option.none()
    if (Option.isNone(state)) return yield* foreign
    return Option.filter(state, ({ until }): boolean => now <= until)
  })

  return { seal, open }
})
