import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientResponse } from "effect/http"

import type { Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { runDataOf } from "../../../src/engine/operator/explain/runData.ts"
import { callOf } from "../../../src/engine/plans/retry/selectRuns.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { Beside, hook, twoEmbedded } from "./support.ts"

const on = { instances: "production" }
const hour = 3_600_000

/** A workflow of `production` that fails for every call, and has failed once. */
const failed = Effect.gen(function* () {
  const { send, trigger } = yield* Beside
  const jsCode = "throw new Error('no')"
  const { id } = yield* send("production", "POST", "/workflows", {
    name: "Mails",
    nodes: [
      { ...hook("mails"), parameters: { path: "mails", httpMethod: "POST", options: {} } },
      { id: "w", name: "Work", type: "n8n-nodes-base.code", typeVersion: 2, position: [0, 0], parameters: { jsCode } }
    ],
    connections: { Hook: { main: [[{ node: "Work", type: "main", index: 0 }]] } },
    settings: {}
  })
  yield* send("production", "POST", `/workflows/${String(id)}/activate`)
  yield* trigger("production", "mails")
  return String(id)
})

/** Lets lists of runs of a status, or of any, begin with so many pages of others. */
const withOthers = Effect.fnUntraced(function* (status: string | undefined, pages: number, other: Json) {
  const { meddle, send } = yield* Beside
  let count = 0
  const begun = { requests: 0 }
  yield* meddle((request, proceed) => {
    const given = [...new URL(request.url).searchParams, ...request.urlParams]
    const query = new Map(given)
    if (request.method === "POST" && /retry|webhook/.test(request.url)) begun.requests += 1
    if (!new URL(request.url).pathname.endsWith("/executions") || query.get("status") !== status) return proceed
    if (count >= pages) {
      return Effect.map(send("production", "GET", `/executions?status=${status}`), (page) =>
        HttpClientResponse.fromWeb(request, Response.json(page))
      )
    }
    count += 1
    const data = Array.from({ length: 250 }, (_, place) => ({ ...other, id: 1_000_000 - count * 250 - place }))
    const page = Response.json({ data, nextCursor: `page ${count}` })
    return Effect.succeed(HttpClientResponse.fromWeb(request, page))
  })
  return begun
})

const runAt = (workflowId: string, at: number, status: string): Json => ({
  workflowId,
  status,
  mode: "trigger",
  finished: status === "success",
  startedAt: new Date(at).toISOString(),
  stoppedAt: new Date(at).toISOString()
})

describe("plan_retry", () => {
  it("calls nothing anew for a run whose call the engine hides: an empty one would be sent", () => {
    const callIn = (more: Json) => {
      const item = { json: { body: { a: 1 } }, ...more }
      return callOf(runDataOf({ data: { resultData: { runData: { Hook: [{ data: { main: [[item]] } }] } } } }))
    }
    assert.deepInclude(callIn({}), { node: "Hook" })
    assert.isUndefined(callIn({ json: {}, redaction: { redacted: true } }))
  })

  it.live("retries no success that an engine lists because it does not look for the status", () =>
    Effect.gen(function* () {
      const id = yield* failed
      yield* withOthers("crashed", 1, runAt(id, Date.now(), "success"))
      const plan = yield* ask("plan_retry", { ...on, workflow: id })
      assert.include(plan, { steps: 1 }, JSON.stringify(plan))
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
  )

  it.live("finds the failed runs of a period that is over, however many have failed since", () =>
    Effect.gen(function* () {
      const id = yield* failed
      const now = Date.now()
      yield* withOthers("error", 1, runAt(id, now + 2 * hour, "error"))
      const until = new Date(now + hour).toISOString()
      const plan = yield* ask("plan_retry", { ...on, workflow: id, until })
      assert.include(plan, { steps: 1 }, JSON.stringify(plan))
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "2.41.1"])))
  )

  const versions: ReadonlyArray<Version> = ["1.82.3", "2.41.1"]
  it.live.each(versions)(
    "begins nothing on %s where later runs are more than are listed, as one may be a retry",
    (version) =>
      Effect.gen(function* () {
        const id = yield* failed
        const { plan_id } = yield* ask("plan_retry", { ...on, workflow: id })
        const begun = yield* withOthers(undefined, 1000, runAt(id, Date.now(), "success"))
        const report = yield* refused("apply_plan", { plan_id, confirm: true })
        assert.include(JSON.stringify(report), "more runs since than are listed")
        assert.strictEqual(begun.requests, 0)
        const plan = yield* ask("plan_retry", { ...on, workflow: id })
        assert.include(plan, { steps: 0 }, JSON.stringify(plan))
        assert.include(JSON.stringify(plan), "more later runs than are listed")
      }).pipe(Effect.provide(twoEmbedded([version, version])))
  )
})
