import { Clock, Effect, Predicate, Result, Schema } from "effect"

import { lazy } from "../../internal/caching.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { Arrival, Progress } from "../callContext.ts"
import type { Question, Reply, SecretForm } from "../Elicitation.ts"
import type { PageAddress } from "./elicitation/SecretForms.ts"
import { type Failure, invalidParams } from "./errors.ts"
import type { InFlightRequest, makeConcurrencyGroups } from "./InFlightRequests.ts"
import { Id, type MethodResult, type ServerNotification } from "./Message.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"

/** The connection of a request, as its method sees it. */
export interface Call {
  readonly protocolVersion: ProtocolVersion
  /** The id of the request. */
  readonly id: Id
  /** Ends when the client takes nothing more. */
  readonly gone: Effect.Effect<void>
  /** Sends something to the caller before the answer. */
  readonly notify: (notification: ServerNotification) => Effect.Effect<void>
  /** Asks the person at the client; absent if the client does not support that. */
  readonly ask?: ((question: Question) => Effect.Effect<Reply>) | undefined
  /** Lets the person at the client enter secrets on the page; absent where that is not possible, and in requests that stand alone. */
  readonly enter?: ((form: SecretForm) => Effect.Effect<Reply>) | undefined
  /** The page on which the client's person enters secrets. */
  readonly page: PageAddress
  /** The refused tools that the last list left out; absent where the server can send nothing unasked. */
  readonly listed: ToolList | undefined
  /** Whether the client shows views of MCP Apps. */
  readonly showsViews: boolean
  /** The identity of the caller, who may have said which client it is. */
  readonly caller: (client?: string) => Effect.Effect<string>
  /** The request itself, which can be stopped. */
  readonly inFlight: InFlightRequest
  /** Records the revision that a handshake negotiated, and the client's capabilities. */
  readonly completeHandshake: (protocolVersion: ProtocolVersion, capabilities: unknown) => Effect.Effect<Handshake>
}

/** The outcome of a handshake. */
interface Handshake {
  /** Whether the client is told where the list of tools changes. */
  readonly announcesChanges: boolean
}

/** The list of tools that a client has. */
export interface ToolList {
  /** The tools that it left out, as far as that is known. */
  refused: string | undefined
  /** Whether this lasts as long as the connection, and not only for one request. */
  readonly isKept: boolean
}

/** A method that a request can name. `run` takes unvalidated params. */
export interface Method {
  readonly run: (params: unknown, call: Call) => Effect.Effect<MethodResult, Failure>
  /** Milliseconds for which a client may cache the answer; absent if it may not. */
  readonly ttlMs?: number
  /** Its work outside of this process, by the params; absent if it has none. */
  readonly work?: (params: unknown) => Work
}

export interface Work {
  /** The concurrency group that its work counts towards. */
  readonly concurrencyGroup: string
  /** Whether stopping it halfway leaves nothing half done. */
  readonly isSafeToStop: boolean
}

export type Methods = Readonly<Record<string, Method>>

/** The same method, within the limit of its concurrency group. */
export const inConcurrencyGroup =
  (run: ReturnType<typeof makeConcurrencyGroups>["run"]) =>
  (method: Method): Method => {
    const { work } = method
    if (work === undefined) return method
    return {
      ...method,
      run: (params, call) =>
        Effect.flatMap(monotonicMillis, (since) =>
          run(Effect.provideService(method.run(params, call), Arrival, since), work(params), call.inFlight)
        )
    }
  }

const Common = Schema.Struct({
  _meta: Schema.optionalKey(Schema.Struct({ progressToken: Schema.optionalKey(Id) }))
})
type Common = typeof Common.Type

/** Params common to all methods. */
const readCommon = Schema.decodeUnknownResult(Common)

type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }

/** A quick check that params have none of those common to all methods, as nearly all; otherwise the schema validates them. */
const isWithoutCommon = (params: unknown) =>
  Predicate.isObject(params) &&
  (!("_meta" in params) || (Predicate.isObject(params._meta) && !("progressToken" in params._meta)))

interface Options<Params> extends Pick<Method, "ttlMs" | "work"> {
  /** A quick check that params have the fields; otherwise the schema reads them, or explains why not. */
  readonly fits?: (params: unknown) => params is Params
}

/**
 * A method from the shape of its params and its program. The schema is made only for params that fail the quick check: loading
 * schemas takes longer than everything else at a start. Progress goes to the caller if the params have a token.
 */
export const make = <const F extends Fields>(
  fields: () => F,
  run: (params: Schema.Struct<F>["Type"], call: Call) => Effect.Effect<MethodResult, Failure>,
  { fits, ...options }: Options<Schema.Struct<F>["Type"]> = {}
): Method => {
  const readFields = lazy(() => Schema.decodeUnknownResult(Schema.Struct(fields())))
  return {
    ...options,
    run: (input = {}, call) => {
      const common = isWithoutCommon(input) ? nothingCommon : readCommon(input)
      if (Result.isFailure(common)) return Effect.fail(invalidParams(problem(common.failure)))
      const params = fits?.(input) === true ? Result.succeed(input) : readFields()(input)
      if (Result.isFailure(params)) return Effect.fail(invalidParams(problem(params.failure)))
      const token = common.success._meta?.progressToken
      const program = run(params.success, call)
      return token === undefined ? program : Effect.provideService(program, Progress, progressOf(token, call))
    }
  }
}

const nothingCommon = Result.succeed<Common>({})

const problem = (error: Schema.SchemaError): string => {
  const { path, words } = firstIssue(error)
  return `${path || "params"}: ${words}`
}

/** Minimum milliseconds between two progress notifications of a call. */
const pace = 20

/** Progress notifications with the caller's token: always increasing, limited in rate, and always including the last step. */
const progressOf = (token: Id, { notify, protocolVersion }: Call): typeof Progress.Service => {
  let latest = -Infinity
  let next = 0
  return Effect.fnUntraced(function* ({ message, progress, total }) {
    const now = yield* Clock.currentTimeMillis
    if (progress <= latest || (now < next && progress !== total)) return
    latest = progress
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

/** Milliseconds for which a list may be cached: it changes only with the configuration. */
export const shelfLife = 300_000

/** Params of a list. */
export const pageParams = { cursor: Schema.optionalKey(Schema.String) }

interface Page {
  readonly cursor?: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Params for a list from its beginning, as nearly always. */
export const firstPageParams = {
  ttlMs: shelfLife,
  fits: (params: unknown): params is Page => Predicate.isObject(params) && !("cursor" in params)
}

/** Our lists have a single page, so no cursor can be ours. */
export const onePage = (params: Page, page: MethodResult) =>
  params.cursor === undefined ? Effect.succeed(page) : Effect.fail(invalidParams("cursor: is not one of this server's"))
