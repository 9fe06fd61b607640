import { Clock, Effect, Predicate, Result, Schema } from "effect"

import { lazy } from "../../internal/memoize.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import type { Question, Reply } from "../Elicitation.ts"
import { Progress } from "../Progress.ts"
import type { Failure } from "./errors.ts"
import type { InFlightRequest } from "./InFlightRequests.ts"
import type { Id } from "./Message.ts"
import { type Common, readCommon } from "./params.ts"
import { invalidParams } from "./ProtocolError.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"
import type * as Response from "./Response.ts"

/** What a request knows of the connection it came in on. */
export interface Call {
  readonly protocolVersion: ProtocolVersion
  /** Says something to the caller before the answer. */
  readonly notify: (notification: Response.ServerNotification) => Effect.Effect<void>
  /** Asks the person at the client; absent where a handshake has not said that it can. */
  readonly ask?: ((question: Question) => Effect.Effect<Reply>) | undefined
  /** The request itself, as seen by whoever may stop it. */
  readonly inFlight: InFlightRequest
  /** Records the revision that a handshake negotiated, and what its client can do. */
  readonly completeHandshake: (protocolVersion: ProtocolVersion, capabilities: unknown) => Effect.Effect<void>
}

/** Something that a request can ask for. `run` takes the params as they came. */
export interface Method {
  readonly run: (params: unknown, call: Call) => Effect.Effect<Response.Result, Failure>
  /** Milliseconds for which a client may keep the answer; absent where answers are not for keeping. */
  readonly ttlMs?: number
  /** Where it goes to work outside of this process, by the params; absent where it does not. */
  readonly work?: (params: unknown) => Work
}

export interface Work {
  /** The concurrency group that its work counts towards. */
  readonly concurrencyGroup: string
  /** Whether stopping it halfway leaves nothing half done. */
  readonly isSafeToStop: boolean
}

export type Methods = Readonly<Record<string, Method>>

type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }

/** Whether params have nothing that all methods share, as nearly all have not; of all else the schema says what it is. */
const isWithoutCommon = (params: unknown) =>
  Predicate.isObject(params) &&
  (!("_meta" in params) || (Predicate.isObject(params._meta) && !("progressToken" in params._meta)))

interface Options<Params> extends Pick<Method, "ttlMs" | "work"> {
  /** Tells at a glance that params are as the fields say; where it does not, the schema reads them, or says why not. */
  readonly fits?: (params: unknown) => params is Params
}

/**
 * A method from the shape of its params and its program. The shape is asked for when params do not fit at a glance: to load
 * schemas takes longer than all else that a start does. Progress goes to the caller if the params carry a token.
 */
export const make = <const F extends Fields>(
  fields: () => F,
  run: (params: Schema.Struct<F>["Type"], call: Call) => Effect.Effect<Response.Result, Failure>,
  { fits, ...options }: Options<Schema.Struct<F>["Type"]> = {}
): Method => {
  const readOwn = lazy(() => Schema.decodeUnknownResult(Schema.Struct(fields())))
  return {
    ...options,
    run: (input = {}, call) => {
      const common = isWithoutCommon(input) ? nothingCommon : readCommon(input)
      if (Result.isFailure(common)) return Effect.fail(invalidParams(problem(common.failure)))
      const own = fits?.(input) === true ? Result.succeed(input) : readOwn()(input)
      if (Result.isFailure(own)) return Effect.fail(invalidParams(problem(own.failure)))
      const token = common.success._meta?.progressToken
      const program = run(own.success, call)
      return token === undefined ? program : Effect.provideService(program, Progress, progressOf(token, call))
    }
  }
}

const nothingCommon = Result.succeed<Common>({})

const problem = (error: Schema.SchemaError): string => {
  const { path, words } = firstIssue(error)
  return `${path || "params"}: ${words}`
}

/** Milliseconds between two notices of the same call, at least. */
const pace = 20

/** Progress notices under the caller's token: always rising, never a flood, and the last step always told. */
const progressOf = (token: Id, { notify, protocolVersion }: Call): typeof Progress.Service => {
  let told = -Infinity
  let next = 0
  return Effect.fnUntraced(function* ({ message, progress, total }) {
    const now = yield* Clock.currentTimeMillis
    if (progress <= told || (now < next && progress !== total)) return
    told = progress
    next = now + pace
    yield* notify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined || !protocolVersion.hints ? {} : { message })
      }
    })
  })
}
