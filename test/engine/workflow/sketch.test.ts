import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { workflowsOf } from "../../../src/engine/embedded/seed/seed.ts"
import { mermaidOf } from "../../../src/engine/workflow/mermaid.ts"
import { runsIn } from "../../../src/engine/workflow/runs.ts"
import { sketchOf } from "../../../src/engine/workflow/sketch.ts"
import { nameText, quotedName } from "../../../src/internal/foreignText.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { graph } from "./graphs.ts"

const to = (node: string, type = "main", index = 0) => ({ node, type, index })
const node = (name: string, kind: string, parameters: JsonObject = {}, more: JsonObject = {}) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 2,
  position: [0, 0],
  parameters,
  ...more
})
const seeded = (name: string): JsonObject => ({ ...workflowsOf.production.find((seed) => seed.name === name) })

/** Any value where an engine keeps something else. */
const odd = fc.oneof(fc.jsonValue(), fc.constant(undefined))
const oddNode = fc.record({
  name: fc.oneof(fc.constantFrom("A", "B", "__proto__", ""), odd),
  type: fc.oneof(
    fc
      .constantFrom("webhook", "if", "switch", "set", "code", "scheduleTrigger", "agent", "httpRequest", "x")
      .map((kind) => `n8n-nodes-base.${kind}`),
    odd
  ),
  parameters: fc.oneof(
    fc.dictionary(
      fc.constantFrom(
        "rule",
        "rules",
        "conditions",
        "assignments",
        "jsCode",
        "url",
        "options",
        "workflowId",
        "values",
        "path"
      ),
      odd
    ),
    odd
  ),
  credentials: odd,
  position: odd,
  disabled: odd,
  notes: odd,
  onError: odd
})
const oddTarget = fc.oneof(
  fc.record({ node: fc.oneof(fc.constantFrom("A", "B", "Ghost"), odd), type: odd, index: odd }),
  odd
)
const oddConnections = fc.oneof(
  fc.dictionary(
    fc.constantFrom("A", "B", "Ghost"),
    fc.oneof(
      fc.dictionary(fc.constantFrom("main", "ai_tool"), fc.oneof(fc.array(fc.oneof(fc.array(oddTarget), odd)), odd)),
      odd
    )
  ),
  odd
)
const oddWorkflow: fc.Arbitrary<JsonObject> = fc.record({
  nodes: fc.oneof(fc.array(fc.oneof(oddNode, odd)), odd),
  connections: oddConnections,
  pinData: odd
})

/** The part of Mermaid's grammar that drawings use here. */
const mermaidLine = new RegExp(
  [
    /^flowchart LR$/,
    /^ {2}%% \d+ more nodes are left out$/,
    /^ {2}n\d+(?:\(\["[^"]*"\]\)|\{"[^"]*"\}|\["[^"]*"\])$/,
    /^ {2}n\d+ (?:-->|-\.->)(?:\|"[^"]+"\|)? n\d+$/,
    /^ {2}classDef \w+ [\w:#,.-]+$/,
    /^ {2}class n\d+(?:,n\d+)* \w+$/
  ]
    .map(({ source }) => source)
    .join("|")
)

describe("sketchOf", () => {
  it("reads no more of a thousand nodes than it shows", () => {
    let reads = 0
    const parameters = {
      get url() {
        reads++
        return "https://api.example.com/orders"
      }
    }
    const nodes = Array.from({ length: 1000 }, (_, at) => node(`Node ${at}`, "httpRequest", parameters))
    const connections = Object.fromEntries(nodes.map(({ name }, at) => [name, { main: [[to(`Node ${at + 1}`)]] }]))
    assert.match(sketchOf({ nodes, connections }), /\d+ more lines are left out/)
    assert.isBelow(reads, 1000)
  })

  it("tells a branch by its outputs, in the order in which it runs", () => {
    assert.deepStrictEqual(sketchOf(seeded("Order intake")).split("\n"), [
      "Order received [webhook] POST /orders, answered by a respond node → Large order?",
      "Large order? [if] $json.body.amount ≥ 1000 → (true) Ask for approval; (false) Accept",
      "Ask for approval [set] status = needs approval → Answer",
      `Answer [respondToWebhook] json "{ order: $('Order received').item.json.body.id, status: $jso…(+10)"`,
      "Accept [set] status = accepted → Answer"
    ])
  })

  it("puts what serves an agent below it", () => {
    assert.deepStrictEqual(sketchOf(seeded("Support assistant")).split("\n"), [
      "Question asked [chatTrigger] public chat · pinned data → Assistant",
      'Assistant [agent] system: "Answer questions about orders. Say so when you do not know."',
      '  model: Language model [lmChatOpenAi] gpt-4o-mini · credential "Language model"',
      '  memory: Memory [memoryBufferWindow] contextWindowLength: "10"',
      "  tool: Look up an order [toolHttpRequest] GET https://shop.example.com/orders/{number}",
      '  tool: Stock of a product [toolWorkflow] "Stock of a product" "Tells how many of a product are in stock"'
    ])
  })

  it("marks what is switched off, retried, led on after errors, missing and never reached, and goes in no circle", () => {
    const nodes = [
      node("Every hour", "scheduleTrigger", { rule: { interval: [{ field: "hours" }] } }),
      node("Loop", "splitInBatches", { batchSize: 10 }, { typeVersion: 3 }),
      node(
        "Post",
        "httpRequest",
        { method: "POST", url: "=https://a/{{ $json.id }}" },
        { retryOnFail: true, maxTries: 5, onError: "continueErrorOutput" }
      ),
      node("Off", "noOp", {}, { disabled: true, onError: "continueRegularOutput" }),
      node("Alone", "code", { jsCode: "// sums up\nreturn items" }),
      node("Note", "stickyNote", { content: "## Mind\nthe gap" })
    ]
    const connections = {
      "Every hour": { main: [[to("Loop")]] },
      Loop: { main: [[to("Off")], [to("Post")]] },
      Post: { main: [[to("Loop")], [to("Ghost")]] }
    }
    assert.deepStrictEqual(sketchOf({ nodes, connections }).split("\n"), [
      "Every hour [scheduleTrigger] every hour → Loop",
      "Loop [splitInBatches] batches of 10 → (done) Off; (loop) Post",
      "Off [noOp] · DISABLED · goes on after errors",
      "Post [httpRequest] POST https://a/{{ $json.id }} · retries 5× → Loop; (error) Ghost (MISSING)",
      "No trigger leads to:",
      "Alone [code] // sums up (2 lines)",
      'Note: "## Mind the gap"'
    ])
  })

  it("lays a run over it: items, time, what failed and what was not reached", () => {
    const run = (items: ReadonlyArray<number>, more: JsonObject = {}) => ({
      executionTime: 7,
      executionStatus: "success",
      data: { main: items.map((count) => Array.from({ length: count }, () => ({ json: {} }))) },
      ...more
    })
    const runs = runsIn({
      data: {
        resultData: {
          runData: {
            "Order received": [run([1])],
            "Large order?": [run([0, 1])],
            Accept: [run([1]), run([2])],
            Answer: [{ executionTime: 1, executionStatus: "error", error: { message: "no id\nat line 3" } }],
            Gone: [run([1])]
          }
        }
      }
    })
    const lines = sketchOf(seeded("Order intake"), { runs }).split("\n")
    assert.match(lines[0] ?? "", / · ran: 1 item, 7 ms → /)
    assert.match(lines[1] ?? "", / · ran: 0\|1 items, 7 ms → /)
    assert.match(lines[2] ?? "", / · not reached → /)
    assert.match(lines[3] ?? "", / · FAILED after 1 ms: no id$/)
    assert.match(lines[4] ?? "", / · ran: 3 items, 2 runs, 14 ms → /)
    assert.strictEqual(lines[5], "Ran and is not here any more: Gone")
  })

  it("names every node of any workflow once, each on a line of its own", () => {
    fc.assert(
      fc.property(graph, (workflow) => {
        const lines = sketchOf({ ...workflow }).split("\n")
        for (const { name } of workflow.nodes) {
          const labels = [`${nameText(name)} [`, `${quotedName(name)} [`]
          const nodeLines = lines.filter((line) =>
            labels.some((label) => line.replace(/^ *(?:[\w ]+: )*/, "").startsWith(label) || line.startsWith(label))
          )
          assert.isNotEmpty(nodeLines, `${JSON.stringify(name)} in ${JSON.stringify(lines)}`)
        }
      })
    )
  })

  it("draws whatever an engine keeps", () => {
    fc.assert(
      fc.property(oddWorkflow, (workflow) => {
        assert.isString(sketchOf(workflow))
        for (const line of mermaidOf(workflow).split("\n")) assert.match(line, mermaidLine)
      }),
      { numRuns: 500 }
    )
  })

  it("stays within its room, and says what is left out", () => {
    const nodes = Array.from({ length: 400 }, (_, place) =>
      node(`Fetch the orders of shop ${place}`, "httpRequest", { url: `https://shop.example.test/${"x".repeat(80)}` })
    )
    const whole = sketchOf({ nodes: nodes.slice(0, 40), connections: {} })
    assert.include(whole, "xxxxxxxx")
    const text = sketchOf({ nodes, connections: {} })
    assert.isAtMost(text.length, 12_000)
    assert.match(text, /… \d+ more lines are left out; name nodes to see them\.$/)
    assert.isAbove(text.split("\n").length, 150)
  })

  it("shows no secret", () => {
    const nodes = [
      node("Fetch", "httpRequest", { url: "https://ann:hunter22@a.test/?api_key=hunter22" }),
      node("Code", "code", { jsCode: "const password = 'hunter22'" }, { notes: "password: hunter22" })
    ]
    assert.notInclude(sketchOf({ nodes, connections: {} }), "hunter22")
    assert.notInclude(mermaidOf({ nodes, connections: {} }), "hunter22")
  })
})

describe("mermaidOf", () => {
  it("draws nodes by what they are, arrows by their outputs, and escapes what Mermaid would read", () => {
    const nodes = [
      node('Start "now"', "manualTrigger"),
      node("If <b>", "if"),
      node("end", "noOp", {}, { disabled: true })
    ]
    const connections = { 'Start "now"': { main: [[to("If <b>")]] }, "If <b>": { main: [[to("end")], [to("Ghost")]] } }
    assert.deepStrictEqual(mermaidOf({ nodes, connections }).split("\n").slice(0, 8), [
      "flowchart LR",
      '  n1(["Start #34;now#34;"])',
      '  n2{"If #60;b#62;"}',
      '  n3["end"]',
      '  n4["Ghost<br/>missing"]',
      "  n1 --> n2",
      '  n2 -->|"true"| n3',
      '  n2 -->|"false"| n4'
    ])
  })
})
