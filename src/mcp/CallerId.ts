import { Context, Effect } from "effect"

import { fingerprint } from "../internal/sha256.ts"
import { CurrentAccess } from "./Access.ts"

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
