import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { Instances } from "../../../../src/engine/client/Instances.ts"
import type { Incident, WatchedFinding } from "../../../../src/engine/operator/watch/incidents.ts"
import { advance } from "../../../../src/engine/operator/watch/incidents.ts"
import { dueFor, type Pending } from "../../../../src/engine/operator/watch/messages.ts"
import { makeWatch } from "../../../../src/engine/operator/watch/watch.ts"
import { readState } from "../../../../src/engine/operator/watch/WatchState.ts"
import { HttpClients } from "../../../../src/internal/http/HttpClients.ts"
import { configured, environment } from "../../../support/harness.ts"

const refused = (id: string): WatchedFinding => ({
  kind: "failures",
  subject: id,
  name: `Workflow ${id}`,
  workflowId: id,
  cause: { key: "credential pg", words: "Credential Postgres main is refused" },
  text: "failed once"
})

const look = (
  findings: ReadonlyArray<WatchedFinding>,
  open: ReadonlyArray<Incident> = [],
  unjudged: ReadonlyArray<"failures"> = []
) => advance(open, { instance: "production", now: 1000, findings, unjudged: new Set(unjudged) })

describe("incidents", () => {
  it("are one where they have one cause, and last as long as one of them does", () => {
    const first = look(["a", "b", "c", "d"].map(refused))
    assert.lengthOf(first.changes, 1)
    assert.deepInclude(first.changes[0]?.incident, {
      title: "Credential Postgres main is refused",
      text: "4 workflows: Workflow a, Workflow b, Workflow c and 1 more"
    })
    const second = look([refused("d"), refused("e")], first.open)
    assert.deepStrictEqual(second.changes, [], "none in between")
    assert.deepStrictEqual(
      second.open[0]?.members.map(({ subject }) => subject),
      ["d", "e"]
    )
    assert.deepStrictEqual(look([], second.open, ["failures"]).changes, [], "nor where it could not be judged")
    assert.deepStrictEqual(
      look([], second.open).changes.map(({ type }) => type),
      ["over"]
    )
  })

  it("are not told where it was always so", () => {
    assert.deepStrictEqual(look([{ ...refused("a"), isUsual: true }]).changes, [])
  })
})

describe("messages", () => {
  const { open } = look([refused("a")])
  const pendingOf = (type: "begin" | "over", place: number): Pending | undefined => {
    const [incident] = open
    return incident === undefined
      ? undefined
      : {
          id: String(place),
          type,
          at: place,
          incident: { ...incident, key: `k${type === "over" ? 0 : place}` },
          receivers: ["ops"]
        }
  }
  const begun = (count: number) =>
    Array.from({ length: count }, (_, place) => pendingOf("begin", place)).flatMap((one) => one ?? [])
  const delivery = { messagesPerHour: 3, quietHours: undefined, page: "https://page.example/" }

  it("are one for each of few, and one for all of many", () => {
    assert.lengthOf(dueFor("ops", begun(3), [], 0, delivery), 3)
    const [digest, ...others] = dueFor("ops", begun(4), [], 0, delivery)
    assert.lengthOf(others, 0)
    assert.lengthOf(digest?.ids ?? [], 4)
    assert.strictEqual(digest?.message.title, "4 messages: 4 began")
    assert.deepStrictEqual(dueFor("ops", begun(1), [1, 2, 3], 4, delivery), [], "nor any beyond those of an hour")
    assert.deepStrictEqual(dueFor("others", begun(1), [], 0, delivery), [])
  })

  it("tell in one what began and is over, link to the workflow, and wait for the end of quiet hours", () => {
    const over = pendingOf("over", 7)
    const pending = [...begun(1), ...(over === undefined ? [] : [over])]
    const [message] = dueFor("ops", pending, [], 0, delivery)
    assert.deepInclude(message?.message.events[0], {
      type: "passed",
      link: "https://page.example/#/workflow/production/a"
    })
    const quietHours = { from: "22:00", to: "06:00", timezone: "Europe/Berlin" }
    const at = (hour: number) =>
      dueFor("ops", begun(1), [], Date.UTC(2026, 0, 1, hour, 30), { ...delivery, quietHours })
    assert.deepStrictEqual(
      [20, 21, 4, 5].map((hour) => at(hour).length),
      [1, 0, 0, 1]
    )
    const urgent = { ...delivery, quietHours: { ...quietHours, except: "error" as const } }
    assert.lengthOf(dueFor("ops", begun(1), [], Date.UTC(2026, 0, 1, 23), urgent), 1)
  })
})

describe("a watch", () => {
  const instancesLayer = Instances.layer.pipe(
    Layer.provide(configured({ production: environment("http://production.example", "key") })),
    Layer.provide(HttpClients.layerShared),
    Layer.provide(FetchHttpClient.layer)
  )

  it.effect("goes on where a clock that was ahead has left it times to come", () => {
    const now = Date.parse("2026-03-01T10:00:00Z")
    const later = now + 400 * 86_400_000
    const [incident] = look([refused("a")]).open
    const pending = [{ id: "1", type: "begin", at: later, incident, receivers: ["ops"] }]
    const instances = { production: { failures: 0, testedAt: later, versionAt: later, changesTo: later } }
    const state = { at: later, count: 1, open: [incident], pending, sentAt: { ops: [later, later] }, instances }
    let lines: ReadonlyArray<string> = [JSON.stringify(state)]
    const messages: Array<unknown> = []
    const { round } = makeWatch(
      {
        instances: [],
        everyMinutes: 5,
        expectations: [],
        ignore: [],
        messagesPerHour: 2,
        quietHours: undefined,
        page: undefined
      },
      {
        load: Effect.sync(() => lines),
        save: (some) => Effect.sync(() => void (lines = some)),
        exclusively: (work) => work
      },
      [{ name: "ops", least: "info", send: (message) => Effect.sync(() => void messages.push(message)) }]
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      assert.include(yield* round, { isSkipped: false })
      assert.lengthOf(messages, 1)
      const kept = readState(lines)
      assert.deepInclude(kept, { at: now, pending: [], sentAt: { ops: [now] } })
      assert.deepStrictEqual(kept.instances["production"]?.testedAt, 0)
      assert.include(yield* round, { isSkipped: true })
    }).pipe(Effect.provide(instancesLayer))
  })
})
