import { assert, describe, it } from "vitest"

import type { NodeRun } from "../../../src/engine/operator/explain/runData.ts"
import { compareOutputs, type Comparison } from "../../../src/engine/operator/proof/compare.ts"
import { wasRecorded } from "../../../src/engine/operator/proof/recordedRuns.ts"
import type { Json } from "../../support/harness.ts"

const item = (json: Json, from: unknown = { item: 0 }, binary?: Json) => ({
  json,
  pairedItem: from,
  ...(binary === undefined ? {} : { binary })
})

const run = (...items: ReadonlyArray<Json>): NodeRun => ({
  node: "Node",
  run: 0,
  outputs: [items],
  error: undefined,
  whole: {}
})

const plain: Comparison = { volatile: [], isSet: false, isPaired: true }

const differing = (before: NodeRun, after: NodeRun, how: Partial<Comparison> = {}) =>
  compareOutputs([before], [after], { ...plain, ...how })

const paths = (...given: Parameters<typeof differing>) => differing(...given).differences.map(({ path }) => path)

const file = (data: string, more: Json = {}) => ({ data: { data, mimeType: "text/plain", fileName: "a.txt", ...more } })

describe("a recorded node is the present one", () => {
  const node = { type: "n8n-nodes-base.itemLists", typeVersion: 1 }
  const isSame = (now: Json, recorded: Json) =>
    wasRecorded({ ...node, parameters: now }, { ...node, parameters: recorded })

  it("though the engine added what it takes by default, and left out options that are not set", () => {
    assert.isTrue(isSame({ operation: "limit", options: {} }, { operation: "limit", maxItems: 1 }))
    assert.isTrue(isSame({ options: { a: {} } }, { options: {} }))
  })

  it("unless something else was set", () => {
    assert.isFalse(isSame({ maxItems: 2 }, { maxItems: 1 }))
    assert.isFalse(isSame({ options: { a: 1 } }, {}))
    assert.isFalse(isSame({ fields: [] }, {}))
  })
})

describe("outputs of a node are compared", () => {
  it("by the input item that each item comes from, in whatever form an engine writes it", () => {
    assert.deepStrictEqual(paths(run(item({ a: 1 }, { item: 0 })), run(item({ a: 1 }, 0))), [])
    assert.deepStrictEqual(paths(run(item({ a: 1 }, { item: 0 })), run(item({ a: 1 }, { item: 0, input: 0 }))), [])
    assert.deepStrictEqual(paths(run(item({ a: 1 }, { item: 0 })), run(item({ a: 1 }, { item: 1 }))), ["pairedItem"])
    assert.deepStrictEqual(paths(run(item({ a: 1 }, [])), run(item({ a: 1 }, { item: 0 }))), ["pairedItem"])
  })

  it("by their files: one that is lost, has other content or another name is a difference", () => {
    const before = run(item({}, 0, file("eA==")))
    assert.deepStrictEqual(paths(before, run(item({}, 0, file("eA==")))), [])
    assert.deepStrictEqual(paths(before, run(item({}, 0))), ["binary.data"])
    assert.deepStrictEqual(paths(before, run(item({}, 0, file("eQ==")))), ["binary.data.data"])
    assert.deepStrictEqual(paths(before, run(item({}, 0, file("eA==", { fileName: "b.txt" })))), [
      "binary.data.fileName"
    ])
    const apart = run(item({}, 0, file("filesystem-v2", { id: "filesystem-v2:1" })))
    assert.include(differing(apart, apart), { hasUnreadFiles: true })
  })

  it("without regard to their order only where chance decides it", () => {
    const [one, other] = [item({ a: 1 }), item({ a: 2 })]
    assert.isNotEmpty(paths(run(one, other), run(other, one)))
    assert.deepStrictEqual(paths(run(one, other), run(other, one), { isSet: true }), [])
    assert.isNotEmpty(paths(run(one, other), run(other, other), { isSet: true }))
  })

  it("but for times and random values, which have to be there and of the same type", () => {
    const how = { volatile: [["at"]] }
    const before = run(item({ at: "2026-01-01T00:00:00Z", b: 1 }))
    assert.deepInclude(differing(before, run(item({ at: "2026-02-01T00:00:00Z", b: 1 })), how), {
      differences: [],
      volatile: ["at"]
    })
    assert.deepStrictEqual(paths(before, run(item({ b: 1 })), how), ["at"])
    assert.deepStrictEqual(paths(before, run(item({ at: 1, b: 1 })), how), ["at"])
    assert.deepStrictEqual(paths(before, run(item({ at: null, b: 1 })), how), ["at"])
  })

  it("by all but the times and random values of a text that holds some", () => {
    const how = { volatile: [["text"]] }
    const at = (time: string, total: number) => run(item({ text: `At ${time}, order 5 costs ${total}` }))
    assert.deepStrictEqual(paths(at("2026-01-01T00:00:00Z", 7), at("2026-02-01T12:30:00.5Z", 7), how), [])
    assert.deepStrictEqual(paths(at("2026-01-01T00:00:00Z", 7), at("2026-02-01T12:30:00.5Z", 8), how), ["text"])
    assert.deepStrictEqual(paths(at("2026-01-01 10:00", 7), run(item({ text: "" })), how), ["text"])
    assert.deepStrictEqual(paths(run(item({ text: "4711" })), run(item({ text: "4712" })), how), [])
  })

  it("by the errors after which they go on: a node that fails as a whole gives out its input", () => {
    const passed = run(item({ a: 1 }))
    const failed = { ...passed, error: { message: "no" }, whole: { error: { message: "no" } } }
    assert.deepStrictEqual(differing(passed, failed).differences, [{ path: "error", expected: undefined, got: "no" }])
    assert.deepStrictEqual(paths(failed, failed), [])
  })

  it("without regard to the order of fields, which is named", () => {
    assert.include(differing(run(item({ a: 1, b: 2 })), run(item({ b: 2, a: 1 }))), { isReordered: true })
  })
})
