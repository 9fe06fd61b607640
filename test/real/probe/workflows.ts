import { chain, flow, manual, node, schedule } from "../../engine/embedded/calls.ts"
import { idOf, type Json, type Method, type Probe } from "./Probe.ts"

const without = (object: Json, key: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))

/** A workflow with something more. */
const flowWith = (more: Json): Json => flow("x", [manual], {}, more)

const required = ["name", "nodes", "connections", "settings"]

/** Requests that are refused before any workflow is looked at. */
const askAboutProtocol = async ({ step }: Probe) => {
  await step("list on an empty engine", "GET", "/workflows")
  await step("no key", "GET", "/workflows", undefined, { key: null })
  await step("wrong key", "GET", "/workflows", undefined, { key: "wrong" })
  await step("no key wins over a bad body", "POST", "/workflows", {}, { key: null })
  await step("unknown path", "GET", "/nope")
  await step("unknown path without a key", "GET", "/nope", undefined, { key: null })
  await step("method not offered", "PATCH", "/workflows", {})
  await step("malformed JSON", "POST", "/workflows", undefined, { raw: '{"name":' })
  await step("JSON that is not an object", "POST", "/workflows", [])
  await step("no body", "POST", "/workflows")
  await step("wrong content type", "POST", "/workflows", undefined, { raw: "x", type: "text/plain" })
  for (const verb of ["run", "execute"])
    await step(`no endpoint to ${verb} a workflow`, "POST", `/workflows/nope/${verb}`)
}

const settings: ReadonlyArray<Json> = [
  { foo: 1 },
  { executionOrder: "v1", timezone: "Europe/Berlin", executionTimeout: 60 },
  { callerPolicy: "any" },
  { availableInMCP: true },
  { saveDataErrorExecution: "DEFAULT" },
  { executionTimeout: "60" }
]

const bodies: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(required.map((key) => [`without ${key}`, without(flow("x"), key)])),
  ...Object.fromEntries(
    Object.entries({
      id: "x",
      active: true,
      tags: ["x"],
      createdAt: "2020-01-01T00:00:00.000Z",
      versionId: "x",
      pinData: {},
      meta: {},
      foo: 1
    }).map(([key, value]) => [`with ${key}`, flowWith({ [key]: value })])
  ),
  "name is a number": { ...flow("x"), name: 5 },
  "empty name": flow(""),
  "name of 129 characters": flow("n".repeat(129)),
  "no nodes": flow("no nodes", []),
  "nodes is an object": { ...flow("x"), nodes: {} },
  ...Object.fromEntries(
    ["name", "type", "typeVersion", "position", "parameters"].map((key) => [
      `node without ${key}`,
      flow(`node without ${key}`, [without(manual, key)])
    ])
  ),
  "node with unknown field": flow("x", [{ ...manual, foo: 1 }]),
  "node position with one number": flow("x", [{ ...manual, position: [0] }]),
  "node typeVersion is text": flow("x", [{ ...manual, typeVersion: "1" }]),
  "duplicate node names": flow("duplicate", [manual, { ...manual, type: "n8n-nodes-base.noOp" }]),
  "unknown node type": flow("unknown type", [node("X", "doesNotExist")]),
  "dangling connection": flow("dangling", [manual], chain("Start", "Ghost")),
  "connections is a list": flowWith({ connections: [] }),
  "staticData as object": flow("static", [manual], {}, { staticData: { lastId: 1 } }),
  "staticData is not JSON": flowWith({ staticData: "abc" }),
  ...Object.fromEntries(
    settings.map((one) => [`settings ${Object.keys(one).join()}`, flow("settings", [manual], {}, { settings: one })])
  )
}

const askAboutUpdates = async ({ step }: Probe, id: string) => {
  await step("get", "GET", `/workflows/${id}`)
  await step("get: without pinned data", "GET", `/workflows/${id}?excludePinnedData=true`)
  await step("get: unknown id", "GET", "/workflows/nope")
  await step("get: unknown query parameter", "GET", `/workflows/${id}?foo=1`)
  const renamed = flow("First, renamed")
  await step("update", "PUT", `/workflows/${id}`, { ...renamed, settings: { executionOrder: "v1" } })
  await step("update: empty settings", "PUT", `/workflows/${id}`, renamed)
  await step("update: unknown id", "PUT", "/workflows/nope", flow("x"))
  for (const key of required) await step(`update: without ${key}`, "PUT", `/workflows/${id}`, without(flow("x"), key))
  for (const [key, value] of Object.entries({ active: true, tags: [], id: "x", foo: 1 })) {
    await step(`update: with ${key}`, "PUT", `/workflows/${id}`, flowWith({ [key]: value }))
  }
  await step("delete", "DELETE", `/workflows/${id}`)
  await step("delete: again", "DELETE", `/workflows/${id}`)
}

const badCron = node(
  "Cron",
  "scheduleTrigger",
  { rule: { interval: [{ field: "cronExpression", expression: "nope" }] } },
  { typeVersion: 1.2 }
)

const oddTriggers: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "no nodes": [],
  "no trigger": [node("N", "noOp")],
  "manual trigger only": [manual],
  "disabled trigger": [{ ...schedule, disabled: true }],
  "unknown node type": [node("X", "doesNotExist")],
  "error trigger only": [node("E", "errorTrigger")],
  "bad cron expression": [badCron]
}

const askAboutActivation = async ({ create, rest, step }: Probe) => {
  await step("activate: unknown id", "POST", "/workflows/nope/activate")
  await step("deactivate: unknown id", "POST", "/workflows/nope/deactivate")
  for (const [label, nodes] of Object.entries(oddTriggers)) {
    const id = await create(`create: ${label}, to be activated`, flow(label, nodes))
    await step(`activate: ${label}`, "POST", `/workflows/${id}/activate`)
  }
  const id = await create("create: schedule", flow("Scheduled", [schedule]))
  const at = (title: string, method: Method, path = "", body?: unknown) =>
    step(title, method, `/workflows/${id}${path}`, body)
  await at("activate: schedule", "POST", "/activate")
  await rest()
  await at("activate: already active", "POST", "/activate")
  await at("update: active workflow", "PUT", "", flow("Scheduled, renamed", [schedule]))
  await at("update: active workflow loses its trigger", "PUT", "", flow("Scheduled, broken", [node("N", "noOp")]))
  await at("get: after the failed update", "GET")
  await at("update: active workflow repaired", "PUT", "", flow("Scheduled", [schedule]))
  await rest()
  await at("deactivate", "POST", "/deactivate")
  await at("deactivate: already inactive", "POST", "/deactivate")
  await rest()
  await at("activate: to be deleted", "POST", "/activate")
  await at("delete: active workflow", "DELETE")
}

export const askAboutWorkflows = async (probe: Probe) => {
  await askAboutProtocol(probe)
  const made = await probe.step("create: smallest", "POST", "/workflows", flow("First"))
  for (const [label, body] of Object.entries(bodies)) await probe.step(`create: ${label}`, "POST", "/workflows", body)
  await askAboutUpdates(probe, idOf(made))
  await askAboutActivation(probe)
}
