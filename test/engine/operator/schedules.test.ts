import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { leastRuns, schedulesIn } from "../../../src/engine/operator/health/schedules.ts"
import type { Json } from "../../support/harness.ts"

const hour = 3_600_000
const noon = Date.UTC(2026, 10, 20, 12)
const day = { from: noon - 24 * hour, to: noon }

const scheduled = (...interval: ReadonlyArray<Json>) =>
  schedulesIn([{ name: "S", type: "n8n-nodes-base.scheduleTrigger", parameters: { rule: { interval } } }])

const count = (rule: Json, zone?: string, span = day) => leastRuns(scheduled(rule), zone, span).count

describe("a schedule", () => {
  it("asks for a run at each moment of its rule", () => {
    assert.strictEqual(count({ field: "cronExpression", expression: "0 9 * * 1-5" }, "Europe/Berlin"), 1)
    assert.strictEqual(count({ field: "cronExpression", expression: "0 */15 * * * *" }, "UTC"), 96)
    assert.strictEqual(count({ field: "hours", hoursInterval: 1, triggerAtMinute: 30 }, "UTC"), 24)
    assert.strictEqual(count({ field: "days", daysInterval: 1, triggerAtHour: 9, triggerAtMinute: 0 }, "UTC"), 1)
  })

  it("asks on weekdays in its own zone only", () => {
    const saturday = { from: Date.UTC(2026, 10, 21), to: Date.UTC(2026, 10, 22, 23) }
    assert.strictEqual(count({ field: "cronExpression", expression: "0 9 * * 1-5" }, "Europe/Berlin", saturday), 0)
    const night = { from: Date.UTC(2026, 10, 20, 22), to: Date.UTC(2026, 10, 20, 23, 30) }
    assert.strictEqual(count({ field: "cronExpression", expression: "0 8 * * *" }, "Asia/Tokyo", night), 1)
    assert.strictEqual(count({ field: "cronExpression", expression: "0 8 * * *" }, "UTC", night), 0)
  })

  it("is taken to ask for as little as it can where the zone, the minute or the day is the engine's to know", () => {
    assert.strictEqual(count({ field: "cronExpression", expression: "0 9 * * *" }), 1)
    assert.strictEqual(
      count({ field: "cronExpression", expression: "0 9 * * *" }, undefined, { from: noon, to: noon + hour }),
      0
    )
    assert.strictEqual(count({ field: "days", daysInterval: 1 }, "UTC"), 0)
    assert.strictEqual(count({ field: "days", daysInterval: 3, triggerAtHour: 9, triggerAtMinute: 0 }, "UTC"), 0)
    assert.strictEqual(count({ field: "minutes", minutesInterval: 10 }, "UTC", { from: noon, to: noon + hour }), 5)
  })

  it("is counted as unread where only the engine can read it", () => {
    for (const rule of [
      { field: "cronExpression", expression: "={{ $vars.when }}" },
      { field: "cronExpression", expression: "not a cron" },
      { field: "hours", hoursInterval: "={{ 2 }}" },
      { field: "fortnights" }
    ]) {
      const { rules, unread } = scheduled(rule)
      assert.deepStrictEqual([rules.length, unread], [0, 1], JSON.stringify(rule))
    }
  })

  it("is also one of the old nodes, and none of a node that is disabled", () => {
    const old = { type: "n8n-nodes-base.cron", parameters: { triggerTimes: { item: [{ mode: "everyDay", hour: 9 }] } } }
    assert.strictEqual(leastRuns(schedulesIn([old]), "UTC", day).count, 1)
    assert.lengthOf(schedulesIn([{ ...old, disabled: true }]).rules, 0)
    const interval = { type: "n8n-nodes-base.interval", parameters: { interval: 10, unit: "minutes" } }
    assert.isAtLeast(leastRuns(schedulesIn([interval]), "UTC", { from: noon - hour, to: noon }).count, 5)
  })

  it("is judged by its last moments where it has many, and never by more runs than it has moments", () => {
    const rule = { field: "cronExpression", expression: "* * * * * *" }
    const often = leastRuns(scheduled(rule), "UTC", day)
    assert.isAtMost(often.count, 101)
    assert.isAbove(often.since, day.to - 300_000)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 59 }), fc.integer({ min: 1, max: 48 }), (minutes, hours) => {
        const span = { from: noon - hours * hour, to: noon }
        const { count, since } = leastRuns(scheduled({ field: "minutes", minutesInterval: minutes }), "UTC", span)
        const most = ((span.to - since) / 60_000 / minutes) * 2 + hours + 1
        assert.isAtMost(count, most)
      })
    )
  })
})
