import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { Journal, JournalError } from "../../../src/engine/embedded/store/Store.ts"
import { api, chain, created, flow, listed, node, running, set, visit, webhook } from "./calls.ts"

/** A journal in a list, which outlives the engines that write it. */
const listJournal = (entries: Array<string> = []) => ({
  entries,
  layer: Layer.succeed(Journal, {
    entries: Effect.sync(() => [...entries]),
    append: (entry) => Effect.sync(() => void entries.push(entry)),
    replace: (all) => Effect.sync(() => void entries.splice(0, entries.length, ...all))
  })
})

/** One life of an engine over a journal. */
const live = <A, E>(
  journal: Layer.Layer<Journal>,
  program: Effect.Effect<A, E, EmbeddedEngine>,
  options: EmbeddedEngineOptions = {}
) => Effect.provide(program, Layer.provide(EmbeddedEngine.layerStore(options), journal), { local: true })

describe("a kept engine", () => {
  it.effect("restores every record after a restart", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      const everything = Effect.all([
        listed("/workflows"),
        listed("/executions?includeData=true"),
        listed("/tags"),
        listed("/credentials")
      ])
      const options = { version: "2.41.1", seed: true } as const
      const before = yield* live(
        journal.layer,
        Effect.gen(function* () {
          yield* running(flow("mine", [webhook("mine"), set("Note", { a: 1 })], chain("Webhook", "Note")))
          yield* TestClock.adjust("1 second")
          yield* visit("mine")
          yield* api("DELETE", "/workflows/Wr1cLz9pMi6AoB8v")
          // What runs ends with the process.
          yield* api("POST", "/executions/stop", { status: ["running"] })
          return yield* everything
        }),
        options
      )
      assert.deepStrictEqual(yield* live(journal.layer, everything, options), before)
    })
  )

  it.effect("keeps listening and counting after a restart", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      yield* live(journal.layer, Effect.andThen(running(flow("on", [webhook("on")])), visit("on")))
      const { data } = yield* live(journal.layer, Effect.andThen(visit("on"), listed("/executions")))
      assert.deepStrictEqual(
        data.map(({ id }) => id),
        ["2", "1"]
      )
    })
  )

  it.effect("marks executions that were running when it ended as crashed", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      const entries = yield* live(
        journal.layer,
        Effect.gen(function* () {
          const wait = node("Wait", "wait", { amount: 1, unit: "hours" })
          yield* running(flow("long", [webhook("long"), wait], chain("Webhook", "Wait")))
          yield* Effect.forkChild(visit("long"))
          yield* TestClock.adjust("1 second")
          return [...journal.entries]
        })
      )
      const { json } = yield* live(listJournal(entries).layer, api("GET", "/executions/1"))
      assert.deepInclude(json, { status: "crashed" })
    })
  )

  it.effect("writes no value of a credential", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      const body = { name: "Basic", type: "httpBasicAuth", data: { user: "u", password: "hunter2" } }
      yield* live(journal.layer, api("POST", "/credentials", body))
      assert.include(journal.entries.join(), "Basic")
      assert.notInclude(journal.entries.join(), "hunter2")
    })
  )

  it.effect("compacts a journal whose entries have mostly been overwritten", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      yield* live(
        journal.layer,
        Effect.flatMap(created(flow("first")), (id) =>
          Effect.forEach(Array.from({ length: 50 }), (_, index) =>
            api("PUT", `/workflows/${id}`, flow(`name ${index}`))
          )
        )
      )
      assert.isAbove(journal.entries.length, 50)
      const { data } = yield* live(journal.layer, listed("/workflows"))
      assert.deepStrictEqual(
        data.map(({ name }) => name),
        ["name 49"]
      )
      assert.isBelow(journal.entries.length, 5)
    })
  )

  it.effect("is seeded only once", () =>
    Effect.gen(function* () {
      const journal = listJournal()
      yield* live(journal.layer, api("DELETE", "/workflows/Wr1cLz9pMi6AoB8v"), { seed: true })
      const { data } = yield* live(journal.layer, listed("/workflows"), { seed: true })
      assert.lengthOf(data, 29)
    })
  )

  it.effect("does not acknowledge a change that could not be written", () =>
    Effect.gen(function* () {
      const { layer } = listJournal()
      const full = Layer.effect(
        Journal,
        Effect.map(Journal, (journal) => ({
          ...journal,
          append: () => Effect.fail(new JournalError({ message: "disk full" }))
        }))
      ).pipe(Layer.provide(layer))
      const exit = yield* live(full, Effect.exit(api("POST", "/workflows", flow("lost"))))
      assert.strictEqual(exit._tag, "Failure")
      const { data } = yield* live(
        full,
        Effect.andThen(Effect.exit(api("POST", "/workflows", flow("lost"))), listed("/workflows"))
      )
      assert.lengthOf(data, 0)
    })
  )

  it.effect("does not start with a journal that it cannot read", () =>
    Effect.gen(function* () {
      const { layer } = listJournal([`[{"tag":{"id":"x"}}]`])
      const { message } = yield* Effect.flip(live(layer, listed("/workflows")))
      assert.include(message, "Entry 1 of the embedded engine's journal cannot be read.")
    })
  )

  it.effect("refuses every key but its own", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* EmbeddedEngine
      assert.strictEqual(Redacted.value(apiKey), "own")
      assert.strictEqual((yield* api("GET", "/tags", undefined, { key: "embedded" })).status, 401)
    }).pipe(Effect.provide(EmbeddedEngine.layer({ apiKey: "own" })))
  )
})
