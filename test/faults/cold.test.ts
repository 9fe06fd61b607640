import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"

import { type Act, closedPort, neverEnds, replies, resetsAfter } from "../support/loopback.ts"
import { faultyEngine, healthy, held, json, useEngines } from "./FaultyEngine.ts"
import {
  configurationOf,
  create,
  errorOf,
  key,
  modern,
  overStdio,
  read,
  remove,
  textOf,
  transports,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

type Case = readonly [name: string, act: Act, method: string, params: object, expected: object]

const call = (name: string, args: object) => ["tools/call", { name, arguments: args }] as const
const at = (instance: string, [name, args]: readonly [string, object]) => call(name, { ...args, instance })
const refused = (code: number) => ({ code })
const failed = (data: object) => ({ code: -32000, data })
const unknown = failed({ code: "OUTCOME_UNKNOWN", instance: "main" })
const announced = neverEnds("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n", " ".repeat(65_536))
const { _meta } = modern
const claims = (field: string, value: unknown) => ({
  _meta: { ..._meta, [`io.modelcontextprotocol/${field}`]: value }
})

const mistakes: ReadonlyArray<Case> = [
  ["a method that is not there", healthy, "no/such", {}, refused(-32601)],
  ["such a method in the modern revision", healthy, "no/such", modern, refused(-32601)],
  ["no capabilities in the modern revision", healthy, "tools/list", claims("clientCapabilities", 3), refused(-32602)],
  ["a handshake without a revision", healthy, "initialize", {}, refused(-32602)],
  ["a tool's name that is none", healthy, "tools/call", { name: 3 }, refused(-32602)],
  ["a tool that is not there", healthy, ...call("no_such_tool", {}), refused(-32602)],
  ["an instance that is not there", healthy, ...at("moon", read), refused(-32602)],
  ["an argument that is not there", healthy, ...call(read[0], { ...read[1], more: 1 }), refused(-32602)],
  ["a workflow that is none", healthy, ...call(create[0], { name: "x", nodes: [{}] }), refused(-32602)],
  ["a prompt that is not there", healthy, "prompts/get", { name: "none" }, refused(-32602)],
  ["a resource that is not there", healthy, "resources/read", { uri: "none://x" }, refused(-32002)],
  ["a page that is not there", healthy, "tools/list", { cursor: "x" }, refused(-32602)]
]
const failures: ReadonlyArray<Case> = [
  ["a read of an engine that is down", healthy, ...at("down", read), failed({ code: "ECONNREFUSED" })],
  ["a change of an engine that is down", healthy, ...at("down", create), failed({ code: "ECONNREFUSED" })],
  ["an engine that nobody knows", healthy, ...at("nowhere", read), failed({ code: "ENOTFOUND" })],
  ["a read that breaks", resetsAfter(""), ...call(...read), failed({ code: "NETWORK_ERROR" })],
  ["a change that breaks", resetsAfter(""), ...call(...create), unknown],
  ["a removal that breaks", resetsAfter(""), ...call(...remove), unknown],
  ["a creation that is half told", replies(201, '{"id":', {}), ...call(...create), unknown],
  [
    "a read led elsewhere",
    replies(302, "", { location: "https://a.test" }),
    ...call(...read),
    failed({ code: "API_ERROR", httpStatus: 302 })
  ],
  [
    "a change led elsewhere",
    replies(307, "", { location: "/x" }),
    ...call(...create),
    failed({ code: "API_ERROR", httpStatus: 307 })
  ],
  ["a key that is refused", json({ message: key }, 401), ...call(...read), failed({ httpStatus: 401 })],
  ["a refusal that names the key", json({ message: key }, 404), ...call(...read), failed({ httpStatus: 404 })],
  ["a change that is refused", json({ message: key }, 500), ...call(...create), failed({ httpStatus: 500 })],
  ["an answer of another shape", json([1]), ...call(...read), failed({ code: "API_ERROR", httpStatus: 200 })],
  ["a list of another shape", json({ data: [1] }), ...call("list_workflows", {}), failed({ code: "API_ERROR" })],
  ["a page in place of an answer", replies(200, "<p>"), ...call(...read), failed({ code: "API_ERROR" })],
  ["an answer that is too large", announced, ...call(...read), failed({ code: "ANSWER_TOO_LARGE" })],
  [
    "headers without an end",
    replies(200, "{}", { "x-long": "x".repeat(100_000) }),
    ...call(...read),
    failed({ code: "NETWORK_ERROR" })
  ]
]

let hosts: Readonly<Record<string, string>> = {}
beforeAll(async () => {
  hosts = { down: `http://127.0.0.1:${await Effect.runPromise(closedPort)}`, nowhere: "https://host.invalid" }
})

// What errors are made of is loaded when the first of them is made: each of them is the first thing that a process does.
describe.each(transports)("as the first thing that a server over %s is asked", (transport, open) => {
  it.each([...mistakes, ...failures])("%s is told as what it is", async (_name, act, method, params, expected) => {
    const engine = await faultyEngine()
    engine.does(act)
    const server = await open(configurationOf({ main: engine.host, ...hosts }))
    const answer = await server.ask(method, params)
    assert.containSubset(errorOf(answer), expected)
    engine.heals()
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    if (transport === "stdio") server.child.stdin.end()
    else server.child.kill()
    const { code, stderr } = await server.ended
    assert.strictEqual(code, 0)
    assert.notMatch(stderr, /\bat .+:\d+:\d+/)
    assert.notInclude(JSON.stringify(answer) + stderr, key)
  })
})

const operators: ReadonlyArray<Case> = [
  [
    "a node that is not there",
    healthy,
    ...call("edit_workflow", { id: "1", operations: [{ op: "enable", node: "No" }] }),
    refused(-32602)
  ],
  [
    "an operation that is not there",
    healthy,
    ...call("edit_workflow", { id: "1", operations: [{ op: "no" }] }),
    refused(-32602)
  ],
  [
    "a plan that is not there",
    healthy,
    ...call("plan_rollback", { plan_id: "no" }),
    { data: { code: "PLAN_NOT_FOUND" } }
  ],
  [
    "a history that is not kept",
    healthy,
    ...call("workflow_history", { id: "1" }),
    failed({ code: "CONFIGURATION_ERROR" })
  ],
  ["a view that breaks", resetsAfter(""), ...call("view_workflow", { id: "1" }), failed({ code: "NETWORK_ERROR" })]
]
it.each(operators)(
  "%s is told as what it is by the first call of an operator",
  async (_name, act, method, params, expected) => {
    const engine = await faultyEngine()
    engine.does(act)
    const server = await overStdio({ ...configurationOf({ main: engine.host }), toolsets: ["operator"] })
    assert.containSubset(errorOf(await server.ask(method, params)), expected)
    server.child.stdin.end()
    assert.deepInclude(await server.ended, { code: 0, stderr: "" })
  }
)

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

it("a call that is cancelled before its tools are loaded leaves no answer, and the next one is served", async () => {
  const engine = await faultyEngine()
  const server = await overStdio(configurationOf({ main: engine.host }), {})
  const [name, args] = read
  const asked = { id: "given up", method: "tools/call", params: { name, arguments: { ...args, id: "given-up" } } }
  const cancelled = { method: "notifications/cancelled", params: { requestId: "given up" } }
  server.child.stdin.write(line(asked) + line(cancelled))
  assert.include(textOf(await server.call(...read)), "Workflow 1")
  assert.deepStrictEqual(engine.asked(), ["GET /api/v1/workflows/1"])
  assert.deepStrictEqual(server.strays, [])
})

it("a change whose client leaves as soon as it has asked is told of in the end, as the first call of a server", async () => {
  const engine = await faultyEngine()
  const hold = held()
  engine.plays(hold.act)
  const server = await overStdio(configurationOf({ main: engine.host }))
  const answer = server.call(...create)
  await hold.arrived
  server.child.stdin.end()
  hold.answer()
  assert.include(textOf(await answer), '"id":"new"')
  assert.strictEqual((await server.ended).code, 0)
})
