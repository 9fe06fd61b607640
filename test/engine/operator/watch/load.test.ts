import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { Instances } from "../../../../src/engine/client/Instances.ts"
import type { Message } from "../../../../src/engine/operator/watch/messages.ts"
import { makeWatch } from "../../../../src/engine/operator/watch/watch.ts"
import { HttpClients } from "../../../../src/internal/http/HttpClients.ts"
import { configured, environment } from "../../../support/harness.ts"
import { inTime } from "../../../support/inTime.ts"
import { engineThat, host, json, key } from "../../tools/standIn.ts"

const begin = Date.UTC(2026, 4, 4)
const minute = 60_000
const day = 1440 * minute
const iso = (at: number) => new Date(at).toISOString()

/** 500 workflows that run every five hours; from one hour on, every second one fails, as its service is down. */
const workflows = Array.from({ length: 500 }, (_, place) => ({
  id: `w${place}`,
  name: `Workflow ${place}`,
  active: true,
  triggerCount: 1,
  settings: { timezone: "UTC" },
  updatedAt: iso(begin - 90 * day),
  connections: {},
  nodes: [
    {
      name: "Hook",
      type: "engine-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      webhookId: `h${place}`,
      parameters: { path: `h${place}`, httpMethod: "POST" }
    },
    {
      name: "Ask",
      type: place % 10 === 0 ? "@engine/engine-nodes-langchain.lmChatOpenAi" : "engine-nodes-base.httpRequest",
      typeVersion: 1,
      position: [0, 0],
      parameters: { url: "https://api.example.com/items" },
      credentials: { httpBasicAuth: { id: `c${place % 40}`, name: `Login ${place % 40}` } }
    }
  ]
}))

const [hours, downFrom] = [4, begin + 60 * minute]

const runs = workflows
  .flatMap(({ id }, place) =>
    Array.from({ length: 10 }, (_, run) => ({
      workflowId: id,
      place,
      startedAt: begin + (run < 8 ? (run - 8) * day : (run - 8) * 300 * minute) + place * 36_000
    }))
  )
  .toSorted((a, b) => a.startedAt - b.startedAt)
  .map((run, place) => ({ ...run, id: place + 1, isFailed: run.startedAt >= downFrom && run.place % 2 === 1 }))

const endpoint = { method: "POST", path: "/api/v1/credentials/{credentialId}/test" }
const offered = { data: { scopes: [], resources: { credential: { endpoints: [endpoint] } } } }

const down = { message: "The service was not able to process your request", httpCode: "503" }

const execution = ({ id, isFailed, startedAt, workflowId }: (typeof runs)[number], isWhole: boolean) => ({
  id,
  workflowId,
  mode: "webhook",
  finished: !isFailed,
  status: isFailed ? "error" : "success",
  startedAt: iso(startedAt),
  stoppedAt: iso(startedAt + 1000),
  ...(isWhole
    ? {
        workflowData: workflows.find((workflow) => workflow.id === workflowId),
        data: {
          resultData: { lastNodeExecuted: "Ask", error: down, runData: { Ask: [{ startTime: 1, error: down }] } }
        }
      }
    : {})
})

it.effect("a watch asks an engine with 500 workflows at most once a second, and for nothing twice in a round", () => {
  let now = begin
  const { client } = engineThat(({ path }) => {
    const { pathname, searchParams } = new URL(path, host)
    const page = (rows: ReadonlyArray<object>) => {
      const from = Number(searchParams.get("cursor") ?? 0)
      const until = from + Number(searchParams.get("limit") ?? 100)
      return json({ data: rows.slice(from, until), nextCursor: rows.length > until ? String(until) : null })
    }
    const run = runs[Number(/\/executions\/(\d+)$/.exec(pathname)?.[1]) - 1]
    if (run !== undefined) return json(execution(run, true))
    if (pathname.endsWith("/workflows")) return page(workflows)
    if (pathname.endsWith("/credentials")) {
      return page(
        Array.from({ length: 40 }, (_, place) => ({ id: `c${place}`, name: `Login ${place}`, type: "httpBasicAuth" }))
      )
    }
    if (pathname.endsWith("/discover")) return json(offered)
    if (pathname.endsWith("/test")) return json({ status: "OK", message: "" })
    if (!pathname.endsWith("/executions")) return json({ data: { versionCli: "2.41.1" } })
    if (searchParams.has("status")) return page([])
    const since = Date.parse(searchParams.get("startedAfter") ?? "")
    return page(
      runs
        .filter(({ startedAt }) => startedAt >= since && startedAt <= now)
        .toReversed()
        .map((one) => execution(one, false))
    )
  })
  const sent: Array<{ readonly at: number; readonly what: string }> = []
  const counted = HttpClient.mapRequestEffect(client, (request) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      sent.push({ at, what: `${request.method} ${request.url} ${JSON.stringify(request.urlParams)}` })
      return request
    })
  )
  let lines: ReadonlyArray<string> = []
  const messages: Array<Message> = []
  const watch = makeWatch(
    {
      instances: ["production"],
      everyMinutes: 5,
      expectations: [],
      ignore: [],
      messagesPerHour: 20,
      quietHours: undefined,
      page: undefined
    },
    {
      load: Effect.sync(() => lines),
      save: (some) => Effect.sync(() => void (lines = some)),
      exclusively: (work) => work
    },
    [{ name: "operators", least: "info", send: (message) => Effect.sync(() => void messages.push(message)) }]
  )
  const instances = Instances.layer.pipe(
    Layer.provide(configured({ production: environment(host, key, { requestsPerSecond: Infinity }) })),
    Layer.provide(HttpClients.layerShared),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, counted))
  )
  return Effect.gen(function* () {
    for (let minutes = 0; minutes < hours * 60; minutes += 5) {
      now = begin + minutes * minute
      yield* TestClock.setTime(now)
      const before = sent.length
      const { problems } = yield* inTime(watch.round, 1000)
      assert.deepStrictEqual(problems, [])
      const requests = sent.slice(before).map(({ what }) => what)
      assert.deepStrictEqual(
        requests.filter((what, place) => requests.indexOf(what) !== place),
        [],
        "nothing is asked twice in a round"
      )
    }
    const ofRecords = sent.map(({ what }) => what).filter((what) => /executions\/\d+ /.test(what))
    assert.lengthOf(new Set(ofRecords), ofRecords.length, "no record is read twice")
    const most = Math.max(...sent.map(({ at }) => sent.filter((one) => one.at >= at && one.at < at + 60_000).length))
    assert.isAtMost(most, 60, "requests in any minute")
    assert.isAtMost(sent.length / (hours * 3600), 0.1, "requests a second over all rounds")
    assert.deepStrictEqual(
      messages.map(({ title }) => title),
      ["[production] Began: api.example.com is down or slow"]
    )
  }).pipe(Effect.provide(instances))
})
