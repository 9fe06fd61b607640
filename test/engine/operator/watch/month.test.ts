import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

import { Instances } from "../../../../src/engine/client/Instances.ts"
import type { Message } from "../../../../src/engine/operator/watch/messages.ts"
import { makeWatch, type Receiver, WatchError, type WatchStore } from "../../../../src/engine/operator/watch/watch.ts"
import { HttpClients } from "../../../../src/internal/http/HttpClients.ts"
import { configured, environment } from "../../../support/harness.ts"
import { inTime } from "../../../support/inTime.ts"
import { engineThat, host, json, key } from "../../tools/standIn.ts"

const [hour, day] = [3_600_000, 86_400_000]

const everyMinutes = 5

/** Minutes from one round to the next throughout the month, with the memory measured: 5 as a watch really runs, which takes minutes. */
const wholeMonth = Number(process.env.WATCH_MONTH ?? 0)

/** The minutes of the month at which a round is made: else four a day, and every five minutes for some hours around a restart. */
const roundMinutes = Array.from({ length: (30 * 24 * 60) / everyMinutes }, (_, place) => place * everyMinutes).filter(
  (minute) =>
    wholeMonth > 0 ? minute % wholeMonth === 0 : minute % 360 === 0 || (minute > 202 * 60 && minute < 206 * 60)
)

const begin = Date.UTC(2026, 2, 1)
const iso = (at: number) => new Date(at).toISOString()

/** Collects garbage, so that the memory that is left can be compared. */
const collect = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc()")
}

/** A month in the life of 200 workflows: most run once a day, some every hour, some when they are called. */
interface Flow {
  readonly id: string
  readonly every: number
  readonly minute: number
  readonly isCalled: boolean
}

const flows: ReadonlyArray<Flow> = Array.from({ length: 200 }, (_, place) => ({
  id: `w${place}`,
  every: place < 150 ? day : 4 * hour,
  minute: (place * 7) % 60,
  isCalled: place >= 190
}))

/** An incident: its hours since the beginning, and its kind. */
interface Planted {
  readonly kind: string
  readonly id: string
  readonly from: number
  readonly to: number
}

const span = (kind: string, id: string, fromDay: number, days: number): Planted => ({
  kind,
  id,
  from: begin + fromDay * day,
  to: begin + (fromDay + days) * day
})

const planted: ReadonlyArray<Planted> = [
  // Ten that fail for some days, one after the other, and ten that do not run.
  ...Array.from({ length: 10 }, (_, place) => span("failures", `w${place * 3}`, 3 + place * 2, 2)),
  ...Array.from({ length: 10 }, (_, place) => span("missedSchedules", `w${place * 3 + 1}`, 4 + place * 2, 3)),
  // Hourly ones that become slow, and runs that hang.
  ...Array.from({ length: 4 }, (_, place) => span("slowerThanUsual", `w${152 + place}`, 6 + place * 3, 2)),
  // Language models that are asked for more.
  ...Array.from({ length: 2 }, (_, place) => span("dearerThanUsual", `w${157 + place}`, 8 + place * 9, 2)),
  ...Array.from({ length: 4 }, (_, place) => span("runningTooLong", `w${160 + place}`, 5 + place * 4, 1)),
  // Webhooks that collide, triggers that are gone, credentials that are gone.
  ...Array.from({ length: 3 }, (_, place) => span("webhooksThatCollide", `w${190 + place}`, 8 + place * 5, 2)),
  ...Array.from({ length: 3 }, (_, place) => span("noWorkingTrigger", `w${170 + place}`, 9 + place * 5, 2)),
  ...Array.from({ length: 2 }, (_, place) => span("credentialsGone", `w${180 + place}`, 11 + place * 5, 2)),
  // One credential that three workflows need, and an instance that is away.
  span("credential", "shared", 22, 2),
  span("unreachable", "production", 25.5, 0.6)
]

const isOn = (kind: string, id: string, at: number) =>
  planted.some((one) => one.kind === kind && one.id === id && at >= one.from && at < one.to)

/** Workflows that ask language models. */
const asking = new Set(["w110", "w111", "w157", "w158", "w159"])

/** Workflows that use the credential that is refused for some days. */
const needy = new Set(["w100", "w101", "w102"])

const runsOf = ({ every, id, isCalled, minute }: Flow) => {
  const first = begin - 14 * day + 6 * hour + minute * 60_000
  return Array.from({ length: Math.ceil((45 * day) / every) }, (_, place) => first + place * every).flatMap(
    (startedAt) => {
      if (isOn("missedSchedules", id, startedAt)) return []
      // Every twelfth run of some fails anyway, which is nothing new.
      const isUsual = every < day && Number(id.slice(1)) % 20 === 19 && (startedAt / hour) % 50 < 4
      const isRefused = needy.has(id) && isOn("credential", "shared", startedAt)
      const isFailed = isUsual || isRefused || isOn("failures", id, startedAt)
      const hangs = planted.find(
        (one) => one.kind === "runningTooLong" && one.id === id && startedAt >= one.from && startedAt < one.from + every
      )
      const seconds = isOn("slowerThanUsual", id, startedAt) ? 300 : 20 + ((startedAt / hour) % 7)
      const stoppedAt = hangs === undefined ? startedAt + seconds * 1000 : hangs.to
      return [{ workflowId: id, startedAt, stoppedAt, mode: isCalled ? "webhook" : "trigger", isFailed, isRefused }]
    }
  )
}

const runs = flows
  .flatMap(runsOf)
  .toSorted((a, b) => a.startedAt - b.startedAt)
  .map((run, place) => ({ ...run, id: place + 1 }))

type PlantedRun = (typeof runs)[number]

/** The first run that began at a time or later. */
const firstFrom = (at: number): number => {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((runs[middle]?.startedAt ?? Infinity) < at) low = middle + 1
    else high = middle
  }
  return low
}

const schedule = ({ every, minute }: Flow) => ({
  name: "Schedule",
  type: "engine-nodes-base.scheduleTrigger",
  typeVersion: 1.2,
  position: [0, 0],
  parameters: {
    rule: {
      interval: [
        every === day
          ? { field: "days", daysInterval: 1, triggerAtHour: 6, triggerAtMinute: minute }
          : { field: "cronExpression", expression: `${minute} 2-23/4 * * *` }
      ]
    }
  }
})

const hook = (address: string) => ({
  name: "Hook",
  type: "engine-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  webhookId: address,
  parameters: { path: address, httpMethod: "POST" }
})

const model = {
  name: "Model",
  type: "@engine/engine-nodes-langchain.lmChatOpenAi",
  typeVersion: 1,
  position: [0, 0],
  parameters: { model: { value: "small" } }
}

const workflowAt = (flow: Flow, now: number) => {
  const { id, isCalled } = flow
  const credential = isOn("credentialsGone", id, now) ? "gone" : needy.has(id) ? "shared" : "other"
  return {
    id,
    name: `Workflow ${id}`,
    active: true,
    triggerCount: isOn("noWorkingTrigger", id, now) ? 0 : 1,
    settings: { timezone: "UTC" },
    updatedAt: iso(begin - 90 * day),
    connections: {},
    nodes: [
      isCalled ? hook(isOn("webhooksThatCollide", id, now) ? "w199" : id) : schedule(flow),
      {
        name: "Call",
        type: "engine-nodes-base.httpRequest",
        typeVersion: 4,
        position: [0, 0],
        parameters: {},
        credentials: { httpBasicAuth: { id: credential, name: credential } }
      },
      ...(asking.has(id) ? [model] : [])
    ]
  }
}

const execution = ({ id, isFailed, mode, startedAt, stoppedAt, workflowId }: PlantedRun, now: number) => ({
  id,
  workflowId,
  mode,
  finished: !isFailed,
  status: stoppedAt > now ? "running" : isFailed ? "error" : "success",
  startedAt: iso(startedAt),
  stoppedAt: stoppedAt > now ? null : iso(stoppedAt)
})

/** An execution with its data: its error, or what its language model took. */
const withData = (run: PlantedRun, now: number) => ({
  ...execution(run, now),
  workflowData: flows.filter(({ id }) => id === run.workflowId).map((flow) => workflowAt(flow, now))[0],
  data: { resultData: run.isFailed ? errorOf(run) : { runData: { Model: [modelCall(run)] } } }
})

const modelCall = ({ startedAt, workflowId }: PlantedRun) => {
  const promptTokens = isOn("dearerThanUsual", workflowId, startedAt) ? 9000 : 1000 + ((startedAt / hour) % 7) * 100
  const data = { ai_languageModel: [[{ json: { tokenUsage: { promptTokens, completionTokens: 100 } } }]] }
  return { startTime: 1, executionTime: 1, executionStatus: "success", data }
}

const errorOf = (run: PlantedRun) => ({
  lastNodeExecuted: "Call",
  error: run.isRefused ? { message: "Unauthorized", httpCode: "401" } : { message: "something is odd" },
  runData: { Call: [{ startTime: 1, executionTime: 1, error: { message: "x" }, executionStatus: "error" }] }
})

/** The engine of that month, as it is at a moment. */
const engineAt = (now: () => number) =>
  engineThat(({ path }) => {
    const at = now()
    if (isOn("unreachable", "production", at)) return json({ message: "bad gateway" }, 502)
    const { pathname, searchParams } = new URL(path, host)
    const page = (rows: ReadonlyArray<object>) => {
      const from = Number(searchParams.get("cursor") ?? 0)
      const until = from + Number(searchParams.get("limit") ?? 100)
      return json({ data: rows.slice(from, until), nextCursor: rows.length > until ? String(until) : null })
    }
    const [, id] = /\/executions\/(\d+)$/.exec(pathname) ?? []
    const run = runs[Number(id) - 1]
    if (run !== undefined) return json(withData(run, at))
    if (pathname.endsWith("/workflows")) return page(flows.map((flow) => workflowAt(flow, at)))
    if (pathname.endsWith("/credentials")) {
      return page(["shared", "other"].map((name) => ({ id: name, name, type: "httpBasicAuth" })))
    }
    if (!pathname.endsWith("/executions")) return json({ message: "not found" }, 404)
    const status = searchParams.get("status")
    if (status === "waiting") return page([])
    const since = Date.parse(searchParams.get("startedAfter") ?? iso(at - 3 * day))
    const some = runs
      .slice(firstFrom(since), firstFrom(at + 1))
      .filter(({ stoppedAt }) => stoppedAt > at === (status === "running"))
    return page(some.toReversed().map((one) => execution(one, at)))
  })

it.effect(
  "a month of 200 workflows with 40 incidents, two restarts and a receiver that is down twice tells each once",
  () => {
    let now = begin
    const { client, requests } = engineAt(() => now)
    let lines: ReadonlyArray<string> = []
    const store: WatchStore = {
      load: Effect.sync(() => lines),
      save: (some) => Effect.sync(() => void (lines = some)),
      exclusively: (work) => work
    }
    const messages: Array<Message> = []
    const isDown = () =>
      (now > begin + 4 * day && now < begin + 6 * day) || (now > begin + 16 * day && now < begin + 16.5 * day)
    const receiver: Receiver = {
      name: "operators",
      least: "info",
      send: (message) =>
        isDown() ? Effect.fail(new WatchError({ message: "down" })) : Effect.sync(() => void messages.push(message))
    }
    const settings = {
      instances: ["production"],
      everyMinutes,
      expectations: [],
      ignore: [],
      messagesPerHour: 20,
      quietHours: { from: "22:00", to: "05:00", timezone: "UTC" },
      page: "https://workflows.example.com"
    }
    const instances = Instances.layer.pipe(
      Layer.provide(configured({ production: environment(host, key, { requestsPerSecond: Infinity }) })),
      Layer.provide(HttpClients.layerShared),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      let watch = makeWatch(settings, store, [receiver])
      const sizes: Array<number> = []
      const heaps: Array<number> = []
      let busiest = 0
      for (const minutes of roundMinutes) {
        now = begin + minutes * 60_000
        if (minutes === 204 * 60 || minutes === 504 * 60) watch = makeWatch(settings, store, [receiver])
        yield* TestClock.setTime(now)
        requests.length = 0
        const { problems } = yield* inTime(watch.round, 1000)
        if (minutes > 0) busiest = Math.max(busiest, requests.length)
        if (!isDown() && !isOn("unreachable", "production", now)) assert.deepStrictEqual(problems, [])
        if (minutes % (24 * 60) !== 0) continue
        sizes.push(lines.join().length)
        if (wholeMonth > 0) collect()
        heaps.push(process.memoryUsage().heapUsed)
      }
      const events = messages.flatMap((message) => message.events)
      assert.lengthOf(planted, 40)
      const toldOf = ({ id, kind }: Planted) =>
        events.filter((event) =>
          kind === "credential"
            ? event.title === `Credential ${id} is refused`
            : kind === "credentialsGone"
              ? event.title === "Credential gone is gone" && event.workflows?.includes(`Workflow ${id}`) === true
              : event.kind === kind && (kind === "unreachable" || new RegExp(`\\b${id}\\b`).test(event.title))
        )
      for (const one of planted) {
        const [first, ...others] = toldOf(one)
        const [second] = others
        assert.isDefined(first, `${one.kind} of ${one.id} is told`)
        assert.isAtMost(others.length, 1, `${one.kind} of ${one.id} is told once`)
        assert.deepStrictEqual(
          [first?.type, second?.type],
          second === undefined ? ["passed", undefined] : ["begin", "over"]
        )
        assert.isAtLeast(Date.parse(first?.since ?? ""), one.from)
        assert.isAtMost(
          Date.parse(first?.since ?? ""),
          one.from + 1.5 * day,
          `${one.kind} of ${one.id} is seen in time`
        )
        assert.isAtMost(Date.parse((second ?? first)?.until ?? ""), one.to + 1.5 * day, `${one.kind} of ${one.id} ends`)
      }
      const expected = new Set(planted.flatMap(toldOf))
      assert.deepStrictEqual(
        events.filter((event) => !expected.has(event)).map(({ since, title, type }) => `${since} ${type} ${title}`),
        [],
        "nothing else is told"
      )
      assert.isAtMost(busiest, 60, "requests of a round after the first")
      // After 16 days, there are 30 runs of each workflow that runs once a day: more are not remembered.
      assert.isAtMost(sizes.at(-1) ?? Infinity, (sizes[18] ?? 0) * 1.05, "what is remembered has its limits")
      if (wholeMonth === 0) return
      const megabytes = heaps.map((bytes) => Math.round(bytes / 2 ** 17) / 8)
      console.log(`${busiest} requests in the busiest round; megabytes after each day: ${megabytes.join(" ")}`)
      assert.isAtMost(megabytes.at(-1) ?? Infinity, (megabytes[18] ?? 0) + 2, "memory stays as it is")
    }).pipe(Effect.provide(instances))
  },
  wholeMonth > 0 ? 7_200_000 : 120_000
)
