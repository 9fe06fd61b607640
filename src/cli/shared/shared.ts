import { Context, Effect, Layer, References } from "effect"
import type { RedisError } from "effect/persistence/Redis"

import { WatchError } from "../../engine/operator/watch/watch.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Coordination } from "../../internal/http/Coordination.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { Copies } from "../../mcp/Elicitation.ts"
import type { SharedSettings } from "../configuration/fileFields.ts"
import { Journals } from "../plans/PlanJournalFile.ts"
import { SharedWatch } from "../watch/store.ts"
import { makeLimits, makeLocks } from "./coordination.ts"
import { makeCopies } from "./copies.ts"
import { sharedJournals } from "./journals.ts"
import { type Store, makeStore, redisProblem, redisRefusal, silent } from "./Store.ts"

const unusable = (error: RedisError) => {
  const refusal = redisRefusal(error)
  return new ConfigurationError({
    message:
      refusal === undefined
        ? `shared.redis cannot be used (${problemOf(error)}): is it running, and is its password right?`
        : `shared.redis cannot be used: it ${refusal}`
  })
}

/** Shares plans, locks, limits and questions with every server that has the same Redis and prefix. */
export const layer = (settings: SharedSettings) =>
  layerOver(
    makeStore(settings).pipe(
      // Its own warnings repeat with each reconnection; ours say once what it means here.
      Effect.provideService(References.MinimumLogLevel, "Fatal"),
      Effect.mapError(unusable)
    )
  )

/** The same over what connects. */
export const layerOver = <E, R>(connecting: Effect.Effect<Store, E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* connecting
      const withLock = yield* makeLocks(store)
      const limits = yield* makeLimits(store)
      const copies = yield* Effect.mapError(makeCopies(store), unusable)
      return Context.make(Coordination, { withLock, ...limits }).pipe(
        Context.add(Journals, sharedJournals(store)),
        Context.add(Copies, copies),
        Context.add(SharedWatch, sharedWatch(store))
      )
    })
  )

/** The state of the watch, which all copies continue. */
const sharedWatch = (store: Store): NonNullable<typeof SharedWatch.Service> => {
  const key = store.key("watch")
  const failed = Effect.mapError(
    (error: RedisError) => new WatchError({ message: `The shared Redis ${redisProblem(error)}` })
  )
  return {
    load: store.ask(store.send<string | null>("GET", key)).pipe(
      Effect.map((text) => (text === null ? [] : text.split("\n"))),
      failed
    ),
    save: (lines) => Effect.asVoid(failed(store.ask(store.send("SET", key, lines.join("\n")))))
  }
}

const problemOf = ({ cause }: RedisError) =>
  cause === silent ? "it does not answer" : (transportCode(cause) ?? "it refuses the connection")
