import { Context, Effect } from "effect"

import { fingerprint } from "../internal/sha256.ts"

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
export type Line =
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
      ? Effect.map(fingerprint(line), (hash) => `${words[line._tag]} ${hash}`)
      : Effect.succeed(`login ${JSON.stringify([issuer, subject])}`)
  )

const words = { Connection: "connection", Session: "session", Address: "client" } as const
