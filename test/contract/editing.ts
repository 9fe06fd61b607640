import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import {
  answer,
  chain,
  content,
  created,
  decodeGraph,
  decodeNodes,
  eventually,
  everyDay,
  given,
  manual,
  node,
  tagged,
  to,
  unique,
  webhook,
  without
} from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

const edit = (id: string, ...operations: ReadonlyArray<Json>) => ask("edit_workflow", { id, operations })

/** Forty nodes as an editor writes them: several outputs, AI parts, notes, credentials, what nobody named. */
const forty = (isV2: boolean) => {
  const steps = Array.from({ length: 36 }, (_, index) => ({
    ...node("httpRequest", `Step ${index}`, {
      method: "POST",
      url: `https://api.example.com/${index}`,
      jsonBody: `={{ JSON.stringify($('Webhook').item.json.body) }}`,
      options: { timeout: 10_000 + index, redirect: { redirect: {} } }
    }),
    id: crypto.randomUUID(),
    typeVersion: 4.2,
    position: [index * 220, (index % 3) * 160],
    notes: `Step number ${index}`,
    ...(index % 2 === 0 ? { credentials: { httpBasicAuth: { id: "AbCdEfGh12345678", name: "Shop" } } } : {}),
    ...(index % 5 === 0 ? { retryOnFail: true, maxTries: 3, onError: "continueErrorOutput" } : {})
  }))
  return {
    nodes: [
      { ...webhook({ options: { rawBody: true } }), id: crypto.randomUUID() },
      ...steps,
      { ...node("noOp", "Agent"), type: "@n8n/n8n-nodes-langchain.agent", typeVersion: 1.7, id: crypto.randomUUID() },
      {
        ...node("noOp", "Model"),
        type: "@n8n/n8n-nodes-langchain.lmChatOpenAi",
        id: crypto.randomUUID(),
        disabled: true
      },
      { ...node("stickyNote", "Note", { content: "# Mind\n$('Step 7')" }), id: crypto.randomUUID() }
    ],
    connections: {
      Webhook: { main: [[to("Step 0")]] },
      ...Object.fromEntries(
        steps
          .slice(1)
          .map(({ name }, index) => [
            `Step ${index}`,
            { main: [[to(name)], ...(index % 5 === 0 ? [[to("Agent")]] : [])] }
          ])
      ),
      Model: { ai_languageModel: [[to("Agent", "ai_languageModel")]] }
    },
    settings: { executionOrder: "v1", timezone: "Europe/Berlin", saveManualExecutions: true },
    staticData: { "node:Webhook": { lastItem: 7 } },
    ...(isV2 ? { pinData: { "Step 7": [{ json: { pinned: true } }] } } : {})
  }
}

export const editing = (it: Suite) => {
  it.effect("edit_workflow changes one parameter of forty nodes, in one small call, and nothing else", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const { id } = yield* given({ name: unique("forty"), ...forty(isV2) })
      const before = yield* content(id)
      const operations = [{ op: "set", node: "Step 17", parameters: { options: { timeout: 30_000 } } }]
      const said = yield* ask("edit_workflow", { id, operations })
      assert.isBelow(JSON.stringify({ id, operations }).length + JSON.stringify(said).length, 2000)
      assert.deepStrictEqual(said.changes, ["Step 17: options.timeout 10017 → 30000"])
      const nodes = decodeNodes(before.nodes).map((one) =>
        one.name === "Step 17"
          ? {
              ...one,
              parameters: { ...Object(one.parameters), options: { timeout: 30_000, redirect: { redirect: {} } } }
            }
          : one
      )
      assert.deepStrictEqual(yield* content(id), { ...before, nodes })
      yield* edit(id, { op: "set", node: "Step 17", path: "parameters.options.timeout", value: 10_017 })
      assert.deepStrictEqual(yield* content(id), before)
    })
  )

  it.effect("edit_workflow renames a node with its connections, expressions and pinned data, and it still runs", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const value = (source: string) => ({ id: source, name: "said", type: "string", value: source })
      const reader = (name: string, source: string) =>
        node("set", name, { assignments: { assignments: [value(source)] }, options: {} })
      const { id } = yield* given({
        name: unique("rename"),
        nodes: [
          webhook(),
          answer("Customer", "={{ $json.body.name }}"),
          reader(
            "One",
            `={{ $('Customer').item.json.said + $node["Customer"].json.said + $node.Customer.json.said + $items('Customer')[0].json.said }} $('Customer')`
          ),
          {
            ...node("code", "Two", {
              jsCode: "return [{ json: { said: $('Customer').first().json.said + $('One').first().json.said } }]"
            }),
            typeVersion: 2
          }
        ],
        connections: {
          Webhook: { main: [[to("Customer")]] },
          Customer: { main: [[to("One")]] },
          One: { main: [[to("Two")]] }
        },
        staticData: { "node:Customer": { seen: 1 }, global: { runs: 2 } },
        ...(isV2 ? { pinData: { Customer: [{ json: { said: "pinned" } }] } } : {})
      })
      yield* ask("activate_workflow", { id })
      const run = Effect.map(ask("execute_workflow", { id, data: { name: "Ann" } }), ({ response }) =>
        JSON.stringify(response)
      )
      const expected = /AnnAnnAnnAnnAnn \$\('Customer'\)/
      yield* eventually(run, (text) => expected.test(text))
      const before = yield* content(id)

      const name = 'Bob\'s "best" {{customer}}'
      const said = yield* edit(id, { op: "rename", node: "Customer", name })
      assert.strictEqual(said.active, true)
      assert.isUndefined(said.warnings)
      assert.deepStrictEqual(said.changes, [
        `renamed Customer → ${JSON.stringify(name)}`,
        `references to Customer now say ${JSON.stringify(name)} in: One, Two`
      ])
      yield* eventually(run, (text) => expected.test(text))
      const after = yield* content(id)
      assert.deepStrictEqual(after.staticData, { [`node:${name}`]: { seen: 1 }, global: { runs: 2 } })
      if (isV2) assert.deepStrictEqual(after.pinData, { [name]: [{ json: { said: "pinned" } }] })
      assert.deepInclude(Object(after.connections).Webhook, { main: [[to(name)]] })

      assert.isBelow(JSON.stringify(said).length, 1000)
      const back = yield* edit(id, { op: "rename", node: name, name: "Customer" })
      assert.deepStrictEqual(back.changes, [
        `renamed ${JSON.stringify(name)} → Customer`,
        `references to ${JSON.stringify(name)} now say Customer in: One, Two`
      ])
      const inBrackets = JSON.stringify(before).replaceAll("$node.Customer", String.raw`$node[\"Customer\"]`)
      assert.deepStrictEqual(
        without(yield* content(id), "activeVersion", "activeVersionId"),
        without(Object(JSON.parse(inBrackets)), "activeVersion", "activeVersionId")
      )
      yield* eventually(run, (text) => expected.test(text))
    })
  )

  it.effect("edit_workflow builds a branch, which an active workflow runs at once", () =>
    Effect.gen(function* () {
      const hook = webhook()
      const { id } = yield* created({
        nodes: [hook, answer("Answer", "old")],
        connections: chain("Webhook", "Answer"),
        active: true
      })
      const conditions = {
        options: { caseSensitive: true, leftValue: "", typeValidation: "loose", version: 2 },
        combinator: "and",
        conditions: [
          { id: "c", leftValue: "={{ $json.body.n }}", rightValue: 10, operator: { type: "number", operation: "gt" } }
        ]
      }
      const said = yield* edit(
        id,
        { op: "add", node: "Large?", type: "if", parameters: { conditions }, from: "Webhook", to: "Answer" },
        { op: "set", node: "Answer", path: "assignments.assignments[0].value", value: "large" },
        { op: "add", node: "Small", type: "set", from: "Large?", output: "false", parameters: {} },
        {
          op: "set",
          node: "Small",
          parameters: { assignments: { assignments: [{ id: "s", name: "said", type: "string", value: "small" }] } }
        },
        { op: "note", node: "Large?", value: "Ten and more" }
      )
      assert.strictEqual(said.active, true)
      const run = (n: number) =>
        Effect.map(ask("execute_workflow", { id, data: { n } }), ({ response }) => JSON.stringify(response))
      yield* eventually(run(11), (text) => text.includes('"large"'))
      yield* eventually(run(9), (text) => text.includes('"small"'))
      const [way] = decodeNodes((yield* shown(`/workflows/${id}`)).nodes).filter(({ name }) => name === "Large?")
      assert.deepInclude(way, { notes: "Ten and more" })
      assert.include([2.2, 2.3], way?.typeVersion, "the newest of the engine, where its nodes are known by then")

      yield* edit(id, { op: "remove", node: "Large?", bridge: true, output: "true" }, { op: "remove", node: "Small" })
      yield* eventually(run(1), (text) => text.includes('"large"'))
    })
  )

  it.effect("edit_workflow connects the parts of an agent, and the outputs of a Switch by their names", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [webhook()] })
      const rule = (outputKey: string) => ({ outputKey, renameOutput: true, conditions: {} })
      const parameters = { rules: { values: [rule("yes"), rule("no")] }, options: { fallbackOutput: "extra" } }
      yield* edit(
        id,
        { op: "add", node: "Agent", type: "agent", from: "Webhook" },
        { op: "add", node: "Model", type: "lmChatOpenAi", to: "Agent", link: "ai_languageModel" },
        { op: "add", node: "Tool", type: "toolCalculator", to: "Agent", link: "tool" },
        { op: "add", node: "Route", type: "switch", from: "Agent", parameters },
        { op: "add", node: "No", type: "noOp", from: "Route", output: "no" },
        { op: "connect", from: "Route", output: "fallback", to: "No" },
        { op: "rename", node: "Agent", name: "Clerk" },
        { op: "arrange" }
      )
      const { connections, nodes } = yield* shown(`/workflows/${id}`)
      assert.deepStrictEqual(connections, {
        Webhook: { main: [[to("Clerk")]] },
        Clerk: { main: [[to("Route")]] },
        Model: { ai_languageModel: [[to("Clerk", "ai_languageModel")]] },
        Tool: { ai_tool: [[to("Clerk", "ai_tool")]] },
        Route: { main: [[], [to("No")], [to("No")]] }
      })
      assert.deepStrictEqual(
        decodeNodes(nodes).map(({ name, position }) => [name, position]),
        [
          ["Webhook", [0, 0]],
          ["Clerk", [220, 0]],
          ["Model", [220, 180]],
          ["Tool", [440, 180]],
          ["Route", [440, 0]],
          ["No", [660, 0]]
        ]
      )
      yield* edit(id, { op: "disconnect", from: "Route", output: "no" }, { op: "remove", node: "Tool" })
      assert.deepInclude(Object((yield* shown(`/workflows/${id}`)).connections), {
        Route: { main: [[], [], [to("No")]] }
      })
      const unknown = { op: "add", node: "Odd", type: "n8n-nodes-base.noSuchKind" }
      const { message } = yield* refused("edit_workflow", { id, operations: [unknown] })
      assert.match(
        message,
        /has no node type n8n-nodes-base\.noSuchKind|no version of n8n-nodes-base\.noSuchKind is known/
      )
    })
  )

  it.effect("edit_workflow tags by name, makes the tags that it should make, and takes them away", () =>
    Effect.gen(function* () {
      const { send } = yield* TestedEngine
      const tag = yield* tagged()
      const fresh = unique("new")
      const { id } = yield* created({ nodes: [manual()] })
      const { code, message } = yield* refused("edit_workflow", { id, operations: [{ op: "tag", value: fresh }] })
      assert.deepStrictEqual(
        [code, message],
        [
          -32602,
          `Invalid operations[0]: there is no tag "${fresh}". create: true makes it. Nothing was changed (instance production)`
        ]
      )
      const name = unique("renamed")
      const said = yield* edit(
        id,
        { op: "tag", value: [tag.name] },
        { op: "tag", value: fresh, create: true },
        { op: "rename", name }
      )
      assert.includeMembers([...Object(said.changes)], [`tagged ${tag.name}`, `tagged ${fresh}`])
      const { tags } = yield* shown(`/workflows/${id}`)
      const made = decodeNodes(tags).find((one) => one.name === fresh)
      yield* Effect.addFinalizer(() => send("DELETE", `/tags/${String(made?.id)}`))
      assert.sameMembers(
        decodeNodes(tags).map((one) => one.name),
        [tag.name, fresh]
      )
      yield* edit(id, { op: "untag", value: tag.name })
      const left = yield* shown(`/workflows/${id}`)
      assert.deepStrictEqual([left.name, decodeNodes(left.tags).map((one) => one.name)], [name, [fresh]])
    })
  )

  it.effect("edit_workflow gives a node a credential by its name", () =>
    Effect.gen(function* () {
      const { isV2, send } = yield* TestedEngine
      const type = "httpBasicAuth"
      const name = unique("shop")
      const made = Object(yield* sent("POST", "/credentials", { name, type, data: { user: "a", password: "b" } }))
      yield* Effect.addFinalizer(() => send("DELETE", `/credentials/${String(made.id)}`))
      const fetch = { ...node("httpRequest", "Fetch"), typeVersion: 4.2 }
      const { id } = yield* created({ nodes: [manual(), fetch], connections: chain("Start", "Fetch") })
      const credentials = { [type]: { id: made.id, name } }
      if (!isV2) {
        // This engine lists no credentials: they are found where they are used.
        yield* created({ nodes: [manual(), { ...fetch, credentials }] })
      }
      yield* edit(id, { op: "credential", node: "Fetch", value: name })
      assert.deepInclude(decodeNodes((yield* shown(`/workflows/${id}`)).nodes)[1], { credentials })
      yield* edit(id, { op: "credential", node: "Fetch", value: null })
      assert.notProperty(decodeNodes((yield* shown(`/workflows/${id}`)).nodes)[1], "credentials")
    })
  )

  it.effect("edit_workflow changes settings, and says which one the engine does not remove", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const settings = { timezone: "Europe/Riga", executionTimeout: 60, saveManualExecutions: true }
      const { id } = yield* created({ nodes: [manual()], settings })
      const parameters = { timezone: "UTC", executionTimeout: null, saveManualExecutions: null, executionOrder: null }
      const operations = [{ op: "settings", parameters }]
      const tried = yield* ask("edit_workflow", { id, operations, dry_run: true })
      const said = yield* ask("edit_workflow", { id, apply: tried.apply })
      const latest = Object((yield* shown(`/workflows/${id}`)).settings)
      assert.nestedPropertyVal(latest, "timezone", "UTC")
      assert.notProperty(latest, "executionTimeout")
      assert.strictEqual(Object.hasOwn(latest, "saveManualExecutions"), isV2)
      // In the order in which the engine gives them.
      const kept =
        /^This engine cannot remove settings, and keeps (saveManual\w+, executionOrder \(.+"v0"\)|executionOrder \(.+"v0"\), saveManual\w+)\.$/
      if (isV2) assert.match(String(said.notice), kept)
      else assert.isUndefined(said.notice)
      assert.strictEqual(tried.notice, ["Dry run: nothing was sent.", ...(isV2 ? [said.notice] : [])].join(" "))
      assert.deepStrictEqual(tried.changes, said.changes)
      assert.strictEqual(String(said.changes).includes("saveManualExecutions"), !isV2)
    })
  )

  it.effect("edit_workflow applies a dry run by its token, unless the workflow has changed since", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual()] })
      const parameters = { method: "POST", url: "https://a.example/orders" }
      const operations = [
        { op: "add", node: "Send", type: "httpRequest", parameters, from: "Start" },
        { op: "rename", node: "Send", name: "Send order" }
      ]
      const tried = yield* ask("edit_workflow", { id, operations, dry_run: true })
      assert.nestedPropertyVal(
        tried,
        "changes[0]",
        'added Send order (httpRequest), {"method":"POST","url":"https://a.example/orders"}'
      )
      assert.lengthOf(decodeNodes((yield* shown(`/workflows/${id}`)).nodes), 1)
      const { message } = yield* refused("edit_workflow", { id, operations, apply: tried.apply })
      assert.match(message, /^Invalid operations: must be left out where apply is given/)
      const said = yield* ask("edit_workflow", { id, apply: tried.apply })
      assert.deepStrictEqual(said.changes, tried.changes)
      assert.include(decodeNodes((yield* shown(`/workflows/${id}`)).nodes)[1], { name: "Send order" })
      const { data } = yield* refused("edit_workflow", { id, apply: tried.apply })
      assert.include(data, { code: "CONFLICT" })
      const other = yield* created({ nodes: [manual()] })
      const stranger = yield* refused("edit_workflow", { id: other.id, apply: tried.apply })
      assert.match(stranger.message, /^Invalid apply: is of no dry run of workflow \S+ that is remembered here/)
    })
  )

  it.effect("edit_workflow gives a node another type, and keeps what both have", () =>
    Effect.gen(function* () {
      const fetch = node("httpRequest", "Fetch", { url: "https://a.example", options: {} }, { notes: "daily" })
      const { id } = yield* created({
        nodes: [manual(), fetch, answer("Answer", "done")],
        connections: chain("Start", "Fetch", "Answer")
      })
      const before = decodeGraph(yield* shown(`/workflows/${id}`))
      yield* edit(id, {
        op: "retype",
        node: "Fetch",
        type: "graphql",
        typeVersion: 1,
        parameters: { endpoint: "https://b.example" }
      })
      const after = decodeGraph(yield* shown(`/workflows/${id}`))
      const [, was] = before.nodes
      const [, is] = after.nodes
      assert.include(is, { id: was?.id, name: "Fetch", notes: "daily", typeVersion: 1 })
      assert.match(String(is?.type), /\.graphql$/)
      assert.nestedPropertyVal(is, "parameters.endpoint", "https://b.example")
      assert.deepStrictEqual(after.connections, before.connections)
      yield* edit(id, { op: "set", node: "Fetch", path: "type", value: "httpRequest" })
      assert.match(String(decodeGraph(yield* shown(`/workflows/${id}`)).nodes[1]?.type), /\.httpRequest$/)
    })
  )

  it.effect("edit_workflow writes nothing where it is only asked what would change", () =>
    Effect.gen(function* () {
      const { id, version } = yield* created({ nodes: [everyDay()] })
      const before = yield* shown(`/workflows/${id}`)
      const operations = [{ op: "rename", node: "Every day", name: "Daily" }]
      const said = yield* ask("edit_workflow", { id, operations, dry_run: true, ifVersion: version })
      assert.deepInclude(said, {
        notice: "Dry run: nothing was sent.",
        changes: ["renamed Every day → Daily"],
        version
      })
      assert.deepStrictEqual(yield* shown(`/workflows/${id}`), before)
    })
  )

  it.effect("edit_workflow overwrites nobody else's change", () =>
    Effect.gen(function* () {
      const { interrupt, send } = yield* TestedEngine
      const { id, nodes, settings } = yield* created({ nodes: [manual()] })
      const theirs = { name: unique("theirs"), nodes, connections: {}, settings }
      yield* interrupt({
        method: "GET",
        path: `/api/v1/workflows/${id}`,
        after: 1,
        happen: Effect.asVoid(send("PUT", `/workflows/${id}`, theirs))
      })
      const { code, data } = yield* refused("edit_workflow", {
        id,
        operations: [{ op: "rename", name: unique("ours") }]
      })
      assert.strictEqual(code, -32000)
      assert.deepInclude(data, { code: "CONFLICT", id, changed: ["name"] })
      assert.include(yield* shown(`/workflows/${id}`), { name: theirs.name })
    })
  )

  it.effect("two edits at once both land", () =>
    Effect.gen(function* () {
      const { id } = yield* created({ nodes: [manual(), answer("A", "1"), answer("B", "2")] })
      yield* Effect.all(
        ["A", "B"].map((name) => edit(id, { op: "note", node: name, value: `${name} is edited` })),
        { concurrency: "unbounded" }
      )
      const nodes = decodeNodes((yield* shown(`/workflows/${id}`)).nodes)
      assert.deepStrictEqual(
        nodes.map(({ notes }) => notes),
        [undefined, "A is edited", "B is edited"]
      )
    })
  )
}
