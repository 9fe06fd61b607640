import { Clock, Effect } from "effect"

import type { Progress } from "../Progress.ts"
import type { Id } from "./Message.ts"
import type { Notice } from "./Response.ts"
import type { Revision } from "./Revision.ts"

/** What a request knows of the connection it came in on. */
export interface Call {
  readonly revision: Revision
  /** Says something to the caller before the answer. */
  readonly notify: (notice: Notice) => Effect.Effect<void>
  /** Ends when the caller has left, where that shows without being said. */
  readonly gone?: Effect.Effect<void> | undefined
  /** A handshake has settled on this revision. */
  readonly settle: (revision: Revision) => Effect.Effect<void>
}

/** Milliseconds between two notices of the same call, at least. */
const pace = 20

/** Progress notices under the caller's token: always rising, never a flood, and the last step always told. */
export const progressOf = (token: Id, { notify, revision }: Call): typeof Progress.Service => {
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
        ...(message === undefined || !revision.hints ? {} : { message })
      }
    })
  })
}
