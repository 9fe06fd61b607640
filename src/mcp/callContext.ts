import { Context, Deferred, Effect, Random, References } from "effect"

import { clipped, oneLine } from "../internal/foreignText.ts"
import { fingerprint } from "../internal/sha256.ts"
import type { Selection } from "./selection.ts"

/** The reader of an answer: advice to call a tool next is for models, people have buttons for it. */
export type Audience = "model" | "person"
export const Audience = Context.Reference<Audience>("workflow-tool-server/mcp/Audience", {
  defaultValue: () => "model"
})

/** The id of the current request: in its answer, in log lines, in the audit log and in traces. Undefined outside of requests. */
export const RequestId = Context.Reference<string | undefined>("workflow-tool-server/mcp/RequestId", {
  defaultValue: () => undefined
})

/** Precomputed hex digits of each byte: `toString` takes longer than everything else in a short answer. */
const digits: Array<string> = []

const half = (random: number): string => {
  const bits = Math.floor(random * 2 ** 32)
  return byteOf(bits >>> 24) + byteOf(bits >>> 16) + byteOf(bits >>> 8) + byteOf(bits)
}

const byteOf = (bits: number): string => {
  const byte = bits & 0xff
  return (digits[byte] ??= byte.toString(16).padStart(2, "0"))
}

const freshId = (random: (typeof Random.Random)["Service"]) =>
  half(random.nextDoubleUnsafe()) + half(random.nextDoubleUnsafe())

/** An id from elsewhere, if it is short and plain enough to be written anywhere. */
const plainId = /^[\w.:-]{1,64}$/

/** Runs something with the id that a request came with, or else a new one. */
export const withRequestId = <A, E, R>(
  requestedId: string | undefined,
  then: (id: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Random.Random, (random) =>
    then(requestedId !== undefined && plainId.test(requestedId) ? requestedId : freshId(random))
  )

const withId = <R>(context: Context.Context<R>, id: string): Context.Context<R> => {
  const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request: id }
  return Context.add(Context.add(context, References.CurrentLogAnnotations, annotations), RequestId, id)
}

/** Serves a request under this id. */
export const underRequestId = <A, E, R>(serving: Effect.Effect<A, E, R>, id: string): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (context: Context.Context<R>) => withId(context, id))

/** Serves a request under its id, or a new one. */
export const identified = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (context: Context.Context<R>) =>
    Context.get(context, RequestId) === undefined
      ? withId(context, freshId(Context.get(context, Random.Random)))
      : context
  )

/** The client of the current call, its tool, and its reason, as far as the caller says. */
export interface Call {
  readonly tool: string | undefined
  /** Name and version that the client has stated. */
  readonly client: string | undefined
  readonly reason: string | undefined
  /** Distinguishes calls of the same tool. */
  readonly id: string | undefined
}

/** The current call; outside of calls, nothing is known. */
export const Caller = Context.Reference<Call>("workflow-tool-server/mcp/Caller", {
  defaultValue: () => ({ tool: undefined, client: undefined, reason: undefined, id: undefined })
})

/** The access of the caller of a request, according to its credentials. */
export interface Access {
  /** The caller by its name at the issuer of the credentials. */
  readonly subject: string | undefined
  /** The issuer that knows the caller by that subject. */
  readonly issuer?: string
  /** Whether tools that may change something can be called; read-only tools always can. */
  readonly mayChange: boolean
  /** The scope that a token needs for that, if its issuer has scopes. */
  readonly scopeToChange?: string
  /** The tools that it is offered; the server's default selection when left out. */
  readonly selection?: Selection | undefined
}

/** The access of the current request. A transport without callers' credentials allows everything. */
export const CurrentAccess = Context.Reference<Access>("workflow-tool-server/mcp/CurrentAccess", {
  defaultValue: () => ({ subject: undefined, mayChange: true })
})

/**
 * The identity to which an agreement is bound: the subject of a login, else the session or connection, so that it says
 * nothing that could be used in its place. Outside of calls it is this program.
 */
export const CallerId = Context.Reference<Effect.Effect<string>>("workflow-tool-server/mcp/CallerId", {
  defaultValue: () => Effect.succeed(program)
})

const program = `program ${crypto.randomUUID()}`

/** The means by which a caller without a login is told from others. */
type Line =
  /** A connection of its own, as over stdio. */
  | { readonly _tag: "Connection"; readonly id: string }
  /** A session, by the id that only its client has. */
  | { readonly _tag: "Session"; readonly id: string }
  /** Neither: the address that it calls from, and the software that it says it is. */
  | { readonly _tag: "Address"; readonly address: string | undefined; readonly client: string | undefined }

/** The identity of whoever makes the current request on a line. */
export const callerOn = (line: Line): Effect.Effect<string> =>
  Effect.flatMap(CurrentAccess, ({ issuer = "", subject }) =>
    subject === undefined
      ? Effect.map(fingerprint(line), (hash) => `${callerKinds[line._tag]} ${hash}`)
      : Effect.succeed(`login ${JSON.stringify([issuer, subject])}`)
  )

/** Characters of a caller's name: a client says of itself what it likes. */
const longestName = 80

/** The caller of the current call by the names of its client and its login, as far as they are known. */
export const callerName = Effect.gen(function* () {
  const { client } = yield* Caller
  const { subject } = yield* CurrentAccess
  const names = [client, subject === undefined ? undefined : `as ${subject}`].filter((name) => name !== undefined)
  return names.length === 0 ? undefined : clipped(oneLine(names.join(" ")), longestName)
})

const callerKinds = { Connection: "connection", Session: "session", Address: "client" } as const

/** A call of a tool that may change something, recorded at its end. It contains no arguments, and of the answer only ids. */
export interface AuditEntry {
  readonly tool: string
  /** The instance that was called, if the tool works on one and got that far. */
  readonly instance: string | undefined
  /** Ids in the arguments and in the answer. */
  readonly ids: ReadonlyArray<string>
  /** An interrupted call may or may not have changed something. */
  readonly outcome: "succeeded" | "failed" | "interrupted"
  /** Kind of the failure, such as `API_ERROR`. */
  readonly error: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Name and version that the client states with this request. */
  readonly client: string | undefined
  /** Id of the request, also in log lines, traces and the answer. */
  readonly request: string | undefined
}

/** Records who changed what. By default nothing is recorded. */
export const Audit = Context.Reference<{
  /** A client has introduced itself, for everything that follows on its connection. */
  readonly introduce: (client: string) => Effect.Effect<void>
  /** The client of the current request, if the request itself does not say. */
  readonly introduced: Effect.Effect<string | undefined>
  /** Never fails, and never makes the caller wait. */
  readonly record: (entry: AuditEntry) => Effect.Effect<void>
}>("workflow-tool-server/tools/Audit", {
  defaultValue: () => ({ introduce: () => Effect.void, introduced: Effect.undefined, record: () => Effect.void })
})

/** Tells the recorder of the current call which instance it works on. */
export const noteInstance = Context.Reference<(name: string) => Effect.Effect<void>>(
  "workflow-tool-server/tools/noteInstance",
  { defaultValue: () => () => Effect.void }
)

/** Seconds that callers wait for a tool; most give up after a minute. */
export const callSeconds = 55

/** The time for gathering an answer; a few seconds are left for what comes after. */
export const gatheringSeconds = callSeconds - 5

/** The time for gathering what a rate limit allows only slowly: a person at a command line waits longer than a client. */
export const GatheringSeconds = Context.Reference<number>("workflow-tool-server/mcp/GatheringSeconds", {
  defaultValue: () => gatheringSeconds
})

/** The moment at which the call came in, in `monotonicMillis`; undefined if it did not wait for its turn. */
export const Arrival = Context.Reference<number | undefined>("workflow-tool-server/mcp/Arrival", {
  defaultValue: () => undefined
})

/** Reports a tool's progress to the caller; does nothing if the caller did not request it. */
export const Progress = Context.Reference<
  (step: { readonly progress: number; readonly total?: number; readonly message?: string }) => Effect.Effect<void>
>("workflow-tool-server/tools/Progress", { defaultValue: () => () => Effect.void })

/**
 * Ends when the server is told to stop. Calls then have a few seconds: one that would take longer, and leaves nothing half
 * done, should end itself.
 */
export const Stopping = Context.Reference<Deferred.Deferred<void>>("workflow-tool-server/mcp/Stopping", {
  defaultValue: () => Deferred.makeUnsafe<void>()
})
