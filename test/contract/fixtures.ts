import { assert } from "@effect/vitest"
import { Clock, Effect, Schedule, Schema } from "effect"

import { ask, type Json } from "../support/harness.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** Engines are shared with other tests: whatever is made has a name of its own. */
export const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 12)}`

export const Entity = Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
export const decodeEntity = Schema.decodeUnknownSync(Entity)

export const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    nextCursor: Schema.optionalKey(Schema.String)
  })
)

export const decodeNodes = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

/** The execution that `execute_workflow` answers. */
export const decodeRun = Schema.decodeUnknownSync(Schema.Struct({ executionId: Schema.Int }))

/** The content of a workflow, without what an engine says of it. */
export const decodeGraph = Schema.decodeUnknownSync(
  Schema.Struct({
    name: Schema.String,
    nodes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    connections: Schema.Record(Schema.String, Schema.Unknown)
  })
)

/** The ids of a page, in order. */
export const idsOf = (page: unknown) => decodePage(page).data.map(({ id }) => id)

const versions = { formTrigger: 2.2, scheduleTrigger: 1.2, set: 3.4, webhook: 2 } as const

/** A node as a caller writes it. */
export const node = (kind: string, name: string, parameters: Json = {}, more: Json = {}) => ({
  name,
  type: `engine-nodes-base.${kind}`,
  typeVersion: new Map<string, number>(Object.entries(versions)).get(kind) ?? 1,
  position: [0, 0],
  parameters,
  ...more
})

/** A node for language models. */
export const language = (kind: string, name: string, parameters: Json = {}, more: Json = {}) => ({
  ...node(kind, name, parameters, more),
  type: `@n8n/n8n-nodes-langchain.${kind}`
})

/** A webhook with an address of its own. */
export const webhook = (parameters: Json = {}) => {
  const path = unique("hook")
  const all = { path, httpMethod: "POST", responseMode: "lastNode", options: {}, ...parameters }
  return node("webhook", "Webhook", all, { webhookId: path })
}

/** A node that answers with one field. */
export const answer = (name: string, value: string) =>
  node("set", name, {
    assignments: { assignments: [{ id: "said", name: "said", type: "string", value }] },
    options: {}
  })

export const manual = () => node("manualTrigger", "Start")

export const everyDay = () =>
  node("scheduleTrigger", "Every day", { rule: { interval: [{ field: "days", daysInterval: 1 }] } })

export const failing = () => node("stopAndError", "Stop", { errorMessage: "told to stop" })

/** Connections from each node to the next, in array form. */
export const chain = (...names: ReadonlyArray<string>) =>
  names.slice(1).map((target, index) => ({ source: names[index], target }))

/** The end of a connection, as engines write it. */
export const to = (name: string, type = "main", index = 0) => ({ node: name, type, index })

/** Removes a workflow past the server, whatever became of it. */
export const cleared = Effect.fnUntraced(function* (id: string) {
  const { send } = yield* TestedEngine
  yield* send("POST", `/workflows/${id}/deactivate`)
  yield* eventually(send("DELETE", `/workflows/${id}`), ({ status }) => status === 200 || status === 404)
})

/** A workflow made through the server, gone when the test ends. */
export const created = Effect.fnUntraced(function* (draft: Json) {
  const workflow = decodeEntity(yield* ask("create_workflow", { name: unique("workflow"), ...draft }))
  yield* Effect.addFinalizer(() => cleared(workflow.id))
  return workflow
})

/** A node as the engine's own editor writes it. */
export const inEngineWords = (written: Json): Json => ({
  ...written,
  type: String(written.type).replace(/^engine-nodes-base\./, "n8n-nodes-base.")
})

/** A workflow made past the server, gone when the test ends. */
export const given = Effect.fnUntraced(function* ({ nodes, ...body }: Json & { readonly nodes: ReadonlyArray<Json> }) {
  const whole = { connections: {}, settings: {}, ...body, nodes: nodes.map(inEngineWords) }
  const workflow = decodeEntity(yield* sent("POST", "/workflows", whole))
  yield* Effect.addFinalizer(() => cleared(workflow.id))
  return workflow
})

/** An active workflow of which a node was disabled past the server; engines from 2.40 on do not publish that, and older ones of generation 2 cannot leave it unpublished. */
export const halfPublished = Effect.gen(function* () {
  const { isFrom } = yield* TestedEngine
  const { id } = yield* created({
    nodes: [webhook(), answer("Done", "yes")],
    connections: chain("Webhook", "Done"),
    active: true
  })
  const { connections, name, nodes } = decodeGraph(
    yield* eventually(shown(`/workflows/${id}`), ({ active }) => active === true)
  )
  const changed = nodes.map((one) => (one.name === "Done" ? { ...one, disabled: true } : one))
  const path = `/workflows/${id}${isFrom("2.40.0") ? "?publishIfActive=false" : ""}`
  yield* sent("PUT", path, { name, connections, settings: {}, nodes: changed })
  return id
})

/** A tag made through the server, gone when the test ends. */
export const tagged = Effect.fnUntraced(function* (name: string = unique("tag")) {
  const tag = decodeEntity(yield* ask("create_tag", { name }))
  const { send } = yield* TestedEngine
  yield* Effect.addFinalizer(() => send("DELETE", `/tags/${tag.id}`))
  return { id: tag.id, name }
})

/** Looks again and again, for some seconds at most, until it is as it should be. */
export const eventually = Effect.fnUntraced(function* <A, E, R>(
  look: Effect.Effect<A, E, R>,
  isThere: (found: A) => boolean
) {
  const found = yield* Effect.repeat(look, { until: isThere, schedule: Schedule.spaced("50 millis"), times: 200 })
  assert.isTrue(isThere(found), `never came about: ${JSON.stringify(found)}`)
  return found
})

/** Waits until what begins from now on begins in a later millisecond than an execution did; tested engines go by our clock. */
export const afterStartOf = Effect.fnUntraced(function* (executionId: number) {
  const { startedAt } = yield* shown(`/executions/${executionId}`)
  const start = Date.parse(String(startedAt))
  assert.isNotNaN(start)
  yield* Effect.repeat(Clock.currentTimeMillis, { until: (now) => now > start, schedule: Schedule.spaced("1 millis") })
})

/** An object without some of its fields. */
export const without = (object: Json, ...fields: ReadonlyArray<string>): Json =>
  Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)))

/** The fields that every write moves, whatever it changes. */
const stamps = ["updatedAt", "versionId", "versionCounter"]

/** The whole workflow as the engine shows it, but for what every write moves. */
export const content = (id: string) => Effect.map(shown(`/workflows/${id}`), (whole) => without(whole, ...stamps))
