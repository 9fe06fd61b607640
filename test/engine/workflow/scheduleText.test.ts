import { assert, describe, it } from "vitest"

import { scheduleText } from "../../../src/engine/workflow/parameterTexts.ts"

const rule = (interval: object) => scheduleText({ rule: { interval: [interval] } })

describe("scheduleText", () => {
  it.each<readonly [object, string]>([
    [{}, "every day at 0:00"],
    [{ field: "seconds" }, "every 30 seconds"],
    [{ field: "minutes", minutesInterval: 15 }, "every 15 minutes"],
    [{ field: "hours", hoursInterval: 2, triggerAtMinute: 5 }, "every 2 hours at minute 5"],
    [{ field: "days", daysInterval: 3, triggerAtHour: 9, triggerAtMinute: 5 }, "every 3 days at 9:05"],
    [{ field: "weeks", triggerAtDay: [1, 2, 3, 4, 5], triggerAtHour: 9 }, "weekdays at 9:00"],
    [{ field: "weeks", triggerAtDay: [0, 1], triggerAtHour: 7 }, "Mondays, Sundays at 7:00"],
    [{ field: "weeks", weeksInterval: 2, triggerAtDay: [6, 0] }, "every 2 weeks on weekends at 0:00"],
    [{ field: "months", triggerAtDayOfMonth: 15, triggerAtHour: 6 }, "every month on day 15 at 6:00"],
    [{ field: "cronExpression", expression: "30 9 * * 1-5" }, "weekdays at 9:30 (cron 30 9 * * 1-5)"],
    [{ field: "hours", hoursInterval: "={{ 2 }}" }, "every ={{ 2 }} hours"]
  ])("says %j as %s", (interval, words) => {
    assert.strictEqual(rule(interval), words)
  })

  it("joins several rules", () => {
    const interval = [{ field: "hours" }, { field: "days", triggerAtHour: 9 }]
    assert.strictEqual(scheduleText({ rule: { interval } }), "every hour; every day at 9:00")
  })
})

describe("scheduleText of a cron expression", () => {
  it.each([
    ["0 9 * * *", "every day at 9:00 (cron 0 9 * * *)"],
    ["0 0 9 * * MON-FRI", "weekdays at 9:00 (cron 0 0 9 * * MON-FRI)"],
    ["*/10 * * * *", "every 10 minutes (cron */10 * * * *)"],
    ["0 9 1 * *", "cron 0 9 1 * *"],
    ["0 9 * * 1#2", "cron 0 9 * * 1#2"],
    ["nonsense", "cron nonsense"],
    ["", "cron "]
  ])("says %s as %s", (expression, words) => {
    assert.strictEqual(rule({ field: "cronExpression", expression }), words)
  })
})
