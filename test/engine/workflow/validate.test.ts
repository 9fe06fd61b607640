import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { validate } from "../../../src/engine/workflow/validate.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { graph, type Graph } from "./graphs.ts"

type Draft = Parameters<typeof validate>[0]

const accepted = (draft: Draft) => Result.getOrThrow(validate(draft))

const refusal = (draft: Draft): string => {
  const result = validate(draft)
  if (Result.isSuccess(result)) return "accepted"
  const { details, message } = result.failure
  return [message, ...Object.values(details ?? {})].join(" | ")
}

const node = (name: string, type = "engine-nodes-base.set"): JsonObject => ({
  name,
  type,
  typeVersion: 1,
  position: [0, 0]
})
const link = (target: string, fields: object = {}) => ({
  main: [[{ node: target, type: "main", index: 0, ...fields }]]
})

describe("a valid workflow", () => {
  it("is accepted whatever its names, types and gaps", () => {
    fc.assert(
      fc.property(graph, fc.string({ minLength: 1 }), ({ nodes, connections }, name) => {
        assert.strictEqual(accepted({ name: `${name}!`, nodes, connections }), connections)
      })
    )
  })

  it("needs no connections, and may give them as links", () => {
    assert.deepStrictEqual(accepted({ nodes: [node("A")] }), {})
    assert.deepStrictEqual(accepted({ nodes: [node("A"), node("B")], connections: [{ source: "A", target: "B" }] }), {
      A: link("B")
    })
  })

  it("may be active with a valid trigger", () => {
    assert.deepStrictEqual(accepted({ nodes: [node("A", "engine-nodes-base.webhook")], active: true }), {})
  })
})

describe("validate refuses with the words of the contract", () => {
  it("a connection to a node that is not there", () => {
    const expected = "Workflow validation failed: node A references non-existent node Ghost"
    assert.strictEqual(refusal({ nodes: [node("A")], connections: { A: link("Ghost") } }), expected)
    assert.strictEqual(refusal({ nodes: [node("A")], connections: [{ source: "A", target: "Ghost" }] }), expected)
  })

  it("names that appear twice and three times", () => {
    const nodes = ["A", "B", "A", "B", "B"].map((name) => node(name))
    assert.strictEqual(refusal({ nodes: nodes.slice(0, 3) }), "Duplicate node names found: A appears 2 times")
    assert.strictEqual(refusal({ nodes }), "Duplicate node names found: A appears 2 times, B appears 3 times")
  })

  it("connections of no known form", () => {
    const expected = /^Invalid workflow definition: connections malformed \| .+ \| /
    assert.match(refusal({ nodes: [node("A")], connections: "A" }), expected)
    assert.match(refusal({ nodes: [node("A")], connections: { A: { main: [{ node: "A" }] } } }), expected)
  })

  it("activation without a trigger", () => {
    assert.strictEqual(
      refusal({ nodes: [node("A", "engine-nodes-base.manualTrigger")], active: true }),
      "Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger."
    )
  })
})

describe("validate refuses with words that say where and what", () => {
  const failed = (problem: string) => `Workflow validation failed: ${problem}`

  it("no name, no nodes", () => {
    assert.strictEqual(refusal({ name: " ", nodes: [node("A")] }), failed("name must not be empty"))
    assert.strictEqual(refusal({ nodes: [] }), failed("at least 1 node is required"))
  })

  it.each<readonly [JsonObject, string]>([
    [{ name: undefined }, "node at index 1 has no name: must be a non-empty text"],
    [{ name: "" }, "node at index 1 has an invalid name: must be a non-empty text"],
    [{ name: 7 }, "node at index 1 has an invalid name: must be a non-empty text"],
    [{ type: undefined }, "node B has no type: must be a non-empty text, for example engine-nodes-base.webhook"],
    [{ typeVersion: undefined }, "node B has no typeVersion: must be a number"],
    [{ typeVersion: "2" }, "node B has an invalid typeVersion: must be a number"],
    [{ position: undefined }, "node B has no position: must be an array of two numbers"],
    [{ position: [1] }, "node B has an invalid position: must be an array of two numbers"],
    [{ position: [1, 2, 3] }, "node B has an invalid position: must be an array of two numbers"],
    [{ position: [1, "2"] }, "node B has an invalid position: must be an array of two numbers"],
    [{ position: [0, Infinity] }, "node B has an invalid position: must be an array of two numbers"],
    [{ position: { x: 1, y: 2 } }, "node B has an invalid position: must be an array of two numbers"],
    [{ parameters: [] }, "node B has an invalid parameters: must be an object"],
    [
      { credentials: "basic" },
      "node B has an invalid credentials: must be an object that maps credential types to { id, name }"
    ],
    [
      { credentials: { httpBasicAuth: 5 } },
      "node B has an invalid credentials: must be an object that maps credential types to { id, name }"
    ]
  ])("a node with %j", (fields, problem) => {
    assert.strictEqual(refusal({ nodes: [node("A"), { ...node("B"), ...fields }] }), failed(problem))
  })

  it.each<readonly [object, string]>([
    [{ Ghost: link("A") }, "node Ghost references non-existent node Ghost: connections begin at it"],
    [{ A: link("A", { index: -1 }) }, "node A is connected to A at index -1: must be 0 or more"],
    [
      { A: link("A", { type: "mian" }) },
      "node A is connected to A by unknown type mian: must be main or start with ai_"
    ],
    [{ A: { mian: [] } }, "node A has connections of unknown type mian: must be main or start with ai_"]
  ])("connections %j", (connections, problem) => {
    assert.strictEqual(refusal({ nodes: [node("A")], connections }), failed(problem))
  })

  it("a name that only a prototype knows", () => {
    const connections: unknown = JSON.parse(`{"__proto__":${JSON.stringify(link("toString"))}}`)
    assert.strictEqual(
      refusal({ nodes: [node("A")], connections }),
      failed("node __proto__ references non-existent node __proto__: connections begin at it")
    )
    assert.strictEqual(
      refusal({ nodes: [node("__proto__")], connections }),
      failed("node __proto__ references non-existent node toString")
    )
  })
})

describe("a valid workflow with one mistake", () => {
  const slip = (name: string, make: (graph: Graph, pick: Graph["nodes"][number]) => Draft, text: RegExp) =>
    it(`is refused when ${name}`, () => {
      fc.assert(
        fc.property(graph, fc.nat(), (whole, seed) => {
          const pick = whole.nodes[seed % whole.nodes.length]
          assert.isDefined(pick)
          assert.match(refusal(make(whole, pick)), text)
        })
      )
    })
  const ghost = "no such node, surely not"
  const without = (field: string) => (whole: Graph, pick: Graph["nodes"][number]) => ({
    ...whole,
    nodes: whole.nodes.map((node) => (node === pick ? { ...node, [field]: undefined } : node))
  })
  const aimed = (whole: Graph, pick: Graph["nodes"][number], target: object) => ({
    ...whole,
    connections: { ...whole.connections, [pick.name]: { main: [null, [target]] } }
  })

  for (const field of ["name", "type", "typeVersion", "position"]) {
    slip(
      `a node loses its ${field}`,
      without(field),
      new RegExp(`^Workflow validation failed: node .*has no ${field}`, "s")
    )
  }
  slip(
    "a node is doubled",
    (whole, pick) => ({ ...whole, nodes: [...whole.nodes, pick] }),
    /^Duplicate node names found: .* appears 2 times$/s
  )
  slip(
    "a target goes away",
    (whole, pick) => aimed(whole, pick, { node: ghost, type: "main", index: 0 }),
    /^Workflow validation failed: node .* references non-existent node /s
  )
  slip(
    "a source goes away",
    (whole, pick) => ({ ...whole, connections: { [ghost]: link(pick.name), ...whole.connections } }),
    /^Workflow validation failed: node (.*) references non-existent node \1: connections begin at it$/s
  )
  slip(
    "an index turns negative",
    (whole, pick) => aimed(whole, pick, { node: pick.name, type: "main", index: -2 }),
    /^Workflow validation failed: node .* at index -2: must be 0 or more$/s
  )
  slip(
    "a type is lost",
    (whole, pick) => aimed(whole, pick, { node: pick.name, index: 0 }),
    /^Invalid workflow definition: connections malformed \| entry .*\.type is missing \| /s
  )
})
