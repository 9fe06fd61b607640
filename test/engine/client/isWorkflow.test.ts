import { assert, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"

import { isWorkflow, Workflow } from "../../../src/engine/workflow/models.ts"

const object = fc.dictionary(fc.string(), fc.jsonValue())
const workflow = fc.record(
  {
    id: fc.stringMatching(/^[\w-]{1,8}$/),
    name: fc.string(),
    active: fc.boolean(),
    nodes: fc.array(object, { maxLength: 3 }),
    connections: object,
    activeVersionId: fc.option(fc.string()),
    triggerCount: fc.option(fc.nat()),
    createdAt: fc.string(),
    updatedAt: fc.string(),
    settings: fc.option(object),
    staticData: fc.jsonValue(),
    tags: fc.array(fc.record({ id: fc.string(), name: fc.string(), more: fc.jsonValue() }), { maxLength: 3 }),
    unknownField: fc.jsonValue()
  },
  { requiredKeys: ["id", "name", "active", "nodes", "connections"] }
)
const fields = ["id", "name", "active", "nodes", "connections", "activeVersionId", "triggerCount"]
const more = ["createdAt", "updatedAt", "settings", "staticData", "tags", "unknownField"]
const value = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constantFrom("", "a/b", [{ id: "1" }], [[]], [1], {}))
const spoilt = fc
  .tuple(workflow, fc.constantFrom(...fields, ...more), value)
  .map(([whole, field, value]): unknown => JSON.parse(JSON.stringify({ ...whole, [field]: value })))
const decode = Schema.decodeUnknownOption(Workflow)

it("a workflow is told at a glance exactly where the schema takes it, and the schema changes nothing of it", () => {
  assert.isTrue(fc.sample(workflow, 50).every(isWorkflow))
  fc.assert(
    fc.property(spoilt, (value) => {
      const decoded = decode(value)
      assert.strictEqual(isWorkflow(value), Option.isSome(decoded))
      if (Option.isSome(decoded)) assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded.value)), value)
    }),
    { numRuns: 300 }
  )
})
