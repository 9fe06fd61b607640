import { assert, describe, it } from "@effect/vitest"

import type { FailureClass } from "../../../src/engine/operator/explain/failureClass.ts"
import { type FailedRun, failedRunOf } from "../../../src/engine/operator/explain/subRuns.ts"
import { causeOf } from "../../../src/engine/operator/health/failureCause.ts"
import type { Observation } from "../../../src/engine/operator/health/Observation.ts"
import { findingsIn } from "../../../src/engine/operator/health/rules.ts"
import { failsMore, noCounts, type Run, slowness } from "../../../src/engine/operator/health/runs.ts"
import { workflowFactsOf } from "../../../src/engine/operator/health/workflowFacts.ts"
import { ExecutionId } from "../../../src/engine/workflow/models.ts"

const now = Date.UTC(2026, 9, 20, 12)
const [hour, day] = [3_600_000, 86_400_000]

/** Runs from a text, the newest first: `F` failed, every other letter succeeded. */
const runsOf = (outcomes: string, seconds = 1, gap = hour): ReadonlyArray<Run> =>
  outcomes.split("").map((outcome, place) => ({
    id: 1000 - place,
    status: outcome === "F" ? "error" : "success",
    mode: "trigger",
    startedAt: now - (place + 1) * gap,
    seconds
  }))

const schedule = (interval: object) => ({
  name: "Schedule",
  type: "engine-nodes-base.scheduleTrigger",
  typeVersion: 1.2,
  position: [0, 0],
  parameters: { rule: { interval: [interval] } }
})

const hourly = { field: "hours", hoursInterval: 1, triggerAtMinute: 0 }

const workflow = (id: string, more: object = {}) =>
  workflowFactsOf({
    id,
    name: `Workflow ${id}`,
    active: true,
    triggerCount: 1,
    nodes: [schedule(hourly)],
    connections: {},
    settings: { timezone: "UTC" },
    updatedAt: new Date(now - 100 * day).toISOString(),
    ...more
  })

const observed = (more: Partial<Observation>): Observation => ({
  instance: "production",
  from: now - day,
  now,
  isWatched: false,
  workflows: [],
  isWhole: true,
  runs: new Map(),
  running: [],
  waiting: [],
  failed: [],
  errors: new Map(),
  activations: new Map(),
  lastChanges: new Map(),
  credentials: undefined,
  changes: [],
  usage: new Map(),
  prices: {},
  keyEndsAt: undefined,
  expectations: [],
  ...more
})

const workflowsOf = (...ids: ReadonlyArray<string>) => ids.flatMap((id) => workflow(id) ?? [])

const pastOf = (runs: ReadonlyArray<Run>) => ({ since: now - 14 * day, runs, earlier: noCounts })

describe("a workflow fails more than it did", () => {
  const cases: ReadonlyArray<readonly [runs: string, isMore: boolean, what: string]> = [
    ["F.........", true, "after the first failure of one that never failed"],
    [".F........", false, "no more when it has succeeded again"],
    ["F.", false, "not for one failure of two runs"],
    ["FFFF", true, "for nothing but failures"],
    ["F..F...F..F..F...F..F..F...F.F", false, "not where every third run fails anyway"],
    ["FFFFFFFFF..F...F..F..F...F.F..", true, "where every third run failed, and now each does"],
    [".FF.F.F.FF.F..F.F.F............................", true, "where every second fails, and none did before"]
  ]
  it.each(cases)("%s: %s, %s", (runs, isMore) => assert.strictEqual(failsMore(pastOf(runsOf(runs))), isMore))

  it("counts what was before the runs that are known one by one", () => {
    const earlier = { ended: 900, failed: 90 }
    assert.isFalse(failsMore({ runs: runsOf("F........."), earlier }))
    assert.isTrue(failsMore({ runs: runsOf("FFFF......"), earlier }))
  })
})

it("a workflow is slow where each of its last runs took twice as long as its slowest ones before", () => {
  const before = [...runsOf("..........", 2), ...runsOf("..", 6)]
  assert.isUndefined(slowness([...runsOf("..", 60), ...before], undefined), "two are not enough")
  assert.isUndefined(slowness([...runsOf("...", 14), ...before], undefined), "nor a little more")
  assert.deepStrictEqual(slowness([...runsOf("...", 60), ...before], undefined), { last: 60, usual: 2 })
  assert.deepStrictEqual(slowness(runsOf("....", 9), 8), { last: 9, usual: 9 }, "a person's limit needs no past")
})

describe("the rules", () => {
  it("name the standstill of an engine as the one cause of all missed runs", () => {
    const workflows = workflowsOf("a", "b", "c")
    const runs = new Map(
      workflows.map(({ id }) => [id, pastOf(runsOf("...").map((run) => ({ ...run, startedAt: now - 2 * day })))])
    )
    const findings = findingsIn(observed({ workflows, runs }))
    assert.deepStrictEqual(
      findings.map(({ cause, kind, row }) => [kind, cause?.key, row["why"]]),
      workflows.map(() => [
        "missedSchedules",
        "standstill",
        "the engine started no workflow by a schedule in this time"
      ])
    )
  })

  it("say why a schedule did not run: by whom it was changed, or that its last run has not ended", () => {
    const lastChanges = new Map([["a", { when: "2026-10-19T13:00:00Z", by: "Anna", change: "schedule moved" }]])
    const workflows = [workflow("a", { updatedAt: "2026-10-19T13:00:00Z" }), ...workflowsOf("b", "c")].flatMap(
      (one) => one ?? []
    )
    const runs = new Map([
      ["a", pastOf(runsOf("...").map((run) => ({ ...run, startedAt: Date.UTC(2026, 9, 19, 12) })))],
      ["b", pastOf(runsOf("."))],
      ["c", pastOf(runsOf(".".repeat(24)))]
    ])
    const running = [
      {
        ...runsOf(".")[0],
        id: 77,
        status: "running",
        mode: "trigger",
        startedAt: now - 2 * hour,
        seconds: undefined,
        workflowId: "b"
      }
    ]
    const missed = findingsIn(observed({ workflows, runs, running, lastChanges })).filter(
      ({ kind }) => kind === "missedSchedules"
    )
    assert.deepStrictEqual(
      missed.map(({ row }) => row["why"]),
      [
        "it has not run since it was changed by Anna at 2026-10-19 13:00 UTC: schedule moved",
        "its run 77 that began at 2026-10-20 10:00 UTC has not ended"
      ]
    )
    assert.notInclude(missed[0]?.text, "schedule moved", "a message holds names, and no content")
  })

  it("tell of a watched workflow that it did not run as long as it does not, and no longer", () => {
    const workflows = workflowsOf("a")
    const missedAfter = (minutes: number, updatedAt = now - 100 * day, zone: string | undefined = "UTC") => {
      const last = now - minutes * 60_000
      const runs = new Map([["a", { ...pastOf(runsOf("...").map((run) => ({ ...run, startedAt: last }))) }]])
      const watched = workflows.map((one) => ({ ...one, updatedAt, zone }))
      return findingsIn(observed({ workflows: watched, runs, isWatched: true })).map(({ kind }) => kind)
    }
    assert.deepStrictEqual(missedAfter(60), [], "it is due now, and may be late")
    assert.deepStrictEqual(missedAfter(120), ["missedSchedules"])
    assert.deepStrictEqual(missedAfter(120, now - 1000), [], "it may have another schedule")
    assert.deepStrictEqual(missedAfter(120, undefined, undefined), ["missedSchedules"], "whatever the zone")
  })

  it("follow a person's expectations before the schedule and the past", () => {
    const workflows = workflowsOf("a", "b")
    const runs = new Map(workflows.map(({ id }) => [id, pastOf(runsOf("...", 1, 12 * hour))]))
    const kindsWith = (expectations: Observation["expectations"]) =>
      findingsIn(observed({ workflows, runs, expectations })).map(({ kind, subject }) => `${kind} ${subject}`)
    assert.deepStrictEqual(kindsWith([]), ["missedSchedules a", "missedSchedules b"])
    assert.deepStrictEqual(kindsWith([{ workflow: "a", everyHours: 24 }]), ["missedSchedules b"])
    assert.deepStrictEqual(kindsWith([{ workflow: "Workflow b", ignore: ["missedSchedules"] }]), ["missedSchedules a"])
    assert.lengthOf(kindsWith([{ workflow: "b", ignore: ["all"], instance: "staging" }]), 2, "of another instance")
  })

  it("tell of a key that is about to end, a newer version that does not run, and a wait beyond its time", () => {
    const draft = workflow("d", {
      versionId: "2",
      activeVersionId: "1",
      activeVersion: { nodes: [schedule(hourly)], connections: {} },
      nodes: [schedule({ ...hourly, hoursInterval: 2 })]
    })
    const waiting = [
      {
        ...pastOf(runsOf(".")).runs[0],
        id: 5,
        status: "waiting",
        mode: "webhook",
        startedAt: now - day,
        seconds: 1,
        waitTill: now - hour,
        workflowId: "d"
      }
    ]
    const findings = findingsIn(
      observed({
        workflows: draft === undefined ? [] : [draft],
        runs: new Map([["d", pastOf(runsOf(".".repeat(24)))]]),
        waiting,
        keyEndsAt: now + 3 * day
      })
    )
    assert.deepStrictEqual(
      findings.map(({ kind }) => kind),
      ["waitingTooLong", "keyEnds", "runsOldVersion"]
    )
  })

  it("tell of a workflow without a schedule that ran every day and is silent now", () => {
    const hook = workflow("h", {
      nodes: [{ name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }]
    })
    const silentFor = (hours: number, fewest: number) => {
      const last = now - hours * hour
      const days = new Map(
        Array.from({ length: 20 }, (_, place) => [
          Math.floor(last / day) - place,
          { ended: place % 7 === 3 ? fewest : 40, failed: 0 }
        ])
      )
      const runs = new Map([
        ["h", { ...pastOf(runsOf("...").map((run) => ({ ...run, startedAt: last }))), daysOf: () => days }]
      ])
      return findingsIn(observed({ workflows: hook === undefined ? [] : [hook], runs })).map(({ kind }) => kind)
    }
    assert.deepStrictEqual(silentFor(30, 9), ["quieterThanBefore"])
    assert.deepStrictEqual(silentFor(20, 9), [], "not before a day has passed")
    assert.deepStrictEqual(silentFor(30, 0), [], "nor where some days were always silent")
  })
})

describe("causes of failures", () => {
  const credentials = { postgres: { id: "pg", name: "Postgres main" } }

  /** The run of one node, as engines keep it, that failed. */
  const failedRun = (node: object, error: object, workflowId = "w1"): FailedRun => {
    const run = failedRunOf({
      id: ExecutionId.make(1),
      workflowId,
      status: "error",
      workflowData: { id: workflowId, name: `Workflow ${workflowId}`, nodes: [{ name: "Ask", ...node }] },
      data: { resultData: { lastNodeExecuted: "Ask", error, runData: { Ask: [{ startTime: 1, error }] } } }
    })
    if (run === undefined) throw new Error("the record holds no failure")
    return run
  }
  const request = { type: "engine-nodes-base.httpRequest", parameters: { url: "https://api.example.com/orders?key=1" } }
  const database = { type: "engine-nodes-base.postgres", credentials }
  const call = {
    type: "engine-nodes-base.executeWorkflow",
    parameters: { workflowId: { value: "sub", cachedResultName: "Shipping" } }
  }
  const alone = { isCalled: false, workflow: { id: "w1", name: "Workflow w1" } }
  const wordsOf = (name: FailureClass, node: object, error: object = {}) =>
    causeOf(name, [failedRun(node, { message: "it failed", ...error })], alone)?.words

  it("are told by what several workflows have in common, with no more of an address than its host", () => {
    assert.deepStrictEqual(
      [
        wordsOf("credential refused", database),
        wordsOf("credential refused", request),
        wordsOf("service down or slow", request),
        wordsOf("service down or slow", { ...request, parameters: { url: "={{ $json.url }}" } }),
        wordsOf("service down or slow", database),
        wordsOf("rate limit", request, { context: { request: { uri: "https://other.example.com/a" } } }),
        wordsOf("missing sub-workflow or credential", call),
        wordsOf("missing sub-workflow or credential", database),
        wordsOf("node unknown here", { type: "own-nodes.odd" }),
        wordsOf("engine restarted in the midst", request),
        wordsOf("expression or code wrong", request)
      ],
      [
        "Credential Postgres main is refused",
        "api.example.com refuses access",
        "api.example.com is down or slow",
        undefined,
        "The service of credential Postgres main is down or slow",
        "other.example.com limits the rate of requests",
        "Workflow Shipping, which others call, is gone or inactive",
        "Credential Postgres main is gone",
        "This engine does not have the node type own-nodes.odd",
        "The engine stopped while workflows ran",
        undefined
      ]
    )
  })

  it("are the same for a sub-workflow that fails and for those that call it", () => {
    const inner = failedRun({ type: "engine-nodes-base.code" }, { message: "it failed" }, "sub")
    const caller = causeOf("expression or code wrong", [failedRun(call, { message: "it failed" }), inner], alone)
    const called = causeOf("expression or code wrong", [inner], {
      isCalled: true,
      workflow: { id: "sub", name: "Workflow sub" }
    })
    assert.deepStrictEqual(caller, {
      key: "failing workflow sub",
      words: "Workflow Workflow sub, which others call, fails"
    })
    assert.deepStrictEqual(called, caller)
  })
})

it("language models are dearer where each of the last runs cost more than twice as much, in tokens without prices", () => {
  const usageOf = (inputs: ReadonlyArray<number>, model = "small") =>
    new Map([
      [
        "w1",
        inputs.map((inputTokens, place) => ({
          execution: 100 - place,
          models: [{ model: place < 3 ? model : "small", inputTokens, outputTokens: 0, cachedTokens: 0 }]
        }))
      ]
    ])
  const prices = { small: { input: 1, output: 1 }, large: { input: 5, output: 5 } }
  const asks = workflow("w1")
  const textOf = (more: Partial<Observation>) =>
    findingsIn(observed({ workflows: asks === undefined ? [] : [asks], ...more }))
      .filter(({ kind }) => kind === "dearerThanUsual")
      .map(({ text }) => text)
  const [usual, high] = [Array.from({ length: 12 }, () => 1000), [4000, 5000, 4000]]
  assert.deepStrictEqual(textOf({ usage: usageOf([...high, ...usual]) }), [
    "used 4000 tokens a run at its last runs; 1000 are usual"
  ])
  assert.deepStrictEqual(textOf({ usage: usageOf([...high, ...usual]), prices }), [
    "cost 0.004 a run by its language models at its last runs; 0.001 is usual"
  ])
  assert.deepStrictEqual(textOf({ usage: usageOf(usual, "large") }), [], "a model without a price may be a dear one")
  assert.deepStrictEqual(textOf({ usage: usageOf(usual, "large"), prices }), [
    "cost 0.005 a run by its language models at its last runs; 0.001 is usual"
  ])
  assert.deepStrictEqual(textOf({ usage: usageOf([4000, 1000, 4000, ...usual]) }), [], "one run is no rule")
  assert.deepStrictEqual(textOf({ usage: usageOf(high) }), [], "nor is a past that is not known")
})
