import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { Step } from "../../internal/http/standIn.ts"
import { ask, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const hook = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], webhookId: "orders" }
const workflow = {
  id: "w1",
  name: "Orders",
  active: true,
  activeVersionId: "new",
  versionId: "draft",
  nodes: [{ ...hook, parameters: { path: "orders", httpMethod: "POST" } }],
  connections: {}
}

const isCall = ({ path }: ReceivedRequest) => path.startsWith("/webhook/")

/** An active workflow whose address answers these one after the other, the last one for good; a run of `version` follows. */
const engine = (version: string | null, ...replies: readonly [Step, ...Array<Step>]) => {
  const records = new Array<{ id: number; status: string; workflowVersionId: string | null; data: unknown }>()
  const { requests, client } = engineThat((call) => {
    if (isCall(call)) {
      const nth = requests.filter(isCall).length
      const last = nth >= replies.length
      if (last) records.push({ id: 7, status: "success", workflowVersionId: version, data: call.headers })
      return replies[Math.min(nth, replies.length) - 1] ?? replies[0]
    }
    if (call.path.startsWith("/api/v1/executions/")) return json(records[0])
    if (call.path.startsWith("/api/v1/executions")) return json({ data: records, nextCursor: null })
    return json(workflow)
  })
  return { calls: () => requests.filter(isCall).length, server: serving(client) }
}

const notFound = (message: string, more: object = { code: 404 }) => json({ ...more, message }, 404)

describe("execute_workflow, while the engine is putting the workflow live", () => {
  const words = [
    'The requested webhook "POST orders" is not registered.',
    "This webhook is not registered for POST requests. Did you mean to make a GET request?",
    'Published version not found for workflow with id "w1"',
    'Active version not found for workflow with id "w1"'
  ]
  for (const message of words) {
    it.effect(`calls again until the workflow listens: ${message}`, () => {
      const { calls, server } = engine("new", notFound(message), notFound(message), json({ said: "yes" }))
      return Effect.gen(function* () {
        const answer = yield* inTime(ask("execute_workflow", { id: "w1" }))
        assert.deepStrictEqual(answer, {
          executionId: 7,
          status: "success",
          trigger: "Hook",
          response: { httpStatus: 200, body: { said: "yes" } }
        })
        assert.strictEqual(calls(), 3)
      }).pipe(Effect.provide(server))
    })
  }

  it.effect("gives up after three more calls with the engine's words", () => {
    const { calls, server } = engine(
      "new",
      ...repeated(notFound('Published version not found for workflow with id "w1"'))
    )
    return Effect.gen(function* () {
      const error = yield* inTime(refused("execute_workflow", { id: "w1" }))
      assert.include(error.message, 'Published version not found for workflow with id "w1"')
      assert.strictEqual(calls(), 4)
    }).pipe(Effect.provide(server))
  })

  it.effect("notes that the engine ran the former version", () => {
    const { server } = engine("old", json({ said: "yes" }))
    return Effect.gen(function* () {
      const { note, ...answer } = yield* inTime(ask("execute_workflow", { id: "w1" }))
      assert.include(answer, { executionId: 7, status: "success" })
      assert.strictEqual(
        note,
        "The engine ran version old of this workflow instead of the published new, which it was still putting live. " +
          "To run that one, call again."
      )
    }).pipe(Effect.provide(server))
  })

  it.effect("adds no note where the engine keeps no versions, or names the draft's, whatever ran", () =>
    Effect.forEach(
      [null, "draft"],
      (version) =>
        Effect.gen(function* () {
          assert.notProperty(yield* inTime(ask("execute_workflow", { id: "w1" })), "note")
        }).pipe(Effect.provide(engine(version, json({ said: "yes" })).server)),
      { discard: true }
    )
  )
})

describe("execute_workflow, where the workflow itself answers 404", () => {
  const answers: ReadonlyArray<readonly [string, Step]> = [
    ["in words much like the engine's", notFound("This user is not registered.", { code: 404 })],
    ["in the engine's words without its code", notFound('The requested webhook "POST orders" is not registered.', {})],
    ["with a text", json("is not registered", 404)]
  ]
  for (const [name, reply] of answers) {
    it.effect(`calls the workflow once, ${name}`, () => {
      const { calls, server } = engine("new", reply)
      return Effect.gen(function* () {
        const answer = yield* inTime(ask("execute_workflow", { id: "w1" }))
        assert.deepNestedInclude(answer, { executionId: 7, status: "success", "response.httpStatus": 404 })
        assert.strictEqual(calls(), 1)
      }).pipe(Effect.provide(server))
    })
  }
})

/** More often than any call is repeated. */
function repeated(step: Step): [Step, ...Array<Step>] {
  return [step, ...Array.from({ length: 100 }, () => step)]
}
