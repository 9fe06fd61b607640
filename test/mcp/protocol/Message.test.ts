import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

import { read } from "../../../src/mcp/protocol/Message.ts"

const id = fc.oneof(fc.string(), fc.maxSafeInteger())
const params = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))

it("a request is read with the id, method and params it was written with", () => {
  fc.assert(
    fc.property(id, fc.string(), params, fc.dictionary(fc.string(), fc.jsonValue()), (id, method, params, extra) => {
      const { error: _, result: __, ...more } = extra
      const message = read({ ...more, jsonrpc: "2.0", id, method, params })
      assert.deepEqual(message, { _tag: "Request", id, method, params })
    })
  )
})

it("without an id it is a notification, without a method a reply", () => {
  assert.deepEqual(read({ jsonrpc: "2.0", method: "a" }), { _tag: "Notification", method: "a", params: undefined })
  assert.deepEqual(read({ jsonrpc: "2.0", id: 1, result: 0 }), { _tag: "Reply", id: 1, result: 0 })
  assert.deepEqual(read({ jsonrpc: "2.0", id: null, error: {} }), { _tag: "Reply", id: null, error: {} })
})

it("every other JSON is invalid, and an id that can be read is kept for the answer", () => {
  const whole = { jsonrpc: "2.0", id: 1, method: "ping" }
  for (const wrong of [
    { ...whole, jsonrpc: "1.0" },
    { ...whole, jsonrpc: 2 },
    { id: 1, method: "ping" },
    { ...whole, method: 7 },
    { ...whole, params: "text" },
    { ...whole, params: null },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: 1, result: 0, error: 0 }
  ]) {
    assert.deepInclude(read(wrong), { _tag: "Invalid", id: 1 }, JSON.stringify(wrong))
  }
  for (const id of [null, 1.5, 2 ** 60, true, [1], { id: 1 }]) {
    assert.deepInclude(read({ ...whole, id }), { _tag: "Invalid", id: null }, JSON.stringify(id))
  }
})

it("whatever JSON comes, something is made of it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const kinds = ["Batch", "Invalid", "Notification", "Reply", "Request"]
      assert.include(kinds, read(json)._tag)
    })
  )
})
