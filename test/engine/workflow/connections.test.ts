import { Option, Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { toConnections, toLinks } from "../../../src/engine/workflow/connections.ts"
import { edges, graph, linkEdges } from "./graphs.ts"

const links = (...given: ReadonlyArray<object>) => Result.getOrThrow(toConnections(given))
const to = (node: string, type = "main", index = 0) => ({ node, type, index })

describe("toConnections", () => {
  it("takes both ends as index 0 of main when nothing is said", () => {
    assert.deepStrictEqual(links({ source: "A", target: "B" }), { A: { main: [[to("B")]] } })
  })

  it("reads indices as numbers and as digits", () => {
    const expected = { A: { main: [[], [to("B", "main", 2)]] } }
    assert.deepStrictEqual(links({ source: "A", target: "B", sourceOutput: 1, targetInput: 2 }), expected)
    assert.deepStrictEqual(links({ source: "A", target: "B", sourceOutput: "1", targetInput: " 2 " }), expected)
  })

  it("gives both ends the type that one of them names", () => {
    const expected = { Model: { ai_languageModel: [[to("Agent", "ai_languageModel")]] } }
    for (const end of ["sourceOutput", "targetInput"]) {
      assert.deepStrictEqual(links({ source: "Model", target: "Agent", [end]: "ai_languageModel" }), expected)
    }
  })

  it("reads an end that says type and index", () => {
    assert.deepStrictEqual(
      links({ source: "A", target: "B", sourceOutput: { type: "ai_tool", index: 1 }, targetInput: { index: 3 } }),
      { A: { ai_tool: [[], [to("B", "ai_tool", 3)]] } }
    )
  })

  it("joins links of one output in their order", () => {
    assert.deepStrictEqual(links({ source: "A", target: "C" }, { source: "A", target: "B" }), {
      A: { main: [[to("C"), to("B")]] }
    })
  })

  it("takes nothing for no connections", () => {
    assert.deepStrictEqual(Result.getOrThrow(toConnections(undefined)), {})
    assert.deepStrictEqual(Result.getOrThrow(toConnections([])), {})
  })

  it("passes the object form on as it is", () => {
    fc.assert(
      fc.property(graph, ({ connections }) => {
        assert.strictEqual(Result.getOrThrow(toConnections(connections)), connections)
      })
    )
  })
})

describe("the two forms of connections", () => {
  it("give back the object form from links", () => {
    fc.assert(
      fc.property(graph, ({ connections }) => {
        const back = Result.getOrThrow(toConnections(toLinks(connections)))
        assert.deepStrictEqual(edges(back), edges(connections))
      })
    )
  })

  it("give back the links from the object form", () => {
    fc.assert(
      fc.property(graph, ({ connections }) => {
        const there = toLinks(connections)
        const back = toLinks(Result.getOrThrow(toConnections(JSON.parse(JSON.stringify(there)))))
        assert.deepStrictEqual(linkEdges(back), linkEdges(there))
      })
    )
  })
})

describe("toConnections refuses everything else", () => {
  const link = (fields: object) => [{ source: "A", target: "B", ...fields }]

  it.each<readonly [string, unknown, string]>([
    ["a text", "A -> B", "they are neither"],
    ["a number", 1, "they are neither"],
    ["null", null, "they are neither"],
    ["a source that is no object", { A: 1 }, "entry A must be object"],
    ["an output list that is none", { A: { main: {} } }, "entry A.main must be array"],
    ["outputs without the inner list", { A: { main: [to("B")] } }, "entry A.main.0 must be array"],
    ["a target without type and index", { A: { main: [[{ node: "B" }]] } }, "entry A.main.0.0.type is missing"],
    [
      "a target index as text",
      { A: { main: [[{ ...to("B"), index: "0" }]] } },
      "entry A.main.0.0.index must be number"
    ],
    ["a broken index", { A: { main: [[to("B", "main", 0.5)]] } }, "entry A.main.0.0.index must be an integer"],
    ["a null target", { A: { main: [[null]] } }, "entry A.main.0.0 must be object"],
    ["a list of texts", ["A"], "entry 0 must be object"],
    ["a link without target", [{ source: "A" }], "entry 0.target is missing"],
    ["a link from a number", [{ source: 1, target: "B" }], "entry 0.source must be string"],
    ["a negative output", link({ sourceOutput: -1 }), "entry 0.sourceOutput is -1"],
    ["a negative output in digits", link({ sourceOutput: "-1" }), 'entry 0.sourceOutput is "-1"'],
    ["a broken input", link({ targetInput: 1.5 }), "entry 0.targetInput is 1.5"],
    ["an output that would fill the memory", link({ sourceOutput: 256 }), "entry 0.sourceOutput is 256"],
    ["an output that is a list", link({ sourceOutput: [0] }), "entry 0.sourceOutput is [0]"],
    ["an empty output", link({ sourceOutput: "" }), 'entry 0.sourceOutput is ""'],
    ["an output with an empty type", link({ sourceOutput: { type: "" } }), 'entry 0.sourceOutput is {"type":""}'],
    ["an input that is a boolean", link({ targetInput: true }), "entry 0.targetInput is true"]
  ])("%s", (_, input, where) => {
    const result = toConnections(input)
    const error = Option.getOrUndefined(Result.getFailure(result))
    assert.strictEqual(error?.message, "Invalid workflow definition: connections malformed")
    assert.isTrue(error?.details?.["problem"]?.startsWith(where), error?.details?.["problem"])
    assert.isNotEmpty(error?.details?.["expected"])
  })
})
