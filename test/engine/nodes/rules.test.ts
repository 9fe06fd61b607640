import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { splitExpression } from "../../../src/engine/nodes/check/javaScript.ts"
import { collectNodeTypes } from "../../../src/engine/nodes/collectNodeTypes.ts"
import { isShown } from "../../../src/engine/nodes/conditions.ts"
import { describeParameters } from "../../../src/engine/nodes/describeParameters.ts"
import { sampleOf } from "../../../src/engine/nodes/nodeUsage.ts"
import { search } from "../../../src/engine/nodes/searchNodes.ts"
import { catalog } from "./catalog.ts"

describe("whether a parameter is shown", () => {
  const isShownUnder = (show: Record<string, ReadonlyArray<unknown>>, values: object, version = 2) =>
    isShown({ show }, { values, root: values, version, isTool: false })
  const under = (condition: object) => ({ "@version": [{ _cnd: condition }] })

  it.each([
    [{ eq: 2 }, true],
    [{ not: 2 }, false],
    [{ gte: 2 }, true],
    [{ gt: 2 }, false],
    [{ lte: 1.9 }, false],
    [{ lt: 2.1 }, true],
    [{ between: { from: 1, to: 3 } }, true],
    [{ between: { from: 2.1, to: 3 } }, false],
    [{ exists: true }, true],
    [{ unheard: 1 }, false]
  ])("follows the condition %j on the version", (condition, expected) => {
    assert.strictEqual(isShownUnder(under(condition), {}), expected)
  })

  it("follows texts, nested values, roots, things by their value, and lists", () => {
    assert.isTrue(isShownUnder({ name: [{ _cnd: { startsWith: "ab" } }] }, { name: "abc" }))
    assert.isFalse(isShownUnder({ name: [{ _cnd: { endsWith: "ab" } }] }, { name: "abc" }))
    assert.isTrue(isShownUnder({ name: [{ _cnd: { includes: "b" } }] }, { name: "abc" }))
    assert.isTrue(isShownUnder({ "/options.mode": ["x"] }, { options: { mode: "x" } }))
    assert.isTrue(isShownUnder({ sheet: ["1"] }, { sheet: { __rl: true, mode: "id", value: "1" } }))
    assert.isTrue(isShownUnder({ many: ["b"] }, { many: ["a", "b"] }))
    assert.isFalse(isShownUnder({ many: ["b"], other: [1] }, { many: ["b"], other: 2 }))
  })

  it("cannot be known where an expression decides, and is taken to be", () => {
    assert.isTrue(isShownUnder({ mode: ["x"] }, { mode: "={{ $json.mode }}" }))
  })
})

describe("the parts of an expression", () => {
  it("are all of it, in order", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a{}\\ ]{0,30}$/), (text) => {
        const plain = (part: string) => part.replaceAll(/[{}\\]/g, "")
        const all = splitExpression(text).map((chunk) => chunk.text)
        assert.strictEqual(plain(all.join("")), plain(text))
      })
    )
  })

  it("are code where braces enclose them, and end at the first that close", () => {
    const parts = splitExpression("a {{ b }} c {{ {d: {e: 1}} }} f").map(({ isCode, text }) => [isCode, text])
    assert.deepStrictEqual(parts, [
      [false, "a "],
      [true, " b "],
      [false, " c "],
      [true, " {d: {e: 1"],
      [false, " }} f"]
    ])
    assert.deepInclude(splitExpression("{{ open").at(-1), { isCode: true, isClosed: false })
    assert.deepStrictEqual(
      splitExpression("\\{{ text }}").map(({ isCode }) => isCode),
      [false]
    )
  })
})

describe("descriptions of nodes", () => {
  it("of whatever shape are read without failing, or left out", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, inner) => {
        const described = { name: "x", version: 1, inputs: value, outputs: inner, properties: [value, inner] }
        const types = collectNodeTypes([value, described])
        assert.include(
          types.map(({ entry }) => entry.type),
          "x"
        )
        for (const type of types.flatMap(({ versions }) => versions)) describeParameters(type, {})
      })
    )
  })
})

describe("examples from an instance", () => {
  it("are short and without secrets", () => {
    const sample = sampleOf({
      url: "x".repeat(500),
      list: [1, 2, 3, 4, 5],
      headers: { parameters: [{ name: "Authorization", value: "Bearer abcdef123456abcdef" }] },
      deep: { a: { b: { c: { d: { e: { f: 1 } } } } } }
    })
    assert.isBelow(JSON.stringify(sample).length, 400)
    assert.notInclude(JSON.stringify(sample), "abcdef123456")
    assert.include(JSON.stringify(sample), "… 2 more")
  })
})

describe("find_nodes", () => {
  it.each([
    ["post something in slack", "n8n-nodes-base.slack"],
    ["run javascript code", "n8n-nodes-base.code"],
    ["every day at nine, on a schedule", "n8n-nodes-base.scheduleTrigger"],
    ["call an HTTP API", "n8n-nodes-base.httpRequest"],
    ["remove duplicate items", "n8n-nodes-base.removeDuplicates"],
    ["execute a SQL query in postgres", "n8n-nodes-base.postgres"],
    ["openai chat model", "@n8n/n8n-nodes-langchain.lmChatOpenAi"]
  ])("finds a node for: %s", (query, type) => {
    assert.strictEqual(search(catalog.entries, query, undefined, () => 0)[0]?.entry.type, type)
  })
})
