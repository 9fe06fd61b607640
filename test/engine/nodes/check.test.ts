import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { catalogOf, node, problemsIn, wired } from "./catalog.ts"

const start = node("manualTrigger", "Start")
const url = "https://example.com"
const ai = (kind: string) => `@n8n/n8n-nodes-langchain.${kind}`
const model = (name: string) =>
  node(
    ai("lmChatOpenAi"),
    name,
    { model: { __rl: true, mode: "id", value: "x" } },
    {
      credentials: { openAiApi: { id: "1", name: "Key" } }
    }
  )
const agent = (parameters = {}) =>
  node(ai("agent"), "Agent", { promptType: "define", text: "Hi", ...parameters }, { typeVersion: 1.9 })
const says = (value: string, name = "Say") =>
  node("set", name, { assignments: { assignments: [{ id: "a", name: "a", type: "string", value }] } })

type Nodes = Parameters<typeof problemsIn>[0]

const wrong: ReadonlyArray<readonly [title: string, nodes: Nodes, wires: ReadonlyArray<string>, said: RegExp]> = [
  [
    "a type of a package whose name is cut",
    [start, node("nodes-base.slack", "Post")],
    [],
    /^node Post, type: this engine has no node type nodes-base\.slack\. Did you mean n8n-nodes-base\.slack\?$/
  ],
  [
    "a version of a type that has others",
    [node("code", "Code", { jsCode: "return []" }, { typeVersion: 7 })],
    [],
    /typeVersion: n8n-nodes-base\.code has no version 7 on this engine\. Take 2; there are 1, 2$/
  ],
  [
    "an operation of another resource",
    [node("slack", "Post", { resource: "channel", operation: "post" }, { credentials: { slackApi: { id: "1" } } })],
    [],
    /parameters\.operation: "post" is none of its options\. One of create, archive$/
  ],
  [
    "a way to name a thing that there is not",
    [
      node(
        "slack",
        "Post",
        { select: "channel", channelId: { __rl: true, mode: "nme", value: "x" }, text: "x" },
        { credentials: { slackApi: { id: "1" } } }
      )
    ],
    [],
    /parameters\.channelId: mode is "nme"\. One of list, id, name$/
  ],
  [
    "an empty thing that is required",
    [
      node(
        "slack",
        "Post",
        { select: "channel", channelId: { __rl: true, mode: "id", value: "" }, text: "x" },
        { credentials: { slackApi: { id: "1" } } }
      )
    ],
    [],
    /parameters\.channelId: is required and empty/
  ],
  [
    "text for yes or no",
    [node("httpRequest", "Call", { url, sendQuery: "yes" })],
    [],
    /sendQuery: is "yes"\. It must be true or false/
  ],
  [
    "an option of a collection that it has not",
    [node("httpRequest", "Call", { url, options: { timeOut: 5 } })],
    [],
    /parameters\.options\.timeOut: there is no parameter timeOut here\. Did you mean timeout\?/
  ],
  [
    "a list where groups must be",
    [node("httpRequest", "Call", { url, sendHeaders: true, headerParameters: [{ name: "a", value: "b" }] })],
    [],
    /parameters\.headerParameters: headerParameters is .*It must be \{parameters: \[…\]\}/
  ],
  [
    "a group that there is not",
    [node("httpRequest", "Call", { url, sendHeaders: true, headerParameters: { headers: [{ name: "a" }] } })],
    [],
    /parameters\.headerParameters\.headers: headerParameters has no part headers\. Known: parameters/
  ],
  [
    "a field inside of a list",
    [
      node("httpRequest", "Call", {
        url,
        sendHeaders: true,
        headerParameters: { parameters: [{ key: "a", value: "b" }] }
      })
    ],
    [],
    /parameters\.headerParameters\.parameters\[0\]\.key: there is no parameter key here/
  ],
  [
    "a credential that the node has no use for",
    [node("noOp", "Rest", {}, { credentials: { slackApi: { id: "1" } } })],
    [],
    /credentials\.slackApi: this node uses no credential of type slackApi\. It needs none/
  ],
  [
    "two models for one agent",
    [start, agent(), model("A"), model("B")],
    ["Start > Agent", "A > Agent ai_languageModel", "B > Agent ai_languageModel"],
    /^node Agent, connections\.ai_languageModel: its input ai_languageModel takes one connection, and has those of A, B/
  ],
  [
    "a model as a memory",
    [start, agent(), model("A"), model("B")],
    ["Start > Agent", "A > Agent ai_languageModel", "B > Agent ai_memory"],
    /^node B, connections\.ai_memory: node B has no output ai_memory: it gives ai_languageModel\. Connect them by ai_languageModel/
  ],
  [
    "a loop whose If leads back by both outputs",
    [start, node("if", "Check", { conditions: { conditions: [] } }), node("noOp", "Again")],
    ["Start > Check", "Check > Again", "Check:1 > Again", "Again > Check"],
    /^node Check: the loop Check → Again → Check never ends/
  ],
  [
    "a loop over items of which only the end is connected",
    [start, node("splitInBatches", "Loop"), node("noOp", "Work")],
    ["Start > Loop", "Loop > Work"],
    /^node Loop, connections\.main: only its first output \(done\) is connected/
  ],
  [
    "an expression with a name in brackets that is not there",
    [start, says('={{ $node["Nobody"].json.a }}')],
    ["Start > Say"],
    /refers to node Nobody, which is not there/
  ],
  [
    "a node that only another trigger leads to",
    [
      start,
      node("scheduleTrigger", "Daily", {}, { typeVersion: 1.2 }),
      says('={{ $("Other").first().json.a }}'),
      node("noOp", "Other")
    ],
    ["Start > Say", "Daily > Other"],
    /refers to node Other, which cannot have run before\. Take data of a node that leads to Say/
  ],
  [
    "a variable that is spelt wrong",
    [start, says("={{ $jsno.a }}")],
    ["Start > Say"],
    /\$jsno is nothing that engines know\. Did you mean \$json\?/
  ]
]

const sound: ReadonlyArray<readonly [title: string, nodes: Nodes, wires: ReadonlyArray<string>]> = [
  ["nodes of packages that nobody described", [node("n8n-nodes-acme.rocket", "Fly", { any: "thing" })], []],
  [
    "types that engines derive for agents",
    [
      start,
      agent(),
      model("Model"),
      node(
        "slackTool",
        "Tool",
        { select: "channel", channelId: { __rl: true, mode: "id", value: "x" }, text: "x" },
        { typeVersion: 2.3, credentials: { slackApi: { id: "1" } } }
      )
    ],
    ["Start > Agent", "Model > Agent ai_languageModel", "Tool > Agent ai_tool"]
  ],
  ["disabled nodes", [node("httpRequest", "Call", { method: "PSOT" }, { disabled: true })], []],
  [
    "parameters that expressions decide",
    [node("httpRequest", "Call", { url, method: "={{ $json.method }}", sendBody: "={{ true }}", jsonBody: "{}" })],
    []
  ],
  [
    "values that are as by default",
    [node("httpRequest", "Call", { url, jsonBody: "", options: {}, sendQuery: false })],
    []
  ],
  [
    "a reference that is only made if the node ran",
    [start, says('={{ $("Later").isExecuted ? $("Later").first().json.a : 1 }}'), node("noOp", "Later")],
    ["Start > Say", "Say > Later"]
  ],
  [
    "a reference inside of a loop",
    [
      start,
      node("if", "Check", { conditions: { conditions: [] } }),
      says('={{ $("After").first().json.a }}'),
      node("noOp", "After")
    ],
    ["Start > Check", "Check > Say", "Say > After", "After > Check"]
  ],
  [
    "a reference to a branch before",
    [start, node("noOp", "First"), says('={{ $("First").first().json.a }}')],
    ["Start > First", "Start > Say"]
  ],
  [
    "a model that refers to what leads to its agent",
    [
      start,
      node("noOp", "Before"),
      agent(),
      node(
        ai("lmChatOpenAi"),
        "Model",
        { model: { __rl: true, mode: "id", value: '={{ $("Before").first().json.model }}' } },
        { credentials: { openAiApi: { id: "1" } } }
      )
    ],
    ["Start > Before", "Before > Agent", "Model > Agent ai_languageModel"]
  ],
  ["text with braces that is no expression", [start, says("Hello {{ name }}")], ["Start > Say"]],
  [
    "an expression with several parts and objects",
    [start, says("=a {{ $json.a }} b {{ ({ a: { b: 1 } }).a.b }} {{ JSON.stringify({a: 1}) }}")],
    ["Start > Say"]
  ],
  [
    "code with await and return",
    [
      start,
      node("code", "Code", {
        jsCode:
          "const a = await this.helpers.httpRequest({ url: 'x' });\nreturn [{ json: { a, b: $('Start').all() } }];"
      })
    ],
    ["Start > Code"]
  ],
  [
    "code of another language",
    [start, node("code", "Code", { language: "python", pythonCode: "return [" })],
    ["Start > Code"]
  ],
  [
    "a loop that an If can leave",
    [start, node("if", "Check", { conditions: { conditions: [] } }), node("wait", "Wait", {}, { typeVersion: 1.1 })],
    ["Start > Check", "Check > Wait", "Wait > Check"]
  ],
  [
    "a loop over items",
    [start, node("splitInBatches", "Loop"), node("noOp", "Work"), node("noOp", "Done")],
    ["Start > Loop", "Loop > Done", "Loop:1 > Work", "Work > Loop"]
  ]
]

/** The findings about nodes with these wires; without wires, each node is behind a trigger. */
const problemsInNodes = (nodes: Nodes, wires: ReadonlyArray<string>) => {
  const others = nodes.filter((one) => one !== start)
  const all = wires.length > 0 ? wires : others.map(({ name }) => `Start > ${String(name)}`)
  return problemsIn(wires.length > 0 ? nodes : [start, ...others], wired(...all))
}

describe("check_workflow", () => {
  for (const [title, nodes, wires, said] of wrong) {
    it.effect(`finds ${title}, and nothing else`, () =>
      Effect.gen(function* () {
        const lines = yield* problemsInNodes(nodes, wires)
        assert.lengthOf(lines, 1, lines.join("\n"))
        assert.match(lines[0] ?? "", said)
      })
    )
  }

  for (const [title, nodes, wires] of sound) {
    it.effect(`finds nothing in ${title}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* problemsInNodes(nodes, wires), [])
      })
    )
  }

  it.effect("finds any unknown type where the engine itself tells all that it has", () =>
    Effect.gen(function* () {
      const all = catalogOf(
        [{ name: "n8n-nodes-base.noOp", displayName: "No Operation", version: 1, properties: [] }],
        "engine"
      )
      const lines = yield* problemsIn([node("n8n-nodes-acme.rocket", "Fly")], {}, all)
      assert.deepStrictEqual(lines, [
        "node Fly, type: this engine has no node type n8n-nodes-acme.rocket. find_nodes tells which there are"
      ])
    })
  )
})

describe("conditions without options or a combinator", () => {
  const catalogWithIf = (version: string) =>
    catalogOf([{ name: "n8n-nodes-base.if", version: [2.2] }], "packages", version)
  const one = { leftValue: "={{ $json.a }}", rightValue: "x", operator: { type: "string", operation: "equals" } }
  const check = (conditions: object, version: string) =>
    Effect.map(
      problemsIn([start, node("if", "Check", { conditions })], wired("Start > Check"), catalogWithIf(version)),
      (lines) => lines.filter((line) => /has no (?:options|combinator)/.test(line))
    )

  it.effect("are told where the engine fails on them or takes every item, and nowhere else", () =>
    Effect.gen(function* () {
      const bare = { combinator: "and", conditions: [one] }
      assert.deepStrictEqual(yield* check(bare, "1.82.3"), [
        "node Check, parameters.conditions: has no options, without which this engine fails on it. Add " +
          '"options": {"caseSensitive": true, "leftValue": "", "typeValidation": "strict", "version": 2}'
      ])
      assert.deepStrictEqual(yield* check(bare, "2.41.1"), [])
      assert.deepStrictEqual(yield* check({ ...bare, options: {} }, "1.82.3"), [])
      for (const version of ["1.82.3", "2.41.1"]) {
        assert.deepStrictEqual(yield* check({ conditions: [one] }, version), [
          "node Check, parameters.conditions: has no combinator, without which every item passes, whatever the " +
            'conditions say. Add "combinator": "and" or "or"'
        ])
      }
    })
  )
})

describe("what a node only fails on when it runs", () => {
  const request = (parameters: object) =>
    problemsIn([start, node("httpRequest", "Send", { url, method: "POST", ...parameters })], wired("Start > Send"))
  const code = (jsCode: string, mode = "runOnceForEachItem") =>
    problemsIn([start, node("code", "Code", { mode, jsCode })], wired("Start > Code"))
  const body = (jsonBody: string) => request({ sendBody: true, specifyBody: "json", jsonBody })
  const lines = (lists: ReadonlyArray<string>, word: RegExp) => lists.filter((line) => word.test(line))

  it.effect("is told of a body, headers and a query that are no JSON", () =>
    Effect.gen(function* () {
      const fix = 'Names and texts stand in double quotes, and nothing stands behind the last comma: {"a": "b"}'
      assert.deepStrictEqual(yield* body('{"a": 1,}'), [
        `node Send, parameters.jsonBody: is no JSON: ${JSON.stringify('{"a": 1,}')}. ${fix}`
      ])
      const query = lines(yield* request({ sendQuery: true, specifyQuery: "json", jsonQuery: "{a: 1}" }), /no JSON/)
      assert.deepStrictEqual(query, [`node Send, parameters.jsonQuery: is no JSON: "{a: 1}". ${fix}`])
      for (const sound of ['{"a": 1}', '={"a": {{ $json.a }},}', "", " 7 "]) {
        assert.deepStrictEqual(yield* body(sound), [], sound)
      }
      assert.lengthOf(yield* body('{"a": 1,, }'), 1, "is told once")
      assert.deepStrictEqual(lines(yield* request({ jsonBody: "{a" }), /no JSON/), [], "what is not sent")
    })
  )

  it.effect("is told of sorting and summarizing by nothing", () =>
    Effect.gen(function* () {
      const check = (kind: string, parameters = {}) =>
        Effect.map(problemsIn([start, node(kind, "Do", parameters)], wired("Start > Do")), (all) =>
          lines(all, /names no/)
        )
      assert.deepStrictEqual(yield* check("sort"), [
        'node Do, parameters.sortFieldsUi: names no field to sort by. Name one: {"sortField": [{"fieldName": "…", "order": "ascending"}]}'
      ])
      assert.lengthOf(yield* check("summarize", { fieldsToSummarize: { values: [] } }), 1)
      assert.lengthOf(yield* check("sort", { type: "random" }), 0)
      assert.lengthOf(yield* check("sort", { sortFieldsUi: { sortField: [{ fieldName: "a" }] } }), 0)
    })
  )

  it.effect("is told of code for each item that takes all of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* code("return { json: $input.all()[0].json }"), [
        "node Code, parameters.jsCode: $input.all cannot be used in code that runs for each item. Take $input.item, or set mode to runOnceForAllItems"
      ])
      assert.deepStrictEqual(yield* code("return $input.all()", "runOnceForAllItems"), [])
      assert.deepStrictEqual(yield* code("// $input.all()\nreturn { json: { n: $('Start').all().length } }"), [])
    })
  )

  it.effect("is told of what nodes do not offer", () =>
    Effect.gen(function* () {
      const at = "node Say, parameters.assignments.assignments[0].value: "
      const check = (value: string) => problemsIn([start, says(value)], wired("Start > Say"))
      assert.deepStrictEqual(yield* check("={{ $('Start').json.a }}"), [
        `${at}a node has no json: $("…").json is nothing. Did you mean item.json, or first().json?`
      ])
      assert.deepStrictEqual(yield* check("={{ $('Start').itm.json.a }}"), [
        `${at}a node has no itm: $("…").itm is nothing. Did you mean item?`
      ])
      for (const sound of [
        "item.json.a",
        "first().json.a",
        "all()[0].json.a",
        "params.url",
        "isExecuted",
        "itemMatching(0).json"
      ]) {
        assert.deepStrictEqual(yield* check(`={{ $('Start').${sound} }}`), [], sound)
      }
    })
  )

  it.effect("is told of values from a model where there is none, and not at tools", () =>
    Effect.gen(function* () {
      const value = "={{ $fromAI('city') }}"
      const chat = node(ai("chatTrigger"), "Chat")
      const about = (all: ReadonlyArray<string>) => lines(all, /\$fromAI/)
      assert.deepStrictEqual(about(yield* problemsIn([start, says(value)], wired("Start > Say"))), [
        "node Say, parameters.assignments.assignments[0].value: $fromAI gives nothing here: only tools of agents get values from a model. Connect the node to an agent as its tool, or take the value from $json"
      ])
      const tool = node("httpRequestTool", "Ask", { url: value }, { typeVersion: 4.2 })
      const wires = wired("Chat > Agent", "Model > Agent ai_languageModel", "Ask > Agent ai_tool")
      assert.deepStrictEqual(about(yield* problemsIn([chat, agent(), model("Model"), tool], wires)), [])
    })
  )

  it.effect("is told of an output parser that nobody asks", () =>
    Effect.gen(function* () {
      const parser = node(ai("outputParserStructured"), "Parser", { jsonSchemaExample: '{"a":1}' })
      const chat = node(ai("chatTrigger"), "Chat")
      const wires = wired("Chat > Agent", "Model > Agent ai_languageModel", "Parser > Agent ai_outputParser")
      const check = (parameters: object) =>
        Effect.map(problemsIn([chat, agent(parameters), model("Model"), parser], wires), (all) =>
          lines(all, /hasOutputParser/)
        )
      assert.deepStrictEqual(yield* check({}), [
        "node Agent, parameters.hasOutputParser: an output parser is connected, and not used. Set hasOutputParser to true"
      ])
      assert.deepStrictEqual(yield* check({ hasOutputParser: true }), [])
    })
  )
})
