import { assert, describe, it } from "vitest"

import { activeVersionDifference } from "../../../src/engine/workflow/views.ts"

const nodes = [
  { name: "Start", parameters: {} },
  { name: "Fetch", parameters: { url: "https://a.example", retry: 1 } }
]
const connections = { Start: { main: [[{ node: "Fetch", type: "main", index: 0 }]] } }
const published = { versionId: "v1", authors: "Ann", nodes, connections }

describe("the published version beside a draft", () => {
  it("is left out where it equals the draft, in whatever order of fields", () => {
    const reordered = [nodes[0], { parameters: { retry: 1, url: "https://a.example" }, name: "Fetch" }]
    assert.deepEqual(activeVersionDifference({ nodes: reordered, connections, activeVersion: published }), {})
    assert.deepEqual(activeVersionDifference({ nodes, connections, activeVersion: null }), {})
    assert.deepEqual(activeVersionDifference({ nodes, connections }), {})
  })

  it("holds what the draft has not, by name", () => {
    const draft = { nodes: [nodes[0], { name: "New" }], connections: {}, activeVersion: published }
    assert.deepEqual(activeVersionDifference(draft), {
      activeVersion: {
        versionId: "v1",
        authors: "Ann",
        difference: { nodes: { Fetch: nodes[1], New: null }, connections }
      }
    })
  })

  it("holds only names where the difference is long", () => {
    const long = { ...published, nodes: [nodes[0], { name: "Fetch", parameters: { body: "x".repeat(300_000) } }] }
    assert.deepEqual(activeVersionDifference({ nodes, connections, activeVersion: long }), {
      activeVersion: {
        versionId: "v1",
        authors: "Ann",
        differsIn: { nodes: ["Fetch"] },
        note: "The differences are left out, because they are long."
      }
    })
  })
})
