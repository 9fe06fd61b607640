import { assert, describe, it } from "vitest"

import { WorkflowId } from "../../../src/engine/workflow/models.ts"
import { makeSeenVersions, versionOf } from "../../../src/engine/workflow/versions.ts"

const node = (name: string, url = "a") => ({ name, type: "x", parameters: { url, retry: 1 } })
const workflow = {
  id: WorkflowId.make("w1"),
  name: "Orders",
  active: false,
  nodes: [node("Start"), node("Fetch")],
  connections: {},
  settings: { timezone: "UTC" }
}

describe("the version of a workflow", () => {
  it("changes with everything that the workflow is and does", () => {
    const others = [
      workflow,
      { ...workflow, name: "Order" },
      { ...workflow, active: true },
      { ...workflow, nodes: [node("Start"), node("Fetch", "b")] },
      { ...workflow, nodes: [node("Fetch"), node("Start")] },
      { ...workflow, nodes: [] },
      { ...workflow, connections: { Start: {} } },
      { ...workflow, settings: {} },
      { ...workflow, pinData: { Start: [{ json: {} }] } }
    ]
    const versions = others.map(versionOf)
    assert.lengthOf([...new Set(versions)], others.length)
    for (const version of versions) assert.match(version, /^([0-9a-z]{6}-){5}(on|off)$/)
  })

  it("ignores the order of fields, the engine's own counters and what is empty", () => {
    const same = {
      ...workflow,
      nodes: workflow.nodes.map(({ name, parameters, type }) => ({ parameters, type, name })),
      pinData: null,
      staticData: { lastRun: 7 },
      updatedAt: "later",
      versionId: "other",
      triggerCount: 3
    }
    assert.strictEqual(versionOf(same), versionOf(workflow))
  })
})

describe("a conflict", () => {
  it("names every part that changed, and the nodes of a version that was shown", () => {
    const { changesSince, remember } = makeSeenVersions()
    const version = remember(workflow)
    const now = { ...workflow, name: "New", active: true, nodes: [node("Start", "b"), node("Added")], settings: {} }
    assert.deepEqual(changesSince(version, now), [
      "name",
      "nodes (Start changed, Added added, Fetch removed)",
      "settings",
      "state (now active)"
    ])
    assert.deepEqual(changesSince(version, { ...workflow, nodes: [node("Fetch"), node("Start")] }), [
      "nodes (their order)"
    ])
    assert.deepEqual(changesSince(version, workflow), [])
  })

  it("says only that nodes changed, where the version was never shown or is long forgotten", () => {
    const { changesSince, remember } = makeSeenVersions()
    assert.deepEqual(changesSince(versionOf(workflow), { ...workflow, nodes: [] }), ["nodes"])
    const version = remember(workflow)
    const many = Array.from({ length: 5000 }, (_, index) => node(`n${index}`))
    for (let round = 0; round < 5; round++) remember({ ...workflow, nodes: [...many, node(`of ${round}`)] })
    assert.deepEqual(changesSince(version, { ...workflow, nodes: [] }), ["nodes"])
  })

  it("names 20 nodes at most", () => {
    const { changesSince, remember } = makeSeenVersions()
    const many = Array.from({ length: 50 }, (_, index) => node(`n${index}`))
    const [text = ""] = changesSince(remember({ ...workflow, nodes: many }), { ...workflow, nodes: [] })
    assert.match(text, /^nodes \(n0 removed, .*, n19 removed and 30 more\)$/)
  })
})
