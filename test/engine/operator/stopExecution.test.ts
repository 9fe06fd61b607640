import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, operatorToolsets, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

const workflow = { id: "w1", name: "Orders", active: true, nodes: [], connections: {} }
const run = (id: number, workflowId = "w1") => ({ id, workflowId, status: "running", finished: false, mode: "webhook" })
const running = [run(1), run(2), run(3), run(4), run(5, "w2"), run(6)]

/** The engine's answers to the stopping of each execution. */
const outcomes: Readonly<Record<string, ReturnType<typeof json>>> = {
  "1": json(run(1)),
  "2": json({ message: "Execution 2 is gone" }, 404),
  "3": json({ message: "already stopped" }, 409),
  "4": json({ message: "the queue is gone" }, 500),
  "6": json({ message: "Internal server error" }, 500)
}

const noSuchRoute = json({ message: "not found" }, 404)

/** An engine with these runs, which says of each what came of stopping it. */
const engineWhere = (stopping: (id: string) => ReturnType<typeof json>) =>
  engineThat(({ method, path }) => {
    const [, id = ""] = /^\/api\/v1\/executions\/(\d+)\/stop$/.exec(path) ?? []
    if (method === "POST") return stopping(id)
    if (path.startsWith("/api/v1/executions/4")) return json(run(4))
    if (path.startsWith("/api/v1/executions/6")) return json({ ...run(6), status: "canceled" })
    if (path.startsWith("/api/v1/workflows/w1")) return json(workflow)
    if (path.startsWith("/api/v1/tags")) return json({ data: [], nextCursor: null })
    if (!path.startsWith("/api/v1/executions?")) return noSuchRoute
    return json({ data: path.includes("status=running") ? running : [], nextCursor: null })
  })

it.effect("stop_execution tells of each run of a workflow whether it was stopped, had ended, or goes on", () => {
  const { requests, client } = engineWhere((id) => outcomes[id] ?? noSuchRoute)
  return Effect.gen(function* () {
    const answer = yield* inTime(ask("stop_execution", { workflowId: "w1" }))
    assert.deepInclude(answer, { stopped: [1], endedByThemselves: [2, 3, 6] })
    assert.nestedPropertyVal(answer, "failed[0].id", 4)
    assert.include(JSON.stringify(answer["failed"]), "the queue is gone")
    assert.notProperty(answer, "notice")
    assert.sameMembers(
      requests.flatMap(({ method, path }) => (method === "POST" ? [path] : [])),
      [1, 2, 3, 4, 6].map((id) => `/api/v1/executions/${id}/stop`)
    )
  }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
})

it.effect("stop_execution says that a run has ended where the engine answers with a fault of its own", () =>
  Effect.gen(function* () {
    const { message } = yield* inTime(refused("stop_execution", { id: 6 }))
    assert.include(message, "Only running or waiting executions can be stopped and 6 is currently canceled")
  }).pipe(Effect.provide(serving(engineWhere((id) => outcomes[id] ?? noSuchRoute).client, {}, operatorToolsets)))
)

it.effect("stop_execution says of no run that it was stopped where the engine turns out not to have the call", () =>
  Effect.gen(function* () {
    const answer = yield* inTime(ask("stop_execution", { workflowId: "w1" }))
    assert.hasAllKeys(answer, ["guidance"])
    assert.include(String(answer["guidance"]), "cannot stop executions")
  }).pipe(Effect.provide(serving(engineWhere(() => noSuchRoute).client, {}, operatorToolsets)))
)
