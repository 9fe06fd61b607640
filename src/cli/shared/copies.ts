import { Effect, Option, Schedule, Schema } from "effect"

import type { ClientAnswer, Copies } from "../../mcp/Elicitation.ts"
import type { Store } from "./Store.ts"

/** Seconds for which an answer waits to be fetched, and its maximum size. */
const life = 300
const largest = 10_000

const Kept = Schema.fromJsonString(
  Schema.Struct({ result: Schema.optionalKey(Schema.Unknown), error: Schema.optionalKey(Schema.Unknown) })
)
const read = Schema.decodeUnknownOption(Kept)

const pause = Schedule.spaced("500 millis")

/** Seconds for which used answers are remembered: they expire sooner, by clocks that may not agree. */
const memory = 3600

/** Questions whose answers any server with the same Redis can receive. */
export const makeCopies = Effect.fnUntraced(function* (store: Store) {
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0"))
  const name = store.key("secret")
  yield* store.ask(store.send("SET", name, fresh.join(""), "NX"))
  const secret = new TextEncoder().encode(yield* store.ask(store.send<string>("GET", name)))
  const keyOf = (question: string) => store.key("answer", question)

  const fetched = (question: string) =>
    Effect.match(store.ask(store.send<string | null>("GET", keyOf(question))), {
      onFailure: () => Option.none<ClientAnswer>(),
      onSuccess: (kept) => read(kept)
    })

  return {
    secret: Effect.succeed(secret),
    handOn: (question, { error, result }) => {
      const kept = JSON.stringify(error === undefined ? { result } : { error })
      return kept.length > largest
        ? Effect.void
        : Effect.ignore(store.ask(store.send("SET", keyOf(question), kept, "EX", String(life))))
    },
    handedOn: (question) =>
      Effect.delay(fetched(question), "500 millis").pipe(
        Effect.repeat({ schedule: pause, until: Option.isSome }),
        Effect.flatMap(Effect.fromOption),
        Effect.orDie
      ),
    use: (state) =>
      Effect.match(
        store.ask(store.send<string | null>("SET", store.key("used", state), "1", "NX", "EX", String(memory))),
        { onFailure: () => "unknown", onSuccess: (kept) => (kept === null ? "again" : "first") }
      )
  } satisfies typeof Copies.Service
})
