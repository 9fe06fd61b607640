import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Schedule, Schema } from "effect"

import type { Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { isJsonObject, type JsonObject } from "../../src/internal/schema/JsonObject.ts"
import { node } from "../simulation/acts.ts"
import { Engines } from "../simulation/Engines.ts"
import { applied, made, operator } from "../simulation/planLife.ts"
import { loaded, Schedule as Seeded } from "../simulation/schedule.ts"

const readText = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const names = ["upgraded-a", "upgraded-b"]

const upgraded = (path: string): JsonObject => ({
  name: path,
  nodes: [
    node("webhook", "Hook", 2, 0, { path, httpMethod: "POST", responseMode: "lastNode", options: {} }),
    { ...node("function", "Clean", 1, 220, { functionCode: "return { name: $json.query.name }" }), notes: "why" },
    node("noOp", "End", 1, 440)
  ],
  connections: {
    Hook: { main: [[{ node: "Clean", type: "main", index: 0 }]] },
    Clean: { main: [[{ node: "End", type: "main", index: 0 }]] }
  },
  settings: { executionOrder: "v1" }
})

/** A value without what every write changes. */
const withoutVersions = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutVersions)
    : isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, one]) =>
            /^(?:updatedAt|createdAt|version\w*|activeVersionId|workflowPublishHistory)$/.test(name)
              ? []
              : [[name, withoutVersions(one)]]
          )
        )
      : value

interface Outcome {
  readonly problems: ReadonlyArray<string>
  readonly kills: number
  readonly trace: ReadonlyArray<string>
}

/** An upgrade whose server is killed before a turn of its apply, and again of its rollback. */
const killedUpgrade = async (version: Version, turn: number): Promise<Outcome> => {
  await loaded()
  const schedule = new Seeded(turn)
  const play = Effect.suspend(() =>
    Effect.catchCause(playIn(world, turn), (cause) => Effect.sync(() => world.found.push(Cause.pretty(cause))))
  )
  const world: Engines = new Engines(schedule, {}, { version, play })
  await world.run()
  return { problems: world.problems(), kills: world.fleet.ends.length, trace: schedule.trace }
}

const playIn = Effect.fnUntraced(function* (world: Engines, turn: number) {
  const [instance] = world.instances
  if (instance === undefined) throw new Error("there is no engine")
  const send = (method: "GET" | "POST", path: string, body?: JsonObject) =>
    Effect.map(instance.send("person", method, path, body), ({ text }) => readText(text))
  const ids = yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const { id } = yield* send("POST", "/workflows", upgraded(name))
      yield* send("POST", `/workflows/${String(id)}/activate`, {})
      // An engine listens a moment after it has said so.
      yield* Effect.repeat(instance.send("person", "POST", `/webhook/${name}?name=x`), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("1 second"),
        times: 10
      })
      return String(id)
    })
  )
  const contents = Effect.map(
    Effect.forEach(ids, (id) => send("GET", `/workflows/${id}`)),
    (all) => JSON.stringify(withoutVersions(all))
  )
  const planned = made(world, operator, "plan_upgrade", { instances: "production", where: { ids } }, "production")
  const brought = Effect.fnUntraced(function* (id: string) {
    world.fleet.killBeforeTurn(turn)
    yield* applied(world, operator, id, "production")
    world.fleet.calm()
  })
  const before = yield* contents
  const plan = yield* planned
  assert.deepInclude(plan, { steps: names.length, blocked_count: 0 })
  yield* brought(String(plan?.plan_id))
  const after = yield* contents
  assert.strictEqual(after.split("jsCode").length - 1, names.length * (instance.version.startsWith("1.") ? 1 : 2))
  assert.notInclude(after, "functionCode")
  assert.deepInclude(yield* planned, { steps: 0, blocked_count: 0 })
  const back = yield* made(world, operator, "plan_rollback", { plan_id: plan?.plan_id }, "production")
  yield* brought(String(back?.plan_id))
  assert.strictEqual(yield* contents, before)
})

describe("an upgrade whose server is killed at any step of its apply and of its rollback", { timeout: 300_000 }, () => {
  // Each engine has every other turn.
  it.each([
    ["1.82.3", 1],
    ["2.41.1", 2]
  ] as const)("goes on, and is rolled back to what was there byte for byte (%s)", async (version, first) => {
    let turn = first
    for (let kills = 2; kills > 0; turn += 2) {
      const outcome = await killedUpgrade(version, turn)
      assert.deepStrictEqual(outcome.problems, [], [`at turn ${turn}`, ...outcome.trace].join("\n"))
      kills = outcome.kills
    }
    assert.isAbove(turn, 60)
  })
})
