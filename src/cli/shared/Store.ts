import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Context, Effect, Layer, Predicate, Redacted } from "effect"
import * as Redis from "effect/persistence/Redis"
import type { RedisError } from "effect/persistence/Redis"

import { monotonicMillis } from "../../internal/time.ts"
import type { SharedSettings } from "../configuration/fileFields.ts"

/** The cause of a command without an answer. */
export const silent = "no answer"

/** Time-out of an answer, and milliseconds for which a missing one keeps others from asking. */
const answerTimeout = "2 seconds"
const pause = 5000

/** A Redis and the names of our keys in it. */
export interface Store {
  readonly send: Redis.Redis["Service"]["send"]
  readonly eval: Redis.Redis["Service"]["eval"]
  readonly key: (...parts: ReadonlyArray<string>) => string
  /** Sends a command unless there was no answer a moment ago; logs when that begins and ends. */
  readonly ask: <A>(question: Effect.Effect<A, Redis.RedisError>) => Effect.Effect<A, Redis.RedisError>
}

/** Connects, and stays connected until the scope ends. */
export const makeStore = Effect.fnUntraced(function* ({ prefix, redis }: SharedSettings) {
  const context = yield* Layer.build(
    NodeRedis.layer({ url: Redacted.value(redis), disableOfflineQueue: true, socket: { connectTimeout: 5000 } })
  )
  return storeOver(Context.get(context, Redis.Redis), prefix)
})

/** The same over a client that is connected. */
export const storeOver = (client: Pick<Redis.Redis["Service"], "eval" | "send">, prefix: string): Store => {
  let closedUntil = -Infinity
  let lastRefusal: string | undefined

  const ask = <A>(question: Effect.Effect<A, Redis.RedisError>) =>
    Effect.gen(function* () {
      const now = yield* monotonicMillis
      if (now < closedUntil) return yield* noAnswer
      const answer = yield* Effect.timeoutOrElse(question, { duration: answerTimeout, orElse: () => noAnswer }).pipe(
        Effect.tapError((error) =>
          Effect.suspend(() => {
            const refusal = redisRefusal(error)
            if (refusal !== undefined) {
              const isKnown = refusal === lastRefusal
              lastRefusal = refusal
              return isKnown ? Effect.void : Effect.logError(meaningOf(refusal))
            }
            const isNew = closedUntil === -Infinity
            closedUntil = now + pause
            return isNew ? Effect.logError(meaningOf("does not answer")) : Effect.void
          })
        )
      )
      if (closedUntil > -Infinity) {
        closedUntil = -Infinity
        yield* Effect.logWarning("The shared Redis answers again")
      }
      return answer
    })

  return {
    send: client.send,
    eval: client.eval,
    ask,
    key: (...parts) => [prefix, ...parts].join(":")
  }
}

const noAnswer = Effect.fail(new Redis.RedisError({ cause: silent }))

const meaningOf = (problem: string) =>
  `The shared Redis ${problem}. Changes and plans are refused until that is settled, reads go on, and each server keeps ` +
  "its own limits towards the instances"

/** Refusals of a Redis by the word that they begin with, in plain words with the remedy. */
const refusals: Readonly<Record<string, string>> = {
  READONLY: "is a replica that takes no writes (READONLY): name the primary in shared.redis",
  OOM: "has no memory left for writes (OOM): raise its maxmemory",
  MISCONF: "takes no writes, as it cannot save to its disk (MISCONF): give the disk room",
  NOREPLICAS: "takes no writes, as too few replicas follow it (NOREPLICAS)",
  NOPERM: "does not allow its user these commands (NOPERM): see its access list",
  NOAUTH: "asks for a password (NOAUTH): give it in shared.redis",
  LOADING: "is still starting (LOADING)"
}

const word = new RegExp(`\\b(${Object.keys(refusals).join("|")})\\b`)

/** The refusal that a Redis answered with, in plain words; undefined where it did not answer. */
export const redisRefusal = ({ cause }: RedisError): string | undefined => {
  const [, code = ""] = Predicate.isError(cause) ? (word.exec(cause.message.slice(0, 500)) ?? []) : []
  return refusals[code]
}

/** The reason why a Redis cannot be used, to stand behind its name. */
export const redisProblem = (error: RedisError): string => redisRefusal(error) ?? "does not answer"
