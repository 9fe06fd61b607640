import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { undone } from "../../../src/engine/history/undoing.ts"
import { differences } from "../../../src/engine/workflow/difference.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { graph } from "../workflow/graphs.ts"

const node = (id: string, name: string, url = "https://a") => ({ id, name, type: "http", parameters: { url } })
const to = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] })

const before = {
  name: "Orders",
  active: true,
  nodes: [node("1", "Start"), node("2", "Fetch")],
  connections: { Start: to("Fetch") },
  settings: { timezone: "UTC" },
  tags: [{ id: "7", name: "live" }]
}

const textsOf = (from: JsonObject, record: JsonObject) => differences(from, record).map(({ text }) => text)

describe("the undoing of one change", () => {
  it("leads back to the workflow before it, where nothing came later", () => {
    fc.assert(
      fc.property(graph, graph, (one, other) => {
        const [was, is] = [{ ...one }, { ...other }]
        const { conflicts, record } = undone(is, { before: was, after: is })
        assert.deepStrictEqual(textsOf(was, record), [])
        // A generated graph may have wires of nodes that are not there.
        assert.deepStrictEqual(
          conflicts.filter((place) => !place.startsWith("connections of ")),
          []
        )
      })
    )
  })

  it("keeps what came later, under the name that a node has now", () => {
    const after = { ...before, nodes: [node("1", "Start"), node("2", "Fetch", "https://b")], tags: [] }
    const renamed = [node("1", "Start"), node("2", "Load", "https://b"), node("3", "Log")]
    const now = { ...after, name: "All orders", nodes: renamed, connections: { Start: to("Load"), Load: to("Log") } }
    const { conflicts, record } = undone(now, { before, after })
    assert.deepStrictEqual(conflicts, [])
    assert.deepStrictEqual(textsOf(now, record), ['Load: url "https://b" → "https://a"', "tagged live"])
  })

  it("names the places that were changed again, and nodes that something leads to since", () => {
    const after = { ...before, name: "New", nodes: [...before.nodes, node("3", "Log")] }
    const now = { ...after, name: "Newer", connections: { Start: to("Fetch"), Fetch: to("Log") } }
    assert.deepStrictEqual(undone(now, { before, after }).conflicts, ["name", "connections of Log"])
  })

  it("tells nodes apart by their names where they got other ids meanwhile", () => {
    const after = { ...before, nodes: [node("1", "Start"), node("2", "Fetch", "https://b")] }
    const now = { ...after, nodes: [node("8", "Start", "https://s"), node("9", "Fetch", "https://b")] }
    const { conflicts, record } = undone(now, { before, after })
    assert.deepStrictEqual(conflicts, [])
    assert.deepStrictEqual(textsOf(now, record), ['Fetch: url "https://b" → "https://a"'])
  })
})
