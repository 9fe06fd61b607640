import { Parser } from "acorn"
import { assert, describe, it } from "vitest"

import { boundedParser } from "../../../src/engine/nodes/check/javaScript.ts"
import { rewritableRules, rewriteWorkflow } from "../../../src/engine/upgrade/rewrites/rewrites.ts"
import type { RuleId } from "../../../src/engine/upgrade/Rule.ts"
import { findingsIn, ruleOf, rulesOn } from "../../../src/engine/upgrade/rules.ts"
import type { Json } from "../../support/harness.ts"

const noFacts = {
  code: () => ({ references: [], unread: [] }),
  outlines: new Map<string, never>(),
  seconds: new Map<string, never>()
}

const around = {
  parse: boundedParser({ Parser }),
  callers: [] as ReadonlyArray<string>,
  takesCallerPolicy: true,
  problemOf: () => undefined as string | undefined
}

const to = (node: string, index = 0) => ({ node, type: "main", index })

const node = (kind: string, parameters: Json = {}, beside: Json = {}) => ({
  id: "old-id",
  name: "Old",
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [400, 100],
  parameters,
  ...beside
})

const before = { name: "Before", type: "n8n-nodes-base.noOp", typeVersion: 1, position: [200, 100], parameters: {} }
const after = { ...before, name: "After", position: [600, 100] }

const connections = { Before: { main: [[to("Old")]] }, Old: { main: [[to("After")]] } }

/** The result for a node between two others. */
const rewritten = (old: Json, given: Partial<typeof around> = {}, settings: Json = {}) => {
  const graph = { nodes: [before, old, after], connections, settings }
  const findings = findingsIn(
    graph,
    noFacts,
    rulesOn({ from: "1.82.3", to: "3.0" }, ({ id }) => rewritableRules.has(id))
  )
  const { graph: changed, left, parts } = rewriteWorkflow(graph, findings, { ...around, ...given })
  const named = (name: string) => changed.nodes.find((one) => one["name"] === name)
  return { changed, left, parts, named, conditions: parts.flatMap((part) => part.conditions) }
}

const codeOf = (functionCode: string, kind = "function") => {
  const { conditions, left, named } = rewritten(node(kind, { functionCode }))
  const { jsCode } = Object(named("Old")?.["parameters"])
  return { code: jsCode, reason: left[0]?.reason, line: left[0]?.line, conditions }
}

const functionItem = (functionCode: string) => codeOf(functionCode, "functionItem")

describe("a rewrite", () => {
  it("keeps the id, the place, the notes, the credentials and the ways to go on of a node", () => {
    const beside = {
      notes: "why",
      onError: "continueErrorOutput",
      retryOnFail: true,
      executeOnce: true,
      disabled: true,
      credentials: { a: { id: "1", name: "A" } },
      webhookId: "w"
    }
    const { changed, named } = rewritten(node("function", { functionCode: "return items" }, beside))
    assert.deepStrictEqual(named("Old"), {
      ...node("code", { mode: "runOnceForAllItems", jsCode: "return items" }, beside),
      typeVersion: 2
    })
    assert.deepStrictEqual(changed.connections, connections)
  })

  it("is there for every rule that promises one, and for no other but a draft for modes of agents", () => {
    for (const id of rewritableRules) assert.strictEqual(ruleOf(id)?.rewrite === "none", id === "U3-agentMode", id)
  })

  it("is not made where the present engine has not what takes the place", () => {
    const { left } = rewritten(node("function", { functionCode: "return items" }), {
      problemOf: () => "this engine has no node type code"
    })
    assert.include(left[0]?.reason, "this engine has no node type code")
  })
})

describe("the rewrite of a Function", () => {
  it("leaves the text as it is, but for what a Code node calls by another name", () => {
    const text = "const items2 = items\ntotal = 1\nreturn $items('A').concat(items2)"
    assert.strictEqual(codeOf(text).code, text)
    assert.deepStrictEqual(codeOf(text).conditions, [])
    const state = "const s = getWorkflowStaticData('global')\nreturn [{ json: { getWorkflowStaticData: s } }]"
    assert.strictEqual(codeOf(state).code, state.replace("= get", "= $get"))
  })

  it("counts in place of the index of an item, which would silently be undefined", () => {
    const loop = (body: string) => `for (let i = 0; i < items.length; i++) { ${body} }\nreturn items`
    assert.strictEqual(codeOf(loop("items[i].json.n = items[i].index")).code, loop("items[i].json.n = i"))
    assert.strictEqual(codeOf("return [{ json: { n: items[0].index } }]").code, "return [{ json: { n: 0 } }]")
    for (const text of [
      "return items.map((item) => ({ json: { n: item.index } }))",
      "return items.map(({ index }) => ({ json: { index } }))",
      `items.reverse()\n${loop("items[i].json.n = items[i].index")}`
    ]) {
      assert.include(codeOf(text).reason, "`index`", text)
    }
    const inside = "return [{ json: { n: items[0].json.index, m: $json.index } }]"
    assert.strictEqual(codeOf(inside.replace(", m: $json.index", "")).code, inside.replace(", m: $json.index", ""))
  })

  it("reads the bytes of a file where only its data was read, and is not made for any other use of it", () => {
    const text = "const b = await getBinaryDataAsync(items[0])\nreturn [{ json: { text: b.data.data.toString() } }]"
    assert.include(codeOf(text).code, 'await this.helpers.getBinaryDataBuffer(0, "data")')
    assert.include(codeOf(text.replace("b.data.data", "b.data.fileName")).reason, "getBinaryDataAsync")
    assert.include(codeOf(text.replace("await ", "")).reason, "getBinaryDataAsync")
  })

  it.each([
    ["process", "const a = 1\nreturn [{ json: { a: process.env.A } }]", 2],
    ["$env", "return [{ json: { a: $env.A } }]", 1],
    ["$evaluateExpression", "return $evaluateExpression('{{ 1 }}')", 1],
    ["getNodeParameter", "return getNodeParameter('a', 0)", 1],
    ["require", "const a = require('a')\nreturn a", 1],
    ["setBinaryDataAsync", "await setBinaryDataAsync(items[0], {})\nreturn items", 1],
    ["this", "return this.items", 1],
    ["code", "return eval('items')", 1],
    ["mystery", "return mystery(items)", 1]
  ])("is not made where %s is used, and names the line", (name, text, line) => {
    const { code, line: named, reason } = codeOf(text)
    assert.isUndefined(code)
    assert.include(reason, name)
    assert.strictEqual(named, line)
  })

  it("takes no string, comment or shadowed name for a use", () => {
    for (const text of [
      "// process.env\nreturn items",
      "return [{ json: { a: 'process.env.A', require: 1 } }]",
      "const process = { env: {} }\nreturn [{ json: process.env }]",
      "const f = (getNodeParameter) => getNodeParameter\nreturn f(items)"
    ]) {
      assert.strictEqual(codeOf(text).code, text)
    }
  })

  it("is not made of code that cannot be read, returns nothing or is not there", () => {
    assert.include(codeOf("return {").reason, "cannot be read")
    assert.include(codeOf("items.length").reason, "returns nothing")
    assert.include(codeOf("={{ $json.code }}").reason, "not in the workflow")
  })

  it("has a condition where the errors of a node are read on", () => {
    const { conditions } = rewritten(
      node("function", { functionCode: "return items" }, { onError: "continueRegularOutput" })
    )
    assert.deepStrictEqual(conditions, ["the text of an error gains the number of its line"])
  })

  it("has a condition where the node is set to run once, and tells where its code keeps something", () => {
    const once = rewritten(node("function", { functionCode: "return items" }, { executeOnce: true }))
    assert.deepStrictEqual(once.conditions, ["engines of 1.x give a Code node all items, though it is set to run once"])
    assert.isFalse(once.parts[0]?.isStateful)
    const keeping = node("function", { functionCode: "getWorkflowStaticData('node').n = 1; return items" })
    assert.isTrue(rewritten(keeping).parts[0]?.isStateful)
  })

  it("is not made where another node has the same name", () => {
    const old = node("function", { functionCode: "return items" })
    const nodes = [before, old, { ...old, id: "other" }]
    const { graph, left } = rewriteWorkflow(
      { nodes, connections, settings: {} },
      [{ rule: "U3-function", node: "Old" }],
      around
    )
    assert.deepStrictEqual(left, [{ rule: "U3-function", node: "Old", reason: "another node has the same name" }])
    assert.deepStrictEqual(graph.nodes, nodes)
  })
})

describe("the rewrite of a Function Item", () => {
  it("gives the old text its own item, keeps files, and fails itself where nothing is returned", () => {
    const { code, conditions } = functionItem("item.x = 1\nreturn item")
    assert.include(code, "let item = JSON.parse(JSON.stringify($input.item.json))")
    assert.include(code, "item.x = 1\nreturn item\n")
    assert.include(code, "binary: $input.item.binary")
    assert.include(code, "throw new Error")
    assert.deepStrictEqual(conditions, [])
  })

  it.each([
    "return [item]",
    "return item.list",
    "const out = load()\nreturn out",
    "item = item.inner\nreturn item",
    "const out = [1]\nreturn out",
    "return item.a ? item : null"
  ])("is not made where an array or nothing may be returned: %s", (text) => {
    assert.isUndefined(functionItem(text).code)
    assert.isDefined(functionItem(text).reason)
  })

  it("is not made where it uses the items that only a Function has", () => {
    assert.include(functionItem("return { n: items.length }").reason, "items")
  })
})

describe("the rewrite of Item Lists", () => {
  const listed = (typeVersion: number, parameters: Json) => {
    const { conditions, left, named } = rewritten(node("itemLists", parameters, { typeVersion }))
    const { parameters: given, type, typeVersion: version } = named("Old") ?? {}
    return { conditions, left, given, kind: `${String(type).split(".")[1]} ${String(version)}` }
  }

  it("joins lists of names, drops what the new nodes have not, and takes a split where no operation is named", () => {
    const { given, kind } = listed(2, {
      resource: "itemList",
      fieldToSplitOut: "a",
      include: "selectedOtherFields",
      fieldsToInclude: { fields: [{ fieldName: "b" }, { fieldName: "c" }] }
    })
    assert.strictEqual(kind, "splitOut 1")
    assert.deepStrictEqual(given, { fieldToSplitOut: "a", include: "selectedOtherFields", fieldsToInclude: "b, c" })
  })

  it("summarizes in version 1, as later ones group null otherwise, and goes on without a field where it did", () => {
    const parameters = { operation: "summarize", fieldsToSplitBy: "a", options: { x: 1 } }
    assert.deepInclude(listed(2, parameters), { kind: "summarize 1", conditions: [] })
    assert.deepStrictEqual(listed(3.1, parameters).given, {
      fieldsToSplitBy: "a",
      options: { x: 1, continueIfFieldNotFound: true }
    })
    assert.deepStrictEqual(listed(1, parameters).given, { fieldsToSplitBy: "a", options: { x: 1 } })
  })

  it.each([
    [1, "splitOutItems", {}, 1],
    [2, "splitOutItems", {}, 0],
    [1, "aggregateItems", { aggregate: "aggregateAllItemData" }, 1],
    [3.1, "concatenateItems", { aggregate: "aggregateAllItemData" }, 0],
    [2.2, "removeDuplicates", {}, 1],
    [3, "removeDuplicates", {}, 0],
    [3, "limit", {}, 0],
    [1, "sort", { type: "simple" }, 0],
    [1, "sort", { type: "random" }, 1]
  ])("of version %d, %s with %j has %d conditions", (version, operation, more, count) => {
    assert.strictEqual(listed(version, { operation, ...more }).conditions.length, count)
  })

  it("is not made for names with commas and operations that nobody knows", () => {
    const fieldsToInclude = { fields: [{ fieldName: "a,b" }] }
    assert.include(listed(2, { fieldsToInclude }).left[0]?.reason, "comma")
    assert.include(listed(3, { operation: "shuffle" }).left[0]?.reason, "shuffle")
  })
})

describe("the rewrite of a trigger", () => {
  const timed = (...item: ReadonlyArray<Json>) => rewritten(node("cron", { triggerTimes: { item } }))
  const intervalsOf = (result: ReturnType<typeof rewritten>) =>
    Object(Object(result.named("Old (schedule)")?.["parameters"]).rule).interval

  it("puts an empty Edit Fields behind it that takes the old name, and keeps the id", () => {
    const { changed, named } = timed({ mode: "everyMinute" })
    assert.include(named("Old (schedule)"), { id: "old-id", type: "n8n-nodes-base.scheduleTrigger", typeVersion: 1.2 })
    assert.deepInclude(named("Old"), { type: "n8n-nodes-base.set", typeVersion: 3.4 })
    assert.deepStrictEqual(changed.connections, {
      Before: { main: [[to("Old (schedule)")]] },
      Old: { main: [[to("After")]] },
      "Old (schedule)": { main: [[to("Old")]] }
    })
  })

  it("knows what Cron leaves out, and writes an expression for what a newer schedule would space evenly", () => {
    const at = { triggerAtHour: 14, triggerAtMinute: 0 }
    assert.deepStrictEqual(
      intervalsOf(
        timed(
          {},
          { mode: "everyWeek", weekday: "0" },
          { mode: "everyMonth", dayOfMonth: 31, hour: 1, minute: 2 },
          { mode: "everyHour", minute: 5 },
          { mode: "everyX" },
          { mode: "everyX", value: 15, unit: "minutes" },
          { mode: "everyX", value: 7, unit: "minutes" },
          { mode: "custom", cronExpression: " 0 1 * * 1 " }
        )
      ),
      [
        { field: "days", daysInterval: 1, ...at },
        { field: "weeks", weeksInterval: 1, triggerAtDay: [0], ...at },
        { field: "months", monthsInterval: 1, triggerAtDayOfMonth: 31, triggerAtHour: 1, triggerAtMinute: 2 },
        { field: "hours", hoursInterval: 1, triggerAtMinute: 5 },
        { field: "cronExpression", expression: "0 */2 * * *" },
        { field: "minutes", minutesInterval: 15 },
        { field: "cronExpression", expression: "*/7 * * * *" },
        { field: "cronExpression", expression: "0 1 * * 1" }
      ]
    )
    for (const odd of [{ mode: "everyDay", hour: "={{ 3 }}" }, { mode: "custom" }, { mode: "never" }]) {
      assert.strictEqual(timed(odd).left.length, 1, JSON.stringify(odd))
    }
    assert.include(timed().left[0]?.reason, "no times")
  })

  it.each([
    [7, "seconds"],
    [90, "seconds"],
    [60, "seconds"],
    [0.5, "minutes"],
    [90, "minutes"],
    [5, "hours"],
    [24, "hours"]
  ])("is not made of an Interval of %d %s, which no clock keeps", (interval, unit) => {
    assert.include(rewritten(node("interval", { interval, unit })).left[0]?.reason, "no schedule by the clock keeps")
  })

  it("keeps the rhythm of an Interval that divides the hour or the day", () => {
    const of = (interval: number, unit: string) => intervalsOf(rewritten(node("interval", { interval, unit })))
    assert.deepStrictEqual(of(30, "seconds"), [{ field: "seconds", secondsInterval: 30 }])
    assert.deepStrictEqual(of(20, "minutes"), [{ field: "minutes", minutesInterval: 20 }])
    assert.deepStrictEqual(of(6, "hours"), [{ field: "cronExpression", expression: "0 */6 * * *" }])
    assert.deepStrictEqual(intervalsOf(rewritten(node("interval"))), [{ field: "seconds", secondsInterval: 1 }])
  })

  it("makes a Start manual, one that others call callable, and removes one that is disabled", () => {
    assert.include(rewritten(node("start")).named("Old"), { type: "n8n-nodes-base.manualTrigger", typeVersion: 1 })
    assert.deepInclude(rewritten(node("start"), { callers: ["c"] }).named("Old"), {
      type: "n8n-nodes-base.executeWorkflowTrigger",
      typeVersion: 1.1,
      parameters: { inputSource: "passthrough" }
    })
    const { changed } = rewritten(node("start", {}, { disabled: true }))
    assert.deepStrictEqual(changed.nodes, [before, after])
    assert.deepStrictEqual(changed.connections, { Before: { main: [[]] } })
  })

  it("lets a workflow be called by those that call it, where the engine takes the setting", () => {
    const policy = { callerPolicy: "any" }
    assert.deepStrictEqual(rewritten(before, { callers: ["a", "b"] }, policy).changed.settings, {
      callerPolicy: "workflowsFromAList",
      callerIds: "a,b"
    })
    assert.deepStrictEqual(rewritten(before, {}, policy).changed.settings, { callerPolicy: "workflowsFromSameOwner" })
    assert.include(rewritten(before, { takesCallerPolicy: false }, policy).left[0]?.reason, "refuses the setting")
  })
})

describe("the rewrite of a node for files", () => {
  it("puts back the JSON that a newer Read File throws away, and fails where a file is missing", () => {
    const { changed, conditions, named } = rewritten(node("readBinaryFile", { filePath: "/data/a.txt" }))
    assert.deepInclude(named("Old (read)"), { id: "old-id", alwaysOutputData: true })
    const { jsCode } = Object(named("Old")?.["parameters"])
    assert.include(jsCode, '$("Before").all(0)')
    assert.include(jsCode, "A file is missing")
    assert.deepStrictEqual(changed.connections["Old (read)"], { main: [[to("Old")]] })
    assert.isNotEmpty(conditions)
    assert.include(rewritten(node("readBinaryFile", { filePath: "/data/*.txt" })).left[0]?.reason, "pattern")
    assert.include(
      rewritten(node("readBinaryFile", { filePath: "/a" }, { onError: "continueRegularOutput" })).left[0]?.reason,
      "onError"
    )
  })

  it("is version 2 for a tools agent whose prompt is known, and a draft for any other mode", () => {
    const agent = (typeVersion: number, parameters: Json) =>
      node("agent", parameters, { type: "@n8n/n8n-nodes-langchain.agent", typeVersion })
    const { conditions, named } = rewritten(agent(1.6, { agent: "toolsAgent", promptType: "define", text: "=Hi" }))
    assert.deepInclude(named("Old"), { typeVersion: 2, parameters: { promptType: "define", text: "=Hi" } })
    assert.match(String(conditions), /models answer otherwise/)
    assert.deepInclude(rewritten(agent(1.8, {})).named("Old"), { typeVersion: 2, parameters: { promptType: "auto" } })
    assert.include(rewritten(agent(1.6, {})).left[0]?.reason, "where it has its prompt from")
    const sql = rewritten(agent(1, { agent: "sqlAgent" })).left[0]?.reason
    assert.include(sql, "its mode sqlAgent has no equal. It needs a tool for its database. A draft for edit_workflow: ")
    assert.deepStrictEqual(JSON.parse(String(sql).split("edit_workflow: ")[1] ?? ""), {
      op: "retype",
      node: "Old",
      type: "@n8n/n8n-nodes-langchain.agent",
      typeVersion: 2,
      parameters: { agent: null, promptType: "define", text: "={{ $json.input }}" }
    })
  })

  it("is code for Move Binary Data, and not made where it reaches into objects or has options", () => {
    const { changed } = rewritten(node("moveBinaryData", { mode: "jsonToBinary", destinationKey: "out" }))
    assert.include(JSON.stringify(changed.nodes), String.raw`binary: { ...binary, [\"out\"]: file }`)
    assert.isEmpty(rewritten(node("moveBinaryData", { mode: "jsonToBinary", convertAllData: false })).left)
    assert.deepStrictEqual(rewritten(node("moveBinaryData", {})).conditions, [
      "a file that holds no object is an error"
    ])
    assert.deepStrictEqual(rewritten(node("moveBinaryData", { setAllData: false })).conditions, [])
    for (const [parameters, reason] of [
      [{ sourceKey: "a.b" }, "reaches into an object"],
      [{ mode: "jsonToBinary", destinationKey: "={{ $json.a }}" }, "is an expression"],
      [{ options: { encoding: "latin1" } }, "compared its options"],
      [{ mode: "other" }, "is not known"]
    ] as const) {
      assert.include(rewritten(node("moveBinaryData", parameters)).left[0]?.reason, reason)
    }
  })

  it.each([
    ["writeBinaryFile", { fileName: "a" }, "readWriteFile", { operation: "write", fileName: "a" }, 0],
    ["htmlExtract", { a: 1 }, "html", { operation: "extractHtmlContent", a: 1 }, 0],
    [
      "iCal",
      { additionalFields: { uid: "u" } },
      "convertToFile",
      { operation: "iCal", additionalFields: { uid: "u" } },
      0
    ],
    ["iCal", {}, "convertToFile", { operation: "iCal" }, 1]
  ])("of %s %j is %s", (kind, parameters, next, nextParameters, count) => {
    const { conditions, named } = rewritten(node(kind, parameters))
    assert.deepInclude(named("Old"), { type: `n8n-nodes-base.${next}`, parameters: nextParameters })
    assert.strictEqual(conditions.length, count)
  })
})

describe("the rewrite of a call for each item", () => {
  const call = { workflowId: "w", mode: "each" }

  it("is a loop around a call, under the condition that each call gives something", () => {
    const { changed, conditions, named } = rewritten(node("executeWorkflow", call))
    assert.deepInclude(named("Old"), { id: "old-id", parameters: { workflowId: "w", mode: "once" } })
    assert.deepStrictEqual(changed.connections, {
      Before: { main: [[to("Old (loop)")]] },
      "Old (loop)": { main: [[to("After")], [to("Old")]] },
      Old: { main: [[to("Old (loop)")]] }
    })
    assert.deepStrictEqual(conditions, ["a call that gives out nothing ends the loop, and nothing behind it runs"])
  })

  it.each([{ executeOnce: true }, { retryOnFail: true }, { onError: "continueErrorOutput" }])(
    "is not made where the node has %j",
    (beside) => {
      assert.strictEqual(rewritten(node("executeWorkflow", call, beside)).left.length, 1)
    }
  )

  it("is not made in a loop, or where others refer to the node", () => {
    const old = node("executeWorkflow", call)
    const findings: ReadonlyArray<{ readonly rule: RuleId; readonly node: string }> = [{ rule: "U3-each", node: "Old" }]
    const inLoop = { ...connections, After: { main: [[to("Before")]] } }
    const leftOf = (graph: Parameters<typeof rewriteWorkflow>[0]) =>
      rewriteWorkflow(graph, findings, around).left[0]?.reason
    assert.include(leftOf({ nodes: [before, old, after], connections: inLoop, settings: {} }), "another loop")
    const reader = { ...after, parameters: { value: "={{ $('Old').all().length }}" } }
    assert.include(leftOf({ nodes: [before, old, reader], connections, settings: {} }), "others refer to it")
  })
})
