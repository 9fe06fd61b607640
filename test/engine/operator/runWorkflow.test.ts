import { assert, describe, it } from "@effect/vitest"
import * as acorn from "acorn"
import { Clock, Effect, Option } from "effect"
import * as fc from "fast-check"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

import { boundedParser } from "../../../src/engine/nodes/check/javaScript.ts"
import { runWorkflow } from "../../../src/engine/operator/run/runWorkflow.ts"
import { sideEffectsOf } from "../../../src/engine/operator/run/sideEffects.ts"
import { readTemporaryName, temporaryName } from "../../../src/engine/workflow/naming.ts"
import * as Message from "../../../src/mcp/protocol/Message.ts"
import { assumed } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { breaks, takes } from "../../internal/http/standIn.ts"
import { ask, type Json, operatorToolsets, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "../tools/standIn.ts"

const node = (kind: string, name: string, more: Json = {}) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...more
})

const stored = {
  id: "w1",
  name: "Orders",
  active: false,
  nodes: [node("manualTrigger", "Start"), node("set", "Save")],
  connections: { Start: { main: [[{ node: "Save", type: "main", index: 0 }]] } },
  settings: { errorWorkflow: "w9", callerPolicy: "any", timezone: "Europe/Berlin" }
}

const readBody = (body: string): Json => Object(JSON.parse(body))

/** An engine with one workflow that keeps what is made; `step` may answer otherwise. */
const keeping = (step: (request: ReceivedRequest) => ReturnType<typeof json> | undefined = () => undefined) => {
  const made = new Map<string, Json>()
  const engine = engineThat((request) => {
    const { body, method, path } = request
    const [, id = "", action] = /^\/api\/v1\/workflows\/(\w+)(?:\/(\w+))?/.exec(path) ?? []
    if (method === "POST" && path === "/api/v1/workflows") {
      made.set(`t${made.size + 1}`, { ...readBody(body), id: `t${made.size + 1}`, active: false })
    }
    const other = step(request)
    if (other !== undefined) return other
    if (path === "/api/v1/workflows") return json([...made.values()].at(-1))
    if (id === "" && path.startsWith("/api/v1/workflows")) return json({ data: [stored, ...made.values()] })
    if (path.startsWith("/api/v1/workflows/w1")) return json(stored)
    if (method === "DELETE") {
      const gone = made.get(id)
      made.delete(id)
      return gone === undefined ? json({ message: "Not Found" }, 404) : json(gone)
    }
    if (action !== undefined) return json({ ...made.get(id), active: action === "activate" })
    if (path.startsWith("/webhook/")) return json({ message: "Workflow was started" })
    return json({ data: [] })
  })
  return { made, requests: engine.requests, server: serving(engine.client, {}, operatorToolsets) }
}

describe("run_workflow", () => {
  it("costs at most 270 tokens of the list of tools", () => {
    const { description, inputSchema, name } = runWorkflow
    assert.isAtMost(countTokens(JSON.stringify({ name, description, inputSchema: inputSchema() })), 270)
  })

  it.effect("makes a copy that starts no other workflow, and that everybody knows for what it is", () => {
    const { requests, server } = keeping()
    return Effect.gen(function* () {
      yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      const { body = "{}" } =
        requests.find(({ method, path }) => method === "POST" && path === "/api/v1/workflows") ?? {}
      const { name, nodes, settings } = readBody(body)
      assert.match(String(name), /^Temporary run of Orders \(workflow-tool-server run [\da-f]{12} \S+Z\)$/)
      assert.deepStrictEqual(settings, {
        timezone: "Europe/Berlin",
        saveDataSuccessExecution: "all",
        saveDataErrorExecution: "all",
        callerPolicy: "none",
        executionTimeout: 5
      })
      assert.notInclude(JSON.stringify(nodes), "Trigger")
    }).pipe(Effect.provide(server))
  })

  it.effect("deletes its copy where the run never shows, and says so", () => {
    const { made, server } = keeping()
    return Effect.gen(function* () {
      const run = yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      assert.deepInclude(run, { ran: true, status: "unknown" })
      assert.strictEqual(made.size, 0)
    }).pipe(Effect.provide(server))
  })

  it.effect("waits for as long as it is told, up to five minutes, and reports meanwhile that the run goes on", () => {
    const { made, server } = keeping()
    return Effect.gen(function* () {
      const reports = new Array<unknown>()
      const { receive } = (yield* Sessions).open(assumed, ({ params }) => Effect.sync(() => void reports.push(params)))
      const startedAt = yield* Clock.currentTimeMillis
      const args = { id: "w1", timeout: 200 }
      const call = { name: "run_workflow", arguments: args, _meta: { progressToken: "run" } }
      const outcome = yield* inTime(
        receive(Message.read({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }))
      )
      assert.include(JSON.stringify(Option.getOrThrow(outcome).response), "did not end within 200 s")
      assert.isAtLeast((yield* Clock.currentTimeMillis) - startedAt, 200_000)
      assert.deepInclude(reports[0], { progress: 5, total: 200, message: "running for 5 s" })
      assert.deepInclude(reports[39], { progress: 200, total: 200 })
      assert.strictEqual(made.size, 0)
      assert.match((yield* refused("run_workflow", { ...args, timeout: 301 })).message, /must be between 1 and 300/)
    }).pipe(Effect.provide(server))
  })

  it.effect("finds and deletes a copy whose creation was not answered", () => {
    const { made, server } = keeping(({ method, path }) =>
      method === "POST" && path === "/api/v1/workflows" ? breaks("ECONNRESET") : undefined
    )
    return Effect.gen(function* () {
      const { data } = yield* inTime(refused("run_workflow", { id: "w1" }))
      assert.include(data, { code: "OUTCOME_UNKNOWN" })
      assert.strictEqual(made.size, 0)
    }).pipe(Effect.provide(server))
  })

  it.effect("deletes a copy that a slow engine makes, and says that it failed to", () => {
    const slow = keeping(({ method }) =>
      method === "POST" ? takes(14_000, json({ message: "busy" }, 500)) : undefined
    )
    return Effect.gen(function* () {
      yield* inTime(refused("run_workflow", { id: "w1" }))
      assert.strictEqual(slow.made.size, 0)
    }).pipe(Effect.provide(slow.server))
  })

  it.effect("says which copy it could not delete", () => {
    const { made, server } = keeping(({ method }) =>
      method === "DELETE" ? json({ message: "database is locked" }, 400) : undefined
    )
    return Effect.gen(function* () {
      const run = yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      assert.strictEqual(made.size, 1)
      assert.match(String(run.notice), /^The temporary copy t1 could not be deleted \(.*database is locked.*\)/)
    }).pipe(Effect.provide(server))
  })

  it.effect("switches a copy off that may not be deleted, and says what is left and what to do", () => {
    const forbidden = json({ message: "Forbidden" }, 403)
    const { requests, server } = keeping(({ method }) => (method === "DELETE" ? forbidden : undefined))
    return Effect.gen(function* () {
      const run = yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      assert.isTrue(requests.some(({ method, path }) => method === "POST" && path.endsWith("/t1/deactivate")))
      assert.match(
        String(run.notice),
        /Insufficient permissions.* left on instance production as "Temporary run of Orders .*", switched off: .*delete_workflow/
      )
    }).pipe(Effect.provide(server))
  })

  it.effect("says that a copy is left also where its run failed", () => {
    const forbidden = json({ message: "Forbidden" }, 403)
    const { server } = keeping(({ method, path }) =>
      method === "DELETE" || path.endsWith("activate") ? forbidden : undefined
    )
    return Effect.gen(function* () {
      const { data, message } = yield* inTime(refused("run_workflow", { id: "w1", timeout: 5 }))
      assert.include(data, { code: "STEP_FAILED", id: "t1" })
      assert.match(
        message,
        /^Workflow t1 .* was created as a temporary copy, but its run failed: .* may still be active/
      )
    }).pipe(Effect.provide(server))
  })

  it.effect("makes no copy that its key may not remove, and asks for the key's rights until it may", () => {
    let scopes = ["workflow:create", "workflow:activate", "workflow:deactivate", "execution:list"]
    const { requests, server } = keeping(({ path }) =>
      path.endsWith("/discover") ? json({ data: { scopes, resources: {} } }) : undefined
    )
    const looks = () => requests.filter(({ path }) => path.endsWith("/discover")).length
    return Effect.gen(function* () {
      const { data, message } = yield* refused("run_workflow", { id: "w1", timeout: 5 })
      assert.include(data, { httpStatus: 403 })
      assert.include(message, "Insufficient permissions. Nothing was sent")
      assert.include(
        message,
        "lacks the scopes workflow:delete, execution:read, which a run takes for its temporary copy."
      )
      assert.isFalse(requests.some(({ method }) => method === "POST"))
      scopes = [...scopes, "workflow:delete", "execution:read"]
      assert.include(yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 })), { ran: true })
      assert.include(yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 })), { ran: true })
      assert.strictEqual(looks(), 2)
    }).pipe(Effect.provide(server))
  })

  it.effect("deletes copies that are older than an hour, and no younger ones", () => {
    const { made, server } = keeping()
    const named = (since: string) => ({ ...stored, name: temporaryName("Else", "0123456789abcdef", since) })
    made.set("old", { ...named("1969-12-31T22:00:00.000Z"), id: "old" })
    made.set("young", { ...named("1969-12-31T23:30:00.000Z"), id: "young" })
    made.set("like", { ...stored, name: "How (workflow-tool-server run works)", id: "like" })
    return Effect.gen(function* () {
      yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      assert.deepStrictEqual([...made.keys()], ["young", "like"])
    }).pipe(Effect.provide(server))
  })

  it.effect("switches copies off that another process has left and that may not be deleted", () => {
    const forbidden = json({ message: "Forbidden" }, 403)
    const { requests, made, server } = keeping(({ method }) => (method === "DELETE" ? forbidden : undefined))
    const name = temporaryName("Else", "0123456789abcdef", "1969-12-31T22:00:00.000Z")
    made.set("old", { ...stored, name, id: "old", active: true })
    return Effect.gen(function* () {
      yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 }))
      assert.isTrue(requests.some(({ method, path }) => method === "POST" && path.endsWith("/old/deactivate")))
    }).pipe(Effect.provide(server))
  })

  it.effect("refuses items with files, and names the nodes whose pinned items had some", () => {
    const file = { json: { order: 7 }, binary: { data: { mimeType: "text/plain", data: "aGVsbG8=" } } }
    const pinned = { ...stored, pinData: { Start: [file], Save: [{ json: { binary: {} } }] } }
    const { requests, server } = keeping(({ path }) =>
      path.startsWith("/api/v1/workflows/w1") ? json(pinned) : undefined
    )
    return Effect.gen(function* () {
      const given = yield* refused("run_workflow", { id: "w1", items: [{ order: 1 }, file] })
      assert.match(given.message, /^Invalid items\[1\]: holds files \(binary\), which cannot be handed over to a run: /)
      const mocked = yield* refused("run_workflow", { id: "w1", mocks: { Save: [file] } })
      assert.match(mocked.message, /^Invalid mocks: Save holds files/)
      assert.isFalse(requests.some(({ method }) => method === "POST"))
      const dry = yield* ask("run_workflow", { id: "w1", mocks: { Save: "pinned" }, dry_run: true })
      assert.deepStrictEqual(dry.withoutFiles, ["Start"])
      // An item may well have a field of that name.
      assert.notProperty(
        yield* ask("run_workflow", { id: "w1", items: [{ binary: { a: 1 } }], dry_run: true }),
        "withoutFiles"
      )
    }).pipe(Effect.provide(server))
  })

  it.effect("makes nothing where nothing may be changed", () => {
    const engine = engineThat(() => json(stored))
    return Effect.gen(function* () {
      const { data } = yield* refused("run_workflow", { id: "w1", dry_run: true })
      assert.include(data, { code: "READ_ONLY" })
      assert.lengthOf(engine.requests, 0)
    }).pipe(Effect.provide(serving(engine.client, { readOnly: true }, operatorToolsets)))
  })
})

describe("the name of a temporary copy", () => {
  it("is read as what it was made of, whatever the workflow is called", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.stringMatching(/^[\da-f]{12}$/),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (original, mark, since) => {
          const name = temporaryName(original, mark, since.toISOString())
          assert.deepStrictEqual(readTemporaryName(name), { mark, since: since.getTime() })
          assert.isAtMost(name.length, 128)
        }
      )
    )
  })
})

describe("what nodes do outside", () => {
  const parse = boundedParser(acorn)
  const namesOf = (...nodes: ReadonlyArray<Json>) => sideEffectsOf(nodes, parse).map((one) => one.node)
  const whyOf = (jsCode: string) => sideEffectsOf([node("code", "Code", { parameters: { jsCode } })], parse)[0]?.why

  it("is whatever is not known to work on its items alone", () => {
    assert.deepStrictEqual(
      namesOf(
        node("set", "Set"),
        node("httpRequest", "Get"),
        node("emailSend", "Mail"),
        node("executeWorkflow", "Sub"),
        { ...node("set", "Strange"), type: "n8n-nodes-other.set" },
        node("set", "Keyed", { credentials: { httpBasicAuth: { id: "1", name: "Key" } } }),
        node("code", "Sum", { parameters: { jsCode: "return items" } }),
        node("code", "Fetch", { parameters: { jsCode: "return this.helpers.httpRequest({})" } }),
        node("removeDuplicates", "Each once"),
        node("removeDuplicates", "New ones", { parameters: { operation: "removeItemsSeenInPreviousExecutions" } }),
        node("httpRequest", "Off", { disabled: true })
      ),
      ["Get", "Mail", "Sub", "Strange", "Keyed", "Fetch", "New ones"]
    )
  })

  it.each([
    "await fetch($json.url)",
    "const fs = require('fs')",
    "import requests",
    "process.exit()",
    "__import__('os')",
    "open('/etc/passwd')"
  ])("is code with %s, in whatever node it stands", (program) => {
    assert.deepStrictEqual(
      namesOf(
        node("code", "Script", { parameters: { jsCode: program } }),
        node("code", "Python", { parameters: { language: "python", pythonCode: program } }),
        node("function", "Older", { parameters: { functionCode: program } }),
        node("set", "Words", { parameters: { text: program } })
      ),
      ["Script", "Python", "Older"]
    )
  })

  it.each([
    "const open = $input.all().filter((one) => one.json.status === 'open')\nreturn [{ json: { open: open.length } }]",
    "const { process, import: imports } = $json\nreturn [{ json: { process, imports } }]",
    "return items.filter(({ json }) => json.open && !json.process).map((one) => ({ json: one.json.helpers }))",
    "// fetch the open ones\nreturn [{ json: { text: 'please process, then open', [`open`]: $json['fetch'] } }]",
    "function process(open) { return open + 1 }\nreturn $input.all().map(({ json }) => ({ json: { n: process(json.n) } }))",
    "return $('Fetch open').all().map((one) => one.json.order.process)",
    "class Door { open() { return 1 } }\nreturn [{ json: { n: new Door().open() } }]"
  ])("is no code that only declares, reads or writes such a word: %s", (jsCode) => {
    assert.deepStrictEqual(namesOf(node("code", "Code", { parameters: { jsCode } })), [])
  })

  it.each([
    "const rows = $input.all()\nconst groups = {}\nfor (const { json } of rows) {\n  groups[json.city] ??= []\n  groups[json.city].push(json)\n}\nreturn Object.entries(groups).map(([city, all]) => ({ json: { city, count: all.length } }))",
    "const pick = (row, fields) => Object.fromEntries(fields.map((field) => [field, row[field]]))\nreturn items.map((item) => ({ json: pick(item.json, ['a', 'b']) }))",
    "const byId = new Map(items.map((one) => [one.json.id, one]))\nreturn $('Other').all().map(({ json }) => ({ json: { ...byId.get(json.id)?.json, n: json.lines[0][json.key] } }))",
    "const out = []\nfor (let i = 0; i < items.length; i++) {\n  const row = items[i].json\n  for (const key of Object.keys(row)) if (Object.prototype.hasOwnProperty.call(row, key)) out.push({ json: { key, value: row[key] } })\n}\nreturn out",
    "class Sum { constructor() { this.total = 0 } add(n) { this.total += n; return this } }\nreturn [{ json: { n: new Sum().add(1).total } }]",
    "await new Promise((resolve) => setTimeout(resolve, 10))\nconst at = DateTime.fromISO($json.at).plus({ days: 1 }).toISO()\nreturn { json: { at, words: $json.text.replace(/a/g, 'b').split(' ').map(Number).filter(Boolean) } }",
    "if (typeof fetch === 'undefined') throw new Error('no fetch here')\nconst state = this.getWorkflowStaticData('node')\nreturn items"
  ])("is no code whose names and calls are all clear: %s", (jsCode) => {
    assert.deepStrictEqual(namesOf(node("code", "Code", { parameters: { jsCode } })), [])
  })

  const open = "what only the run decides"
  it.each([
    ["const open = 1\nreturn await fetch($json.url)", "jsCode, line 2: fetch"],
    ["const { helpers } = this\nreturn helpers.httpRequest({})", "jsCode, line 1: this"],
    ["const self = this\n\nreturn self.helpers.httpRequest({})", "jsCode, line 1: this"],
    ["return this.helpers.httpRequest({})", "jsCode, line 1: helpers"],
    ["return this['help' + 'ers'].httpRequest({})", "jsCode, line 1: this"],
    ["const ask = () => {\n  return this.helpers\n}\nreturn ask()", "jsCode, line 2: helpers"],
    ["function ask() { return this.helpers.httpRequest({}) }\nreturn ask.call(this)", "jsCode, line 1: this"],
    ["function ask() {\n  return fetch('x')\n}\nreturn ask()", "jsCode, line 2: fetch"],
    ["const all = { ask() { return (async () => await fetch('x'))() } }\nreturn all.ask()", "jsCode, line 1: fetch"],
    ["function all() { return this }\nreturn all().fetch('x')", "jsCode, line 1: this"],
    ["{ const fetch = 1 }\nreturn fetch('x')", "jsCode, line 2: fetch"],
    ["{ function fetch() {} }\nreturn fetch('x')", "jsCode, line 2: fetch"],
    ["return ((a = fetch('x')) => { var fetch; return a })()", "jsCode, line 1: fetch"],
    ["try { null.a } catch ({ b = fetch('x') }) { return b }", "jsCode, line 1: fetch"],
    ["class Ask { static answer = fetch('x') }\nreturn Ask.answer", "jsCode, line 1: fetch"],
    ["return \\u0066etch('x')", "jsCode, line 1: fetch"],
    ["return `${fetch('x')}`", "jsCode, line 1: fetch"],
    ["const { a = fetch } = {}\nreturn a('x')", "jsCode, line 1: fetch"],
    ["const process = globalThis.process\nreturn process.env", "jsCode, line 1: globalThis"],
    ["return globalThis['fe' + 'tch']('x')", "jsCode, line 1: globalThis"],
    ["return (0, eval)(atob('ZmV0Y2goMSk='))", "jsCode, line 1: eval"],
    ["return new Function('return 1')()", "jsCode, line 1: Function"],
    ["return Reflect.get(items, 'x')", "jsCode, line 1: Reflect"],
    ["return items.map.constructor('return 1')()", "jsCode, line 1: constructor"],
    ["return items.map[`constructor`]('return 1')()", "jsCode, line 1: constructor"],
    ["const { constructor: make } = items.map\nreturn make('return 1')()", "jsCode, line 1: constructor"],
    ["return items.map['const\\u0072uctor']('return 1')()", "jsCode, line 1: constructor"],
    ["return items.__proto__.x", "jsCode, line 1: __proto__"],
    ["Error.prepareStackTrace = (_, sites) => sites\nreturn items", "jsCode, line 1: Error"],
    ["with (items.map) { push('x') }\nreturn items", "jsCode, line 1: with"],
    ["const fs = require('fs')\nreturn items", "jsCode, line 1: require"],
    ["return module.require('fs')", "jsCode, line 1: module"],
    ["const load = require\nreturn load('fs')", "jsCode, line 1: require"],
    ["const fs = await import('fs')\nreturn items", "jsCode, line 1: import"],
    ["return $httpRequest('x')", "jsCode, line 1: $httpRequest"],
    ["return $helpers.httpRequest({})", "jsCode, line 1: $helpers"],
    ["return $evaluateExpression('{{ 1 }}')", "jsCode, line 1: $evaluateExpression"],
    ["return axios.get('x')", "jsCode, line 1: axios"],
    ["return arguments[0]", "jsCode, line 1: arguments"],
    ["return items.map['con' + 'structor']('return 1')()", `jsCode, line 1: a call of ${open}`],
    [
      "const key = $json.key\nconst make = items.map[key]\nreturn make('return 1')()",
      `jsCode, line 3: a call of ${open}`
    ],
    ["const { [$json.key]: make } = items.map\nreturn make('return 1')()", `jsCode, line 2: a call of ${open}`],
    ["const make = items.map[$json.key]\nreturn make.call(null, 'return 1')", `jsCode, line 2: a call of ${open}`],
    [
      "const make = items.map[$json.key]\nreturn Promise.resolve('return 1').then(make)",
      `jsCode, line 2: a call of ${open}`
    ],
    ["const make = items.map[$json.key]\nreturn JSON.parse('[1]', make)", `jsCode, line 2: a call of ${open}`],
    ["return Array.prototype.map.call(['return 1'], items.map[$json.key])", `jsCode, line 1: a call of ${open}`],
    ["const all = { go: items.map[$json.key] }\nreturn all.go('return 1')", `jsCode, line 2: a call of ${open}`],
    [
      "const all = {}\nall[$json.name] = items.map[$json.key]\nreturn all.map('return 1')",
      `jsCode, line 3: a call of ${open}`
    ],
    ["const all = { toString: items.map[$json.key] }\nreturn `${all}`", `jsCode, line 1: a call of ${open}`],
    ["class Make extends items.map[$json.key] {}\nreturn new Make('return 1')", `jsCode, line 1: a call of ${open}`],
    ["return items.map[$json.key]`return 1`", `jsCode, line 1: a call of ${open}`],
    ["const f = () => items.map[$json.key]\nreturn f()('return 1')", `jsCode, line 2: a call of ${open}`],
    ["let self\nclass Ask { [(self = this, 'x')]() {} }\nreturn self.helpers.httpRequest({})", "jsCode, line 2: this"],
    ["return new Error().stack.map((frame) => frame.getThis())", "jsCode, line 1: getThis"],
    ["return Object.call.call(items.map[$json.key], null, 'return 1')", `jsCode, line 1: a call of ${open}`],
    [
      "return Promise.prototype.then.apply(Promise.resolve('return 1'), [items.map[$json.key]])",
      `jsCode, line 1: a call of ${open}`
    ],
    [
      "return [items.map[$json.key]].map(Promise.prototype.then, Promise.resolve('return 1'))",
      `jsCode, line 1: a call of ${open}`
    ],
    ["return [items.map[$json.key]].forEach(setTimeout)", `jsCode, line 1: a call of ${open}`],
    ["return Promise.try(items.map[$json.key], 'return 1')", `jsCode, line 1: a call of ${open}`],
    ["return Promise.resolve('return 1').then(Object(items.map[$json.key]))", `jsCode, line 1: a call of ${open}`],
    ["return { get go() { return items.map[$json.key] } }.go('return 1')", `jsCode, line 1: a call of ${open}`],
    ["return items\nconst open = [", "jsCode: the code cannot be read"],
    ["=return {{ $json.code }}", "jsCode: an expression makes the code"]
  ])("is code that may reach outside, and what is used for it is named with its line: %s", (jsCode, why) => {
    assert.strictEqual(whyOf(jsCode), why)
  })

  it.each([
    ["return [{'json': {'n': len(_items)}}]", undefined],
    ["rows = [one for one in _input.all() if one.json.reopened]\nreturn rows", undefined],
    ["import requests", "import"],
    ["x = 1\nreturn getattr(_items, 'a')", "getattr"],
    ["return _input.all.constructor('return 1')()", "constructor"],
    ["return ().__class__", "__class__"],
    ["return (x for x in []).gi_frame", "gi_frame"],
    ["return \uff45val('1')", "eval"],
    ["return _helpers.httpRequest({})", "_helpers"],
    ["return _input.as_object_map(hereditary=True)['con' + 'structor']", "as_object_map"],
    ["# opens nothing, but says: open", "open"]
  ])("is Python with a word that reaches further, as Python is not parsed: %s", (pythonCode, use) => {
    for (const language of ["python", "pythonNative"]) {
      const [outside] = sideEffectsOf([node("code", "Code", { parameters: { language, pythonCode } })], parse)
      assert.strictEqual(outside?.why?.replace(/^.*: /, ""), use)
    }
  })

  it("is code in a language that is not known, and code in any kind of node that runs some", () => {
    assert.deepStrictEqual(
      namesOf(
        node("code", "Ruby", { parameters: { language: "ruby", jsCode: "return items" } }),
        node("code", "Chosen", { parameters: { language: "={{ $json.language }}", jsCode: "return items" } }),
        node("function", "Hidden", { parameters: { language: "python", functionCode: "return fetch('x')" } }),
        node("sort", "Sort", { parameters: { type: "code", code: "fetch('x')\nreturn 1" } }),
        node("sort", "Fields", { parameters: { type: "simple" } }),
        node("code", "Words", { parameters: { jsCode: "return items", notes: "fetch and open" } })
      ),
      ["Ruby", "Chosen", "Hidden", "Sort"]
    )
  })

  it.effect(
    "is not counted by run_workflow where code only declares such a word, and is named where it calls one",
    () => {
      const withCode = (jsCode: string) => {
        const nodes = [node("manualTrigger", "Start"), node("code", "Save", { parameters: { jsCode } })]
        return keeping(({ path }) => (path.startsWith("/api/v1/workflows/w1") ? json({ ...stored, nodes }) : undefined))
      }
      const counting = withCode("const open = $input.all()\nreturn [{ json: { open: open.length } }]")
      const asking = withCode("const url = $json.url\nreturn await fetch(url)")
      return Effect.gen(function* () {
        const counted = yield* inTime(ask("run_workflow", { id: "w1", timeout: 5 })).pipe(
          Effect.provide(counting.server)
        )
        assert.include(counted, { ran: true })
        const { outside, ran } = yield* ask("run_workflow", { id: "w1" }).pipe(Effect.provide(asking.server))
        assert.isFalse(ran)
        assert.nestedPropertyVal(outside, "[0].why", "jsCode, line 2: fetch")
      })
    }
  )

  it("is no code that keeps something in the static data of its workflow, of which the copy has its own", () => {
    const jsCode = "const state = $getWorkflowStaticData('global'); state.n = 1; return items"
    assert.deepStrictEqual(namesOf(node("code", "Counts", { parameters: { jsCode } })), [])
  })
})
