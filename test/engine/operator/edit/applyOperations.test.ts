import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { applyOperations } from "../../../../src/engine/operator/edit/applyOperations.ts"
import type { Lookups } from "../../../../src/engine/operator/edit/Draft.ts"
import { type Operation, readOperation } from "../../../../src/engine/operator/edit/Operation.ts"
import { toConnections } from "../../../../src/engine/workflow/connections.ts"
import { type Workflow, WorkflowId } from "../../../../src/engine/workflow/models.ts"
import { validate } from "../../../../src/engine/workflow/validate.ts"
import { wiresOf } from "../../../../src/engine/workflow/wires.ts"
import { atOnce } from "../../../../src/internal/Sliced.ts"
import type { Json } from "../../../support/harness.ts"
import { graph } from "../../workflow/graphs.ts"

const lookups: Lookups = {
  credentials: [
    { id: "c1", name: "Shop", type: "httpBasicAuth" },
    { id: "c2", name: "Team", type: "slackApi" },
    { id: "c3", name: "Team", type: "slackOAuth2Api" }
  ],
  hasAllCredentials: true,
  tags: [{ id: "t1", name: "red" }],
  typeVersions: new Map([["community.thing", 7]]),
  descriptions: new Map(),
  missingTypes: new Map([["n8n-nodes-base.sett", "there is no such type"]]),
  nodeIds: ["n0", "n1", "n2", "n3"],
  webhookIds: ["w0", "w1", "w2", "w3"]
}

const read = (given: Json): Operation => Result.getOrThrowWith(readOperation(given), (problem) => new Error(problem))
const apply = (workflow: Workflow, ...operations: ReadonlyArray<Json>) =>
  atOnce(applyOperations(workflow, operations.map(read), lookups))
const applied = (workflow: Workflow, ...operations: ReadonlyArray<Json>) =>
  Result.getOrThrowWith(apply(workflow, ...operations), ({ problem }) => new Error(problem))
const result = (workflow: Workflow, ...operations: ReadonlyArray<Json>) => applied(workflow, ...operations).workflow
const problem = (workflow: Workflow, ...operations: ReadonlyArray<Json>) =>
  Result.match(apply(workflow, ...operations), { onFailure: (failure) => failure.problem, onSuccess: () => "accepted" })

const same = (after: unknown, before: unknown) => assert.strictEqual(JSON.stringify(after), JSON.stringify(before))
const wires = (connections: unknown) =>
  wiresOf(Result.getOrThrow(toConnections(connections))).map((wire) => JSON.stringify(wire))

/** Any workflow that breaks no rule, with fields that nobody knows, and one of its nodes. */
const anyWorkflow: fc.Arbitrary<readonly [workflow: Workflow, node: string, other: string]> = graph.chain((whole) => {
  const names = whole.nodes.map(({ name }) => name)
  return fc.tuple(
    fc.record({
      id: fc.constant(WorkflowId.make("w")),
      name: fc.constant("Orders"),
      active: fc.constant(false),
      nodes: fc.constant(whole.nodes.map((node, index) => ({ id: `n${index}`, ...node }))),
      connections: fc.constant(whole.connections),
      settings: fc.dictionary(fc.constantFrom("timezone", "errorWorkflow", "newer"), fc.string()),
      pinData: fc.constant(Object.fromEntries(names.slice(0, 1).map((name) => [name, [{ json: {} }]]))),
      staticData: fc.constant({
        global: { x: 1 },
        ...Object.fromEntries(names.map((name) => [`node:${name}`, { name }]))
      }),
      tags: fc.constant([{ id: "t1", name: "red" }]),
      newerField: fc.jsonValue()
    }),
    fc.constantFrom(...names),
    fc.constantFrom(...names)
  )
})

/** Engines refuse the names that every object has, in any spelling. */
const isRestricted = (name: string) =>
  ["prototype", ...Object.getOwnPropertyNames(Object.prototype)].some((one) => one.toLowerCase() === name.toLowerCase())
const nodeOf = ({ nodes }: Workflow, name: string) => nodes.find((node) => node.name === name) ?? {}

/** Checks that nothing but these fields of this node changed. */
const onlyIn = (before: Workflow, after: Workflow, name: string, fields: ReadonlyArray<string>) => {
  assert.deepStrictEqual(Object.keys(after), Object.keys(before))
  for (const field of Object.keys(before)) if (field !== "nodes") same(after[field], before[field])
  assert.strictEqual(after.nodes.length, before.nodes.length)
  for (const [index, node] of after.nodes.entries()) {
    const old = before.nodes[index] ?? {}
    if (node.name !== name) assert.strictEqual(node, old)
    else
      for (const field of Object.keys({ ...old, ...node })) if (!fields.includes(field)) same(node[field], old[field])
  }
}

/** Somebody, or nobody. */
const some = (names: ReadonlyArray<string>) => fc.constantFrom(...names, "Nobody")
const anyOperation = (names: ReadonlyArray<string>): fc.Arbitrary<Json> =>
  fc.oneof(
    fc.record({ op: fc.constantFrom("remove", "enable", "disable"), node: some(names) }),
    fc.record({ op: fc.constant("rename"), node: some(names), name: fc.constantFrom(...names, "Fresh", " ") }),
    fc.record({
      op: fc.constantFrom("connect", "disconnect"),
      from: some(names),
      to: some(names),
      output: fc.nat({ max: 300 })
    }),
    fc.record({
      op: fc.constant("set"),
      node: some(names),
      path: fc.constantFrom("typeVersion", "position", "type", "a.b"),
      value: fc.jsonValue()
    })
  )

describe("applyOperations changes nothing but what is named, and back to what was", () => {
  it("when a parameter is set", () =>
    fc.assert(
      fc.property(anyWorkflow, fc.string({ minLength: 1 }), fc.jsonValue(), ([before, node], key, value) => {
        fc.pre(value !== null)
        const { parameters } = nodeOf(before, node)
        const old: unknown = Object.hasOwn(Object(parameters), key) ? Object(parameters)[key] : undefined
        fc.pre(old !== null)
        const path = `parameters[${JSON.stringify(key)}]`
        const after = result(before, { op: "set", node, path, value })
        onlyIn(before, after, node, ["parameters"])
        const back = result(after, { op: "set", node, path, value: old ?? null })
        assert.deepStrictEqual(
          back,
          parameters === undefined ? result(before, { op: "set", node, parameters: {} }) : before
        )
      })
    ))

  it("when a node is renamed", () =>
    fc.assert(
      fc.property(anyWorkflow, ([before, node]) => {
        fc.pre(!isRestricted(node))
        const after = result(before, { op: "rename", node, name: "Some other name" })
        assert.strictEqual(after.nodes.length, before.nodes.length)
        same(result(after, { op: "rename", node: "Some other name", name: node }), before)
        same(wires(after.connections).length, wires(before.connections).length)
      })
    ))

  it("when nodes are connected", () =>
    fc.assert(
      fc.property(anyWorkflow, fc.nat({ max: 4 }), fc.nat({ max: 3 }), ([before, from, to], output, input) => {
        const wire = { from, to, output, input, link: "ai_tool" }
        const after = result(before, { op: "connect", ...wire })
        const isNew = wires(after.connections).length > wires(before.connections).length
        onlyIn({ ...before, connections: {} }, { ...after, connections: {} }, "", [])
        if (!isNew) return assert.strictEqual(after.connections, before.connections)
        const back = result(after, { op: "disconnect", ...wire })
        assert.sameMembers([...wires(back.connections)], [...wires(before.connections)])
        return onlyIn({ ...before, connections: {} }, { ...back, connections: {} }, "", [])
      })
    ))

  it("when a node is added and removed, in between or behind", () =>
    fc.assert(
      fc.property(anyWorkflow, ([before, from]) => {
        const all = wiresOf(Result.getOrThrow(toConnections(before.connections))).filter(({ type }) => type === "main")
        const link = all.find((wire) => all.filter((one) => JSON.stringify(one) === JSON.stringify(wire)).length === 1)
        const after = result(before, { op: "add", node: "Newcomer", type: "set", from })
        assert.strictEqual(after.nodes.length, before.nodes.length + 1)
        for (const [index, node] of before.nodes.entries()) assert.strictEqual(after.nodes[index], node)
        const back = result(after, { op: "remove", node: "Newcomer" })
        same({ ...back, connections: {} }, { ...before, connections: {} })
        assert.sameMembers([...wires(back.connections)], [...wires(before.connections)])
        if (link === undefined) return
        const { input, output, source, target } = link
        const split = result(before, {
          op: "add",
          node: "Newcomer",
          type: "set",
          from: source,
          to: target,
          input,
          output
        })
        const bridged = result(split, { op: "remove", node: "Newcomer", bridge: true })
        assert.sameMembers([...new Set(wires(bridged.connections))], [...new Set(wires(before.connections))])
      })
    ))

  it("when a node is moved, noted, switched off, and the workflow set, named and tagged", () =>
    fc.assert(
      fc.property(anyWorkflow, fc.string({ minLength: 1 }), ([before, node], text) => {
        const { notes, position } = nodeOf(before, node)
        fc.pre(notes !== "")
        const turns: ReadonlyArray<readonly [there: Json, back: Json, fields: ReadonlyArray<string>]> = [
          [{ op: "move", node, position: [1, 2] }, { op: "move", node, position }, ["position"]],
          [{ op: "note", node, value: text }, { op: "note", node, value: notes ?? null }, ["notes"]],
          [{ op: "disable", node }, { op: "enable", node }, ["disabled"]]
        ]
        for (const [there, back, fields] of turns) {
          const after = result(before, there)
          onlyIn(before, after, node, fields)
          assert.deepStrictEqual(result(after, back), before)
        }
        const name = `${text}!`
        same(result(result(before, { op: "rename", name }), { op: "rename", name: before.name }), before)
        const { newer = null } = before.settings ?? {}
        const set = result(before, { op: "settings", parameters: { newer: name } })
        onlyIn({ ...before, settings: {} }, { ...set, settings: {} }, "", [])
        assert.deepStrictEqual(result(set, { op: "settings", parameters: { newer } }), before)
        const tagged = applied(before, { op: "tag", value: "blue", create: true })
        assert.deepStrictEqual([tagged.tags, tagged.workflow], [["red", "blue"], before])
        assert.deepStrictEqual(
          applied(before, { op: "tag", value: "blue", create: true }, { op: "untag", value: "blue" }).tags,
          ["red"]
        )
      })
    ))

  it("when a text is replaced", () =>
    fc.assert(
      fc.property(anyWorkflow, fc.nat({ max: 3 }), ([given, node], more) => {
        const text = `one §find§ two${" §find§".repeat(more)}`
        const before = result(given, { op: "set", node, parameters: { deep: [{ text }] } })
        const count = more + 1
        const after = result(before, { op: "replace", node, find: "§find§", value: "$&", count })
        onlyIn(before, after, node, ["parameters"])
        assert.deepNestedInclude(nodeOf(after, node), {
          "parameters.deep[0].text": text.replaceAll("§find§", () => "$&")
        })
        same(result(after, { op: "replace", node, path: "deep[0].text", find: "$&", value: "§find§", count }), before)
        assert.match(
          problem(before, { op: "replace", node, find: "§find§", value: "", count: count + 1 }),
          / occurs [^]* expected /
        )
      })
    ))

  it("whatever is done in a row: the result keeps the rules, or nothing is done", () =>
    fc.assert(
      fc.property(
        anyWorkflow.chain(([workflow]) =>
          fc.tuple(
            fc.constant(workflow),
            fc.array(anyOperation(workflow.nodes.map(({ name }) => String(name))), { maxLength: 6 })
          )
        ),
        ([before, given]) => {
          const text = JSON.stringify(before)
          const operations = given
            .map((one) => readOperation(one))
            .filter(Result.isSuccess)
            .map(({ success }) => success)
          const after = atOnce(applyOperations(before, operations, lookups))
          same(before, JSON.parse(text))
          assert.isTrue(Result.isFailure(after) || Result.isSuccess(validate(after.success.workflow)))
        }
      )
    ))
})

const step = (name: string, kind = "set", more: Json = {}) => ({
  name,
  type: `engine-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...more
})
const to = (node: string, type = "main", index = 0) => ({ node, type, index })
const workflow: Workflow = {
  id: WorkflowId.make("w"),
  name: "Orders",
  active: false,
  nodes: [
    step("Hook", "webhook", { position: [0, 0] }),
    step("Check", "if", { position: [220, 0], typeVersion: 2 }),
    step("Loop", "splitInBatches", { position: [440, 0], typeVersion: 3, onError: "continueErrorOutput" }),
    step("Fetch", "httpRequest", {
      position: [660, 0],
      parameters: { url: "https://a.example", options: { timeout: 5, list: ["x", "y"] }, body: "a a a" },
      credentials: { httpBasicAuth: { id: "c9", name: "Old" } }
    })
  ],
  connections: { Hook: { main: [[to("Check")]] }, Check: { main: [[to("Loop")], [to("Fetch")]] } },
  settings: { timezone: "UTC" },
  nodeGroups: [{ id: "g", nodeIds: ["x"] }],
  tags: [{ id: "t1", name: "red" }]
}
const fetched = (...operations: ReadonlyArray<Json>) => nodeOf(result(workflow, ...operations), "Fetch")

describe("set", () => {
  it.each([
    [
      { parameters: { options: { timeout: 9, list: null }, body: null } },
      { url: "https://a.example", options: { timeout: 9 } }
    ],
    [{ value: '{"body":null,"options":null}' }, { url: "https://a.example" }],
    [
      { path: "parameters.options.list[1]", value: "z" },
      { url: "https://a.example", options: { timeout: 5, list: ["x", "z"] }, body: "a a a" }
    ],
    [
      { path: "options.list[2]", value: "z" },
      { url: "https://a.example", options: { timeout: 5, list: ["x", "y", "z"] }, body: "a a a" }
    ],
    [
      { path: "options.list.1", value: "z" },
      { url: "https://a.example", options: { timeout: 5, list: ["x", "z"] }, body: "a a a" }
    ],
    [
      { path: "options.list[0]", value: null },
      { url: "https://a.example", options: { timeout: 5, list: ["y"] }, body: "a a a" }
    ],
    [
      { path: "options.timeout", value: "30" },
      { url: "https://a.example", options: { timeout: 30, list: ["x", "y"] }, body: "a a a" }
    ],
    [
      { path: "options.timeout", value: "={{ 1 }}" },
      { url: "https://a.example", options: { timeout: "={{ 1 }}", list: ["x", "y"] }, body: "a a a" }
    ],
    [
      { path: "options.list", value: '["q"]' },
      { url: "https://a.example", options: { timeout: 5, list: ["q"] }, body: "a a a" }
    ],
    [
      { path: "body", value: "30" },
      { url: "https://a.example", options: { timeout: 5, list: ["x", "y"] }, body: "30" }
    ],
    [
      { path: 'headers["x-a.b"].v', value: 1 },
      {
        url: "https://a.example",
        options: { timeout: 5, list: ["x", "y"] },
        body: "a a a",
        headers: { "x-a.b": { v: 1 } }
      }
    ]
  ])("%j", (given, parameters) => {
    assert.deepStrictEqual(fetched({ op: "set", node: "Fetch", ...given }).parameters, parameters)
  })

  it("keeps no name of a workflow that is not called any more", () => {
    const calling = {
      ...workflow,
      nodes: [
        step("Call", "executeWorkflow", {
          parameters: { workflowId: { __rl: true, mode: "list", value: "a1", cachedResultName: "Orders" } }
        })
      ]
    }
    const pointing = { workflowId: { __rl: true, mode: "list", value: "b2" } }
    for (const one of [
      { op: "set", node: "Call", path: "workflowId.value", value: "b2" },
      { op: "set", node: "Call", parameters: { workflowId: { value: "b2" } } },
      { op: "replace", node: "Call", path: "workflowId.value", find: "a1", value: "b2" }
    ]) {
      assert.deepStrictEqual(nodeOf(result(calling, one), "Call").parameters, pointing)
    }
  })

  it("sets other fields of a node by their names", () => {
    assert.strictEqual(
      fetched({ op: "set", node: "Fetch", path: "onError", value: "continueRegularOutput" }).onError,
      "continueRegularOutput"
    )
    assert.strictEqual(fetched({ op: "set", node: "Fetch", path: "retryOnFail", value: true }).retryOnFail, true)
  })

  it.each([
    [{ path: "name", value: "x" }, "a node gets another name by op rename"],
    [{ path: "id", value: "x" }, "the id of a node cannot be changed"],
    [{ path: "url.x", value: 1 }, "parameters.url is no object, and has no x"],
    [
      { path: "options.list[5]", value: 1 },
      "there is nothing at parameters.options.list[5]: parameters.options.list has 2 items"
    ],
    [{ path: "url[0]", value: 1 }, "parameters.url is no list"],
    [{ path: "nothing", value: null }, "there is nothing at parameters.nothing"],
    [{ path: Array(5000).fill("a").join("."), value: 1 }, "a path may have 100 steps, this one has 5000"],
    [
      { path: "a..b", value: 1 },
      '"a..b" is no path; write it as in parameters.options.timeout or parameters.items[0].name'
    ],
    [{ path: "body" }, "value is required; null removes"],
    [{}, "give parameters as an object, or path and value"],
    [{ parameters: {}, path: "x", value: 1 }, "give either parameters, or path and value"]
  ])("refuses %j", (given, expected) => {
    assert.strictEqual(problem(workflow, { op: "set", node: "Fetch", ...given }), expected)
  })
})

describe("replace", () => {
  it("says how often the text is there", () => {
    assert.strictEqual(
      problem(workflow, { op: "replace", node: "Fetch", path: "body", find: "a", value: "b" }),
      '"a" occurs 3 times in parameters.body of Fetch, expected 1. Give count, or a longer text'
    )
    assert.strictEqual(
      problem(workflow, { op: "replace", find: "example", value: "b", count: 2 }),
      '"example" occurs once (Fetch 1) in parameters of all nodes, expected 2. Give count, or a longer text'
    )
    assert.strictEqual(
      problem(workflow, { op: "replace", node: "Fetch", find: "b", value: "b" }),
      '"b" does not occur in parameters of Fetch, expected 1. Give count, or a longer text'
    )
  })
})

describe("add", () => {
  const added = (...operations: ReadonlyArray<Json>) => result(workflow, ...operations).nodes.at(-1) ?? {}

  it("takes a usual version, that of the workflow's nodes, or that of the instance", () => {
    const version = (given: Json) => added({ op: "add", node: "N", ...given }).typeVersion
    assert.strictEqual(version({ type: "n8n-nodes-base.set" }), 3.4)
    assert.strictEqual(version({ type: "if" }), 2)
    assert.strictEqual(version({ type: "if", typeVersion: 2.2 }), 2.2)
    assert.strictEqual(version({ type: "engine-nodes-base.filter" }), 2.2)
    assert.strictEqual(version({ type: "community.thing" }), 7)
    assert.match(
      problem(workflow, { op: "add", node: "N", type: "community.other" }),
      /no version of community\.other is known/
    )
  })

  it("spells a type in full, and gives webhooks an id", () => {
    assert.strictEqual(added({ op: "add", node: "N", type: "agent" }).type, "@n8n/n8n-nodes-langchain.agent")
    assert.deepInclude(added({ op: "add", node: "N", type: "webhook" }), {
      type: "n8n-nodes-base.webhook",
      webhookId: "w0"
    })
  })

  it("finds a place where nothing stands", () => {
    const place = (given: Json) => added({ op: "add", node: "N", type: "set", ...given }).position
    assert.deepStrictEqual(place({ position: [7, 8] }), [7, 8])
    assert.deepStrictEqual(place({ from: "Fetch" }), [880, 0])
    assert.deepStrictEqual(place({ from: "Hook" }), [220, 180])
    assert.deepStrictEqual(place({ from: "Hook", to: "Check" }), [110, 180])
    assert.deepStrictEqual(place({ to: "Hook" }), [-220, 0])
    assert.deepStrictEqual(place({}), [0, 180])
  })

  it("goes between two nodes, in the place of their connection", () => {
    const { connections } = result(workflow, { op: "add", node: "N", type: "set", from: "Check", to: "Fetch" })
    assert.deepStrictEqual(connections, {
      ...workflow.connections,
      Check: { main: [[to("Loop")], [to("N")]] },
      N: { main: [[to("Fetch")]] }
    })
    assert.strictEqual(
      problem(workflow, { op: "add", node: "N", type: "set", from: "Hook", to: "Fetch" }),
      "Hook does not lead to Fetch; give only one of them, or connect them"
    )
  })

  it("makes a part of an AI node", () => {
    const { connections } = result(workflow, { op: "add", node: "N", type: "toolCode", to: "Fetch", link: "tool" })
    assert.deepStrictEqual(Object(connections).N, { ai_tool: [[to("Fetch", "ai_tool")]] })
  })

  it("cuts a connection that leads to a node which is not there", () => {
    const broken = {
      ...workflow,
      connections: { Hook: { main: [[to("Fetch"), to("Gone")]] }, Lost: { main: [[to("Fetch")]] } }
    }
    const cut = result(broken, { op: "disconnect", from: "Hook", to: "Gone" }, { op: "disconnect", from: "Lost" })
    assert.deepStrictEqual(cut.connections, { Hook: { main: [[to("Fetch")]] } })
    assert.match(problem(workflow, { op: "disconnect", from: "Hook", to: "Gone" }), /^there is no node "Gone"/)
  })

  it("connects a part of an agent with what it gives, where no link is named", () => {
    const given = (type: string) => {
      const added = result(workflow, { op: "add", node: "N", type, typeVersion: 1, to: "Fetch" })
      const apart = { op: "add", node: "N", type, typeVersion: 1 }
      const connected = result(workflow, apart, { op: "connect", from: "N", to: "Fetch" })
      assert.deepStrictEqual(Object(connected.connections).N, Object(added.connections).N)
      return Object.keys(Object(Object(added.connections).N))
    }
    assert.deepStrictEqual(given("toolCode"), ["ai_tool"])
    assert.deepStrictEqual(given("n8n-nodes-base.slackTool"), ["ai_tool"])
    assert.deepStrictEqual(given("lmChatOpenAi"), ["ai_languageModel"])
    assert.deepStrictEqual(given("memoryBufferWindow"), ["ai_memory"])
    assert.deepStrictEqual(given("memoryManager"), ["main"])
    assert.deepStrictEqual(given("agent"), ["main"])
    assert.deepStrictEqual(given("noOp"), ["main"])
    const named = result(workflow, { op: "add", node: "N", type: "toolCode", to: "Fetch", link: "main" })
    assert.deepStrictEqual(Object.keys(Object(Object(named.connections).N)), ["main"])
  })

  it("refuses a name that is taken, empty or not allowed", () => {
    assert.strictEqual(problem(workflow, { op: "add", node: "Hook", type: "set" }), 'there is a node "Hook" already')
    assert.strictEqual(problem(workflow, { op: "add", node: " ", type: "set" }), "the name of a node must not be empty")
    assert.strictEqual(
      problem(workflow, { op: "rename", node: "Hook", name: "__proto__" }),
      "engines allow no node called __proto__"
    )
    assert.strictEqual(
      problem(workflow, { op: "rename", node: "Hook", name: "Loop" }),
      'there is a node "Loop" already'
    )
  })
})

describe("retype", () => {
  const model = {
    id: "m1",
    name: "Model",
    type: "@n8n/n8n-nodes-langchain.lmChatOpenAi",
    typeVersion: 1.2,
    position: [0, 0],
    notes: "cheap",
    parameters: { model: { __rl: true, mode: "list", value: "gpt-x" }, options: { temperature: 0.2, topP: 1 } },
    credentials: { openAiApi: { id: "c1", name: "A" }, httpBasicAuth: { id: "c2", name: "Proxy" } }
  }
  const withModel = { ...workflow, nodes: [...workflow.nodes, model] }
  const other = {
    type: "@n8n/n8n-nodes-langchain.lmChatOther",
    title: "Other",
    description: "",
    versions: [1, 1.1],
    defaultVersion: 1.1,
    isTrigger: false,
    inputs: [],
    outputs: [{ type: "ai_languageModel" }],
    credentials: [{ name: "otherApi" }, { name: "httpBasicAuth" }],
    properties: [
      { name: "model", title: "Model", type: "resourceLocator" },
      {
        name: "options",
        title: "Options",
        type: "collection",
        fields: [{ name: "temperature", title: "Temperature", type: "number" }]
      }
    ]
  }
  const retyped = (descriptions: Lookups["descriptions"], ...operations: ReadonlyArray<Json>) =>
    Result.getOrThrowWith(
      atOnce(applyOperations(withModel, operations.map(read), { ...lookups, descriptions })),
      (failure) => new Error(failure.problem)
    )
  const last = ({ workflow: { nodes } }: { readonly workflow: Workflow }) => nodes.at(-1) ?? {}
  const operation = {
    op: "retype",
    node: "Model",
    type: other.type,
    typeVersion: 1.1,
    parameters: { model: "other-1" }
  }

  it("keeps the node, and of its parameters and credentials those that the new type takes", () => {
    const done = retyped(new Map([[other.type, [other]]]), operation)
    assert.deepStrictEqual(last(done), {
      ...model,
      type: other.type,
      typeVersion: 1.1,
      parameters: { model: "other-1", options: { temperature: 0.2 } },
      credentials: { httpBasicAuth: { id: "c2", name: "Proxy" } }
    })
    assert.strictEqual(done.workflow.connections, withModel.connections)
    assert.deepStrictEqual(done.notes, ["Model keeps options, credential httpBasicAuth"])
  })

  it("keeps all where the new type is not known", () => {
    const done = retyped(new Map(), operation)
    assert.deepInclude(last(done), { credentials: model.credentials })
    assert.match(String(done.notes), /^Model keeps options, .* is not known here$/)
  })

  it("gives up the former credentials where one is named for a type that is not known", () => {
    const named = retyped(
      new Map(),
      operation,
      { op: "credential", node: "Model", type: "slackApi", value: "Team" },
      { op: "credential", node: "Model", value: "Shop" }
    )
    assert.deepInclude(last(named), {
      credentials: { slackApi: { id: "c2", name: "Team" }, httpBasicAuth: { id: "c1", name: "Shop" } }
    })
    assert.match(String(named.notes), /^Model keeps options, as what/)
  })

  it("says only what the node still has after all operations", () => {
    const unknown = new Map()
    const without = { op: "credential", node: "Model", value: null, type: "httpBasicAuth" }
    const [before, after] = [retyped(unknown, operation), retyped(unknown, operation, without)]
    assert.include(String(before.notes), "credential httpBasicAuth")
    assert.notInclude(String(after.notes), "credential httpBasicAuth")
    assert.match(String(after.notes), /^Model keeps options, credential \w+, as what/)
    const renamed = retyped(unknown, operation, { op: "rename", node: "Model", name: "Brain" })
    assert.match(String(renamed.notes), /Brain keeps options/)
    assert.deepStrictEqual(retyped(unknown, operation, { op: "remove", node: "Model" }).notes, [])
  })

  it("is done by set of a type as well", () => {
    const set = { op: "set", node: "Model", path: "type", value: "community.thing" }
    assert.deepInclude(last(retyped(new Map(), set)), { name: "Model", type: "community.thing", typeVersion: 7 })
  })
})

describe("connect and disconnect", () => {
  it.each([
    ["Check", "true", 0],
    ["Check", "False", 1],
    ["Loop", "done", 0],
    ["Loop", "loop", 1],
    ["Loop", "error", 2],
    ["Check", "1", 1]
  ])("%s knows its output %s", (from, output, index) => {
    const { connections } = result(workflow, { op: "connect", from, output, to: "Hook", input: 1 })
    assert.deepInclude(Object(connections)[from].main[index], to("Hook", "main", 1))
  })

  it("say what is there", () => {
    assert.strictEqual(
      problem(workflow, { op: "connect", from: "Check", output: "flase", to: "Hook" }),
      'Check has no output "flase". Did you mean false?'
    )
    assert.strictEqual(
      problem(workflow, { op: "connect", from: "Hook", output: "out", to: "Check" }),
      'Hook has no output "out". Give its number, from 0'
    )
    assert.strictEqual(
      problem(workflow, { op: "disconnect", from: "Check", to: "Hook" }),
      "there is no such connection. Check leads to Loop, Fetch"
    )
    assert.strictEqual(
      problem(workflow, { op: "connect", from: "Chek", to: "Hook" }),
      'there is no node "Chek". Did you mean Check?'
    )
    assert.strictEqual(
      problem(workflow, { op: "connect", from: "Everything", to: "Hook" }),
      'there is no node "Everything". Its nodes: Hook, Check, Loop, Fetch'
    )
  })

  it("cut all that leads from an output, or to a node", () => {
    assert.deepStrictEqual(result(workflow, { op: "disconnect", from: "Check", output: 1 }).connections, {
      Hook: { main: [[to("Check")]] },
      Check: { main: [[to("Loop")]] }
    })
    assert.deepStrictEqual(result(workflow, { op: "disconnect", to: "Check" }).connections, {
      Check: { main: [[to("Loop")], [to("Fetch")]] }
    })
  })
})

describe("remove", () => {
  it("bridges the output that is named, where several lead on", () => {
    assert.strictEqual(
      problem(workflow, { op: "remove", node: "Check", bridge: true }),
      "Check leads on from 2 outputs: say with output which one to bridge"
    )
    assert.deepStrictEqual(
      result(workflow, { op: "remove", node: "Check", bridge: true, output: "false" }).connections,
      {
        Hook: { main: [[to("Fetch")]] }
      }
    )
  })

  it("takes a node out of its group, and an empty group away", () => {
    const grouped = {
      ...workflow,
      nodes: workflow.nodes.map((node, index) => ({ ...node, id: `n${index}` })),
      nodeGroups: [
        { id: "a", nodeIds: ["n1", "n2"] },
        { id: "b", nodeIds: ["n3"] }
      ]
    }
    assert.deepStrictEqual(
      result(grouped, { op: "remove", node: "Check" }, { op: "remove", node: "Fetch" }).nodeGroups,
      [{ id: "a", nodeIds: ["n2"] }]
    )
  })

  it("may not leave a workflow without nodes", () => {
    const all = workflow.nodes.map(({ name }) => ({ op: "remove", node: name }))
    assert.match(problem(workflow, ...all), /at least 1 node is required/)
  })
})

describe("credential", () => {
  const given = (operation: Json) => fetched({ op: "credential", node: "Fetch", ...operation }).credentials
  const refusal = (operation: Json, facts = lookups) =>
    Result.match(atOnce(applyOperations(workflow, [read({ op: "credential", node: "Fetch", ...operation })], facts)), {
      onFailure: (failure) => failure.problem,
      onSuccess: ({ workflow: { nodes } }) => JSON.stringify(nodes[3]?.credentials)
    })

  it("is found by name or id, and taken away", () => {
    assert.deepStrictEqual(given({ value: "Shop" }), { httpBasicAuth: { id: "c1", name: "Shop" } })
    assert.deepStrictEqual(given({ value: "c2" }), {
      httpBasicAuth: { id: "c9", name: "Old" },
      slackApi: { id: "c2", name: "Team" }
    })
    assert.isUndefined(given({ value: null }))
  })

  it("says which there are", () => {
    assert.strictEqual(
      refusal({ value: "Team" }),
      "several credentials are called Team: give type, or the id: c2 (slackApi), c3 (slackOAuth2Api)"
    )
    assert.strictEqual(refusal({ value: "Shpo" }), 'there is no credential "Shpo". Did you mean Shop?')
    assert.strictEqual(
      refusal({ value: "Shop", type: "slackApi" }),
      "credential Shop is of type httpBasicAuth, not slackApi"
    )
  })

  it("is taken by its id where the engine lists none", () => {
    const unlisted = { ...lookups, hasAllCredentials: false }
    assert.strictEqual(
      refusal({ value: "AbCdEfGh12345678", type: "x" }, unlisted),
      JSON.stringify({
        httpBasicAuth: { id: "c9", name: "Old" },
        x: { id: "AbCdEfGh12345678", name: "AbCdEfGh12345678" }
      })
    )
    assert.match(
      refusal({ value: "Mine" }, unlisted),
      /^no workflow uses a credential "Mine", and this engine does not list/
    )
  })
})

describe("note and arrange", () => {
  it("puts a note on the canvas, and changes one that lies there", () => {
    const noted = result(
      workflow,
      { op: "note", value: "Hi" },
      { op: "note", value: "Two" },
      { op: "note", node: "Sticky Note", value: "Ho" }
    )
    assert.deepStrictEqual(
      noted.nodes.slice(4).map(({ name, parameters }) => [name, parameters]),
      [
        ["Sticky Note", { content: "Ho" }],
        ["Sticky Note1", { content: "Two" }]
      ]
    )
  })

  it("arranges nodes from left to right, without overlaps, and what is arranged stays", () =>
    fc.assert(
      fc.property(anyWorkflow, ([given]) => {
        const before = {
          ...given,
          nodes: given.nodes.map((node, index) => ({ ...node, position: [index * 7, -index] }))
        }
        const once = result(before, { op: "arrange" })
        assert.lengthOf(new Set(once.nodes.map(({ position }) => JSON.stringify(position))), once.nodes.length)
        same(result(once, { op: "arrange" }), once)
        same(
          once.nodes.map((node) => ({ ...node, position: 0 })),
          before.nodes.map((node) => ({ ...node, position: 0 }))
        )
      })
    ))
})

describe("readOperation", () => {
  const refusal = (given: Json) =>
    Result.match(readOperation(given), { onFailure: String, onSuccess: () => "accepted" })

  it("names the field that is wrong, and the nearest that is right", () => {
    assert.strictEqual(refusal({ op: "renam" }), 'there is no op "renam". Did you mean rename?')
    assert.match(refusal({}), /^op must be one of set, replace, add/)
    assert.strictEqual(refusal({ op: "rename", node: "A" }), "rename: name is required")
    assert.strictEqual(
      refusal({ op: "connect", from: "A", to: "B", outptu: 1 }),
      "connect takes no outptu. Did you mean output?"
    )
    assert.strictEqual(
      refusal({ op: "connect", from: "A", to: "B", output: 999 }),
      "connect: output must be 0 to 255, or a name"
    )
  })

  it("reads numbers, objects and switches that come as texts", () => {
    assert.deepStrictEqual(
      read({
        op: "add",
        node: "A",
        type: "set",
        typeVersion: "3.4",
        parameters: '{"a":1}',
        position: "[1, 2]",
        input: "1"
      }),
      { op: "add", node: "A", type: "set", typeVersion: 3.4, parameters: { a: 1 }, position: [1, 2], input: 1 }
    )
    assert.deepStrictEqual(read({ op: "remove", node: 7, bridge: "true" }), { op: "remove", node: "7", bridge: true })
    assert.deepStrictEqual(read({ op: "set", node: "A", path: "x", value: 7 }), {
      op: "set",
      node: "A",
      path: "x",
      value: 7
    })
  })

  it("takes other words and what strict clients leave empty", () => {
    assert.deepStrictEqual(read({ op: "connect", source: "A", target: "B", output: null, bridge: null }), {
      op: "connect",
      from: "A",
      to: "B"
    })
    assert.deepStrictEqual(read({ op: "set", node: "A", path: "x", value: null }), {
      op: "set",
      node: "A",
      path: "x",
      value: null
    })
  })

  it.each<readonly [given: Json, meant: Json]>([
    [
      { op: "rename", node: "A", to: "B" },
      { op: "rename", node: "A", name: "B" }
    ],
    [
      { op: "rename", from: "A", to: "B" },
      { op: "rename", node: "A", name: "B" }
    ],
    [
      { op: "add", name: "A", type: "if", after: "B" },
      { op: "add", node: "A", type: "if", from: "B" }
    ],
    [
      { op: "replace", node: "A", search: "x", replacement: "y" },
      { op: "replace", node: "A", find: "x", value: "y" }
    ],
    [
      { op: "credential", node: "A", credential: "Shop" },
      { op: "credential", node: "A", value: "Shop" }
    ],
    [
      { op: "tag", name: "red" },
      { op: "tag", value: "red" }
    ],
    [
      { op: "note", node: "A", text: "x" },
      { op: "note", node: "A", value: "x" }
    ],
    [
      { op: "connect", from: "A", to: "B", sourceOutput: 1, type: "ai_tool" },
      { op: "connect", from: "A", to: "B", output: 1, link: "ai_tool" }
    ],
    [
      { op: "settings", value: { timezone: "UTC" } },
      { op: "settings", parameters: { timezone: "UTC" } }
    ]
  ])("reads %j as %j", (given, meant) => {
    assert.deepStrictEqual(read(given), meant)
  })

  it("takes no word that is not of the kind, nor one beside the field that it stands for", () => {
    assert.strictEqual(
      refusal({ op: "rename", node: "A", name: "B", to: "C" }),
      "rename takes no to. It takes node, name"
    )
    assert.strictEqual(refusal({ op: "enable", node: "A", to: "B" }), "enable takes no to. It takes node")
  })
})
