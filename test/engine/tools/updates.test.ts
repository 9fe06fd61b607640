import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const node = (name: string, type: string) => ({ name, type, typeVersion: 1, position: [0, 0], parameters: {} })

const stored: Json = {
  id: "w1",
  name: "Orders",
  active: false,
  nodes: [node("Every day", "engine-nodes-base.scheduleTrigger")],
  connections: {},
  settings: { timezone: "Europe/Riga" },
  staticData: { lastId: 42 },
  pinData: { "Every day": [{ json: { a: 1 } }] },
  createdAt: "2026-11-21T00:00:00.000Z",
  updatedAt: "2026-11-21T00:00:00.000Z"
}

const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const written = (requests: ReadonlyArray<ReceivedRequest>) =>
  requests.filter(({ method }) => method === "PUT" || method === "POST").map(({ body }) => readBody(body))

/** Keeps one workflow; a PUT replaces all that it may set. Takes the first key header that it is sent. */
const replacing = (refusedFields: ReadonlyArray<string> = []) => {
  let workflow = stored
  return engineThat(({ body, method }) => {
    if (method !== "PUT") return json(workflow)
    const given = readBody(body)
    if (refusedFields.some((field) => field in given)) {
      return json({ message: "request/body must NOT have additional properties" }, 400)
    }
    const { active, createdAt, id, pinData, updatedAt } = workflow
    workflow = { id, active, createdAt, updatedAt, pinData, ...given }
    return json(workflow)
  })
}

describe("update_workflow", () => {
  it.effect("and other tools write no mask in place of a secret, where none was before", () => {
    const { requests, client } = replacing()
    const noting = (notes: string) => [{ ...node("Every day", "engine-nodes-base.scheduleTrigger"), notes }]
    return Effect.gen(function* () {
      const values = { value: "Bearer [masked]" }
      for (const [tool, argument, args] of [
        ["update_workflow", "nodes", { id: "w1", nodes: noting("key: [masked]") }],
        ["update_workflow", "settings", { id: "w1", settings: { timezone: "[masked]" } }],
        ["create_workflow", "nodes", { name: "New", nodes: noting("key: [masked]") }],
        ["create_credential", "data", { name: "Shop", type: "httpHeaderAuth", data: values }],
        ["update_credential", "data", { id: "1", data: values }]
      ] as const) {
        const { data, message } = yield* refused(tool, args)
        assert.include(message, "[masked] stands for a secret that is not shown")
        assert.deepInclude(data, { code: "VALIDATION_ERROR", argument })
      }
      assert.lengthOf(written(requests), 0)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("keeps every field that is not given, on an engine that replaces the whole", () => {
    const { requests, client } = replacing()
    return Effect.gen(function* () {
      const after = yield* ask("update_workflow", { id: "w1", name: "Renamed" })
      assert.deepStrictEqual(after, { ...stored, name: "Renamed", version: after.version })
      assert.lengthOf(written(requests), 1)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("repeats a refused update without pinned data, which the engine keeps", () => {
    const { requests, client } = replacing(["pinData"])
    return Effect.gen(function* () {
      const after = yield* ask("update_workflow", { id: "w1", name: "Renamed" })
      assert.deepStrictEqual(after, { ...stored, name: "Renamed", version: after.version })
      assert.deepStrictEqual(
        written(requests).map((body) => "pinData" in body),
        [true, false]
      )
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("answers the engine's refusal where it only activates and nothing was changed", () => {
    const { client } = engineThat(({ method }) =>
      method === "POST" ? json({ message: "Unrecognized node type: x" }, 400) : json(stored)
    )
    return Effect.gen(function* () {
      const error = yield* refused("update_workflow", { id: "w1", active: true })
      assert.strictEqual(error.message, "API error: Unrecognized node type: x")
      assert.deepInclude(error.data, { code: "API_ERROR", httpStatus: 400 })
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("says that the change was saved and the activation refused, with the engine's status", () => {
    const { client } = engineThat(({ method }) =>
      method === "POST" ? json({ message: "Unrecognized node type: x" }, 400) : json(stored)
    )
    return Effect.gen(function* () {
      const error = yield* refused("update_workflow", { id: "w1", name: "Renamed", active: true })
      assert.include(error.message, "was changed, but its activation failed: API error: Unrecognized node type: x")
      assert.deepInclude(error.data, { code: "STEP_FAILED", done: "changed", httpStatus: 400 })
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("the spelling of given node types", () => {
  const creation = { name: "New", nodes: [node("Start", "engine-nodes-base.manualTrigger")] }
  const typeSent = (requests: ReadonlyArray<ReceivedRequest>) => written(requests).at(-1)?.nodes

  it.effect("stays neutral for an engine that takes the neutral key header", () => {
    const { requests, client } = engineThat(() => json(stored))
    return Effect.gen(function* () {
      yield* ask("create_workflow", creation)
      assert.deepStrictEqual(typeSent(requests), creation.nodes)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("becomes the vendor's for an engine that wants the vendor's header", () => {
    const { requests, client } = engineThat(({ headers }) =>
      headers["x-n8n-api-key"] === undefined ? json({ message: "unauthorized" }, 401) : json(stored)
    )
    return Effect.gen(function* () {
      yield* ask("create_workflow", creation)
      assert.deepStrictEqual(typeSent(requests), [node("Start", "n8n-nodes-base.manualTrigger")])
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("activate_workflow with addTrigger", () => {
  it.effect("names the fields that the engine did not take with the new trigger", () => {
    const manual = {
      ...stored,
      nodes: [node("Start", "n8n-nodes-base.manualTrigger")],
      settings: { callerPolicy: "none" }
    }
    const { client } = engineThat(({ body, method }) => {
      const isForeign = method === "PUT" && body.includes("callerPolicy")
      return isForeign
        ? json({ message: "request/body/settings must NOT have additional properties" }, 400)
        : json(manual)
    })
    return Effect.gen(function* () {
      const { notice } = yield* ask("activate_workflow", { id: "w1", addTrigger: true })
      assert.strictEqual(
        notice,
        "Added the node 'Schedule Trigger': it runs the workflow once a day until you change it. " +
          "Left out, because this engine does not take it: settings.callerPolicy"
      )
    }).pipe(Effect.provide(serving(client)))
  })
})
