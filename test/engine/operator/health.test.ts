import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { WorkflowId } from "../../../src/engine/workflow/models.ts"
import { ask as askNow, askAsPerson, type Json, operatorToolsets, serverOverEmbedded } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

/** Asks, and lets the time go on that the answer takes. */
const ask = (name: string, args?: Json) => inTime(askNow(name, args))

const Row = Schema.Record(Schema.String, Schema.Unknown)
const Rows = Schema.optionalKey(Schema.Array(Row))
const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.NonEmptyArray(
      Schema.Struct({
        missedSchedules: Rows,
        rarerThanBefore: Rows,
        noWorkingTrigger: Rows,
        runningTooLong: Rows,
        credentialsUnused: Rows,
        webhooksThatCollide: Rows,
        failures: Rows,
        notLookedAt: Schema.optionalKey(Schema.Array(Schema.String))
      })
    )
  })
)

const healthOf = (args: Json = {}) => Effect.map(ask("instance_health", args), (health) => decode(health).data[0])

const schedule = (interval: Json, more: Json = {}) => ({
  name: "Schedule",
  type: "engine-nodes-base.scheduleTrigger",
  typeVersion: 1.2,
  position: [0, 0],
  parameters: { rule: { interval: [interval] } },
  ...more
})

const hourly = { field: "hours", hoursInterval: 1, triggerAtMinute: 30 }

const hook = {
  name: "Hook",
  type: "engine-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  webhookId: "late",
  parameters: { path: "late", httpMethod: "POST" }
}

const wait = (hours: number) => ({
  name: "Wait",
  type: "engine-nodes-base.wait",
  typeVersion: 1.1,
  position: [0, 0],
  parameters: { amount: hours, unit: "hours" }
})

describe("instance_health", () => {
  it.effect("names an active workflow that did not run by its schedule, and none that had no reason to", () =>
    Effect.gen(function* () {
      const settings = { timezone: "Europe/Berlin" }
      const { id } = yield* ask("create_workflow", { name: "Late", nodes: [schedule(hourly)], settings, active: true })
      yield* ask("create_workflow", { name: "Off", nodes: [schedule(hourly)], settings })
      const yearly = { field: "cronExpression", expression: "0 0 1 1 *" }
      yield* ask("create_workflow", { name: "Seldom", nodes: [schedule(yearly)], settings, active: true })
      const { missedSchedules: early } = yield* healthOf()
      assert.isUndefined(early, "nothing is missed before anything was due")
      yield* TestClock.adjust("5 hours")
      const { missedSchedules } = yield* healthOf()
      assert.lengthOf(missedSchedules ?? [], 1)
      assert.include(missedSchedules?.[0], { id, workflow: "Late", expectedAtLeast: 5, ran: 0 })
      assert.notProperty(missedSchedules?.[0], "text")
      const { value } = yield* inTime(askAsPerson("instance_health"))
      const [inWords] = decode(value).data[0].missedSchedules ?? []
      assert.include(inWords, { name: "Late", workflowId: id })
      assert.match(String(inWords?.["text"]), /^has not run since 1970-01-01 00:00 UTC, though it was due: /)
      const { missedSchedules: lately } = yield* healthOf({ hours: 2 })
      assert.include(lately?.[0], { expectedAtLeast: 2 })
    }).pipe(Effect.provide(serverOverEmbedded({ version: "2.41.1" }, operatorToolsets)))
  )

  it.effect(
    "names an active workflow that is due daily and never ran, though a day need not hold a run for certain",
    () =>
      Effect.gen(function* () {
        const daily = schedule({ field: "days", daysInterval: 1, triggerAtHour: 9 })
        const { id } = yield* ask("create_workflow", { name: "Daily", nodes: [daily], active: true })
        yield* TestClock.adjust("1 hour")
        const { missedSchedules: early } = yield* healthOf()
        assert.isUndefined(early)
        yield* TestClock.adjust("3 days")
        const { missedSchedules } = yield* healthOf()
        assert.include(missedSchedules?.[0], { id, ran: 0 })
      }).pipe(Effect.provide(serverOverEmbedded({ version: "2.41.1" }, operatorToolsets)))
  )

  it.effect(
    "names a workflow that ran daily until its schedule was changed to a monthly one, and none that ran monthly",
    () => {
      const at = (day: number) => new Date(Date.UTC(2026, 9, day, 9)).toISOString()
      const monthly = schedule({
        field: "months",
        monthsInterval: 1,
        triggerAtDayOfMonth: 1,
        triggerAtHour: 9,
        triggerAtMinute: 0
      })
      const workflow = (id: string) => ({
        id,
        name: id,
        active: true,
        nodes: [monthly],
        connections: {},
        settings: { timezone: "UTC" },
        triggerCount: 1,
        updatedAt: at(6)
      })
      const run = (workflowId: string, day: number) => ({
        id: day + 500,
        workflowId,
        mode: "trigger",
        status: "success",
        finished: true,
        startedAt: at(day),
        stoppedAt: at(day)
      })
      const days = { turned: [5, 4, 3, 2, 1], always: [1, -30, -60, -91, -121] }
      const { client } = engineThat(({ path }) => {
        const of = path.includes("workflowId=turned") ? "turned" : "always"
        if (path.includes("/executions")) {
          return json({ data: path.includes("status=") ? [] : days[of].map((day) => run(of, day)), nextCursor: null })
        }
        const [, id] = /workflows\/(\w+)/.exec(path) ?? []
        return json(
          id === undefined ? { data: [workflow("turned"), workflow("always")], nextCursor: null } : workflow(id)
        )
      })
      return Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 9, 20))
        const { rarerThanBefore } = yield* healthOf()
        assert.deepStrictEqual(rarerThanBefore, [
          { workflow: "turned", id: "turned", ranEveryHours: 24, lastRun: at(5), changed: at(6) }
        ])
      }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
    }
  )

  it.effect("does not ask for runs from before a workflow was switched on", () =>
    Effect.gen(function* () {
      const settings = { timezone: "UTC" }
      const { id } = yield* ask("create_workflow", { name: "New", nodes: [schedule(hourly)], settings })
      yield* TestClock.adjust("10 hours")
      yield* ask("activate_workflow", { id })
      yield* TestClock.adjust("10 minutes")
      const { missedSchedules: none } = yield* healthOf()
      assert.isUndefined(none)
      yield* TestClock.adjust("2 hours")
      const { missedSchedules } = yield* healthOf()
      assert.include(missedSchedules?.[0], { id, expectedAtLeast: 2, ran: 0 })
    }).pipe(Effect.provide(serverOverEmbedded({ version: "2.41.1" }, operatorToolsets)))
  )

  it.effect("names a run that takes long where nothing tells how long it usually takes", () =>
    Effect.gen(function* () {
      const { id } = yield* ask("create_workflow", {
        name: "Slow",
        nodes: [hook, wait(5)],
        connections: [{ source: "Hook", target: "Wait" }],
        active: true
      })
      yield* TestClock.adjust("1 second")
      yield* ask("execute_workflow", { id })
      const { runningTooLong: early } = yield* healthOf()
      assert.isUndefined(early)
      yield* TestClock.adjust("2 hours")
      const { runningTooLong } = yield* healthOf()
      assert.include(runningTooLong?.[0], { workflow: "Slow" })
      assert.isAtLeast(Number(runningTooLong?.[0]?.seconds), 7200)
    }).pipe(Effect.provide(serverOverEmbedded({ version: "2.41.1" }, operatorToolsets)))
  )

  it.effect("names credentials that no workflow uses, and active workflows none of whose triggers listens", () =>
    Effect.gen(function* () {
      const { id } = yield* ask("create_credential", {
        name: "Spare",
        type: "httpBasicAuth",
        data: { user: "a", password: "b" }
      })
      const bad = schedule({ field: "cronExpression", expression: "never" })
      const { id: deaf } = yield* ask("create_workflow", { name: "Deaf", nodes: [bad], active: true })
      const { credentialsUnused, noWorkingTrigger, notLookedAt } = yield* healthOf()
      assert.deepStrictEqual(credentialsUnused, [{ id, name: "Spare", type: "httpBasicAuth" }])
      assert.deepStrictEqual(noWorkingTrigger, [{ workflow: "Deaf", id: deaf, why: "none of its triggers listens" }])
      assert.include(notLookedAt ?? [], "1 workflows with a schedule that only the engine can read")
    }).pipe(Effect.provide(serverOverEmbedded({ version: "2.41.1" }, operatorToolsets)))
  )

  it.effect("names webhooks that two active workflows want, and when a failing workflow last succeeded", () =>
    Effect.gen(function* () {
      const paid = { ...hook, parameters: { ...hook.parameters, path: "pay" } }
      const giveUp = {
        name: "Give up",
        type: "engine-nodes-base.stopAndError",
        typeVersion: 1,
        position: [0, 0],
        parameters: { errorMessage: "no" }
      }
      const made = yield* Effect.forEach([[paid], [paid, giveUp]], (nodes, place) =>
        ask("create_workflow", {
          name: `Payment ${place}`,
          nodes,
          connections: nodes.length === 1 ? [] : [{ source: "Hook", target: "Give up" }],
          active: true
        })
      )
      yield* ask("execute_workflow", { id: made[1]?.id })
      const { failures, webhooksThatCollide } = yield* healthOf()
      assert.lengthOf(webhooksThatCollide ?? [], 1)
      assert.propertyVal(webhooksThatCollide?.[0], "address", "POST /webhook/pay")
      const owners = webhooksThatCollide?.[0]?.["workflows"]
      assert.sameDeepMembers(
        Array.isArray(owners) ? owners : [],
        made.map(({ id }, place) => ({ workflow: `Payment ${place}`, id, node: "Hook" }))
      )
      assert.include(failures?.[0], { workflow: "Payment 1", lastSuccess: "none on record" })
    }).pipe(Effect.provide(serverOverEmbedded({ version: "1.82.3" }, operatorToolsets)))
  )

  it.effect("answers in 2 kB about 500 workflows of which every tenth is broken, and takes few requests", () => {
    const at = (hours: number) => new Date(Date.UTC(2026, 9, 20) - hours * 3_600_000).toISOString()
    const workflows = Array.from({ length: 500 }, (_, place) => ({
      id: `w${place}`,
      name: `Workflow number ${place} of a company with long names`,
      active: true,
      nodes: [{ ...schedule(hourly), credentials: { httpBasicAuth: { id: `c${place}`, name: `Login ${place}` } } }],
      connections: {},
      settings: { timezone: "UTC" },
      triggerCount: place % 10 === 3 ? 0 : 1,
      updatedAt: at(1000)
    }))
    const runs = workflows.flatMap(({ id }, place) =>
      Array.from({ length: place % 10 === 5 ? 0 : 2 }, (_, run) => ({
        id: 5000 - place * 2 - run,
        workflowId: id,
        mode: "trigger",
        status: place % 10 === 7 ? "error" : "success",
        finished: place % 10 !== 7,
        startedAt: at(run + 0.5),
        stoppedAt: at(run + 0.4)
      }))
    )
    const { client, requests } = engineThat(({ path }) => {
      const { pathname, searchParams } = new URL(path, "http://x")
      const from = Number(searchParams.get("cursor") ?? 0)
      const page = (rows: ReadonlyArray<object>, limit = Number(searchParams.get("limit"))) =>
        json({
          data: rows.slice(from, from + limit),
          nextCursor: rows.length > from + limit ? String(from + limit) : null
        })
      const of = searchParams.get("workflowId")
      if (pathname.endsWith("/workflows")) return page(workflows)
      if (pathname.endsWith("/credentials")) return page([{ id: "other", name: "Other", type: "smtp" }])
      if (!pathname.endsWith("/executions")) return json({ message: "not found" }, 404)
      return page(
        runs.filter(({ status, workflowId }) => {
          const wanted = searchParams.get("status")
          return (of === null || workflowId === of) && (wanted === null || wanted === status)
        })
      )
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 9, 20))
      const answer = yield* ask("instance_health", { hours: 2 })
      assert.isAtMost(JSON.stringify(answer).length, 2000)
      const { data } = decode(answer)
      assert.containsAllKeys(data[0], ["failures", "missedSchedules", "noWorkingTrigger"])
      assert.isAtMost(requests.length, 160)
      const whole = yield* ask("instance_health", { hours: 2, limit: 50 })
      assert.lengthOf(decode(whole).data[0].noWorkingTrigger ?? [], 50)
    }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
  })

  it.effect("tells a refused key from an engine that is not reached, and when it last heard from it", () =>
    Effect.gen(function* () {
      let status = 200
      const { client } = engineThat(() =>
        json(status === 200 ? { data: [], nextCursor: null } : { message: "no" }, status)
      )
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(1000)
        yield* ask("instance_health")
        status = 401
        yield* TestClock.setTime(5000)
        const { errors } = yield* ask("instance_health")
        assert.nestedPropertyVal(errors, "0.state", "key refused")
        assert.nestedPropertyVal(errors, "0.heardAt", "1970-01-01T00:00:05.000Z")
      }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
    })
  )

  it.effect("goes on where one part of an instance cannot be read, and says which", () =>
    Effect.gen(function* () {
      const { client } = engineThat(({ path }) => {
        if (path.includes("/workflows")) return json({ data: [], nextCursor: null })
        return path.includes("/credentials")
          ? json({ message: "Forbidden" }, 403)
          : json({ data: [], nextCursor: null })
      })
      const { notLookedAt } = yield* healthOf().pipe(Effect.provide(serving(client, {}, operatorToolsets)))
      assert.deepStrictEqual(notLookedAt, [
        "credentials: API call failed for instance production: Insufficient permissions."
      ])
    })
  )
})

describe("a call that the engine or the key lacks", () => {
  const discovery = (scopes: ReadonlyArray<string>) => ({
    data: {
      scopes,
      resources: { workflow: { operations: [], endpoints: [{ method: "GET", path: "/api/v1/workflows" }] } }
    }
  })
  const guidanceFor = (scopes: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { requests, client } = engineThat(({ path }) =>
        path.endsWith("/discover") ? json(discovery(scopes)) : json({ message: "not found" }, 404)
      )
      const answer = yield* ask("stop_execution", { id: 1 }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
      assert.isFalse(
        requests.some(({ method }) => method === "POST"),
        "nothing is tried out"
      )
      return String(answer.guidance)
    })

  it.effect("is told from the engine's own list, with the scope where that is what is missing", () =>
    Effect.gen(function* () {
      assert.match(yield* guidanceFor(["execution:read"]), /may not stop executions: it lacks the scope execution:stop/)
      assert.match(
        yield* guidanceFor(["execution:stop"]),
        /^This engine's API cannot stop executions: that came with 2\.10\.0/
      )
    })
  )

  it.effect("is not told of a call that the engine lists, whatever that calls the ids in it", () =>
    Effect.gen(function* () {
      const path = "/api/v1/executions/{id}/stop"
      const answers = new Map<string, unknown>([
        [
          "GET /api/v1/discover",
          { data: { scopes: [], resources: { all: { endpoints: [{ method: "POST", path }] } } } }
        ],
        ["POST /api/v1/executions/1/stop", { id: "1", status: "canceled" }]
      ])
      const { client } = engineThat(({ method, path }) => {
        const answer = answers.get(`${method} ${path}`)
        return answer === undefined ? json({ message: "not found" }, 404) : json(answer)
      })
      const stopped = yield* ask("stop_execution", { id: 1 }).pipe(
        Effect.provide(serving(client, {}, operatorToolsets))
      )
      assert.include(stopped, { id: 1, status: "canceled" })
    })
  )

  it.effect("is told of a credential that the engine cannot test, not that the credential does not work", () =>
    Effect.gen(function* () {
      const path = "/api/v1/credentials/{id}/test"
      const { client } = engineThat(({ method }) =>
        method === "POST"
          ? json({ message: "Unrecognized node type: n8n-nodes-base.graphqlTool" }, 400)
          : json({ data: { scopes: [], resources: { all: { endpoints: [{ method: "POST", path }] } } } })
      )
      const tested = yield* ask("test_credential", { id: "a" }).pipe(
        Effect.provide(serving(client, {}, operatorToolsets))
      )
      assert.deepStrictEqual(tested, {
        id: "a",
        works: null,
        message: "The engine has no test for this type of credential."
      })
    })
  )

  it.effect("is none where the engine has the call at its former address", () =>
    Effect.gen(function* () {
      const path = "/api/v1/workflows/{id}/{versionId}"
      const version = { versionId: "v1", nodes: [{ ...hook, name: "Former" }], connections: {} }
      const answers = new Map<string, unknown>([
        ["/api/v1/discover", { data: { scopes: [], resources: { all: { endpoints: [{ method: "GET", path }] } } } }],
        ["/api/v1/workflows/w1", { id: "w1", name: "Orders", active: false, nodes: [hook], connections: {} }],
        ["/api/v1/workflows/w1/v1", version]
      ])
      const { client } = engineThat(({ path }) => {
        const answer = answers.get(path)
        return answer === undefined ? json({ message: "not found" }, 404) : json(answer)
      })
      const { sketch } = yield* ask("view_workflow", { id: "w1", version: "v1" }).pipe(
        Effect.provide(serving(client, {}, operatorToolsets))
      )
      assert.include(sketch, "Former")
    })
  )

  it.effect("is no error of an engine that shows single versions at the address of their list", () =>
    Effect.gen(function* () {
      const { client } = engineThat(() => json({ message: "Unknown query parameter 'limit'" }, 400))
      const listed = Effect.gen(function* () {
        const engine = yield* (yield* Instances).resolve()
        return yield* engine.listVersionsIfSupported(WorkflowId.make("a"), { limit: 1 })
      })
      assert.isTrue(Option.isNone(yield* Effect.provide(listed, serving(client))))
    })
  )
})
