import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

import { start, useCommand } from "../cli/built.ts"
import { modernMeta } from "../support/fixtures/messages.ts"

useCommand()

type Json = Readonly<Record<string, unknown>>

/** The command, its input as bytes, and its output line by line. */
const open = () => {
  const { child, ended } = start(["--embedded"])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Json> => {
    const line = await lines.next()
    return line.done === true ? assert.fail("the output has ended") : JSON.parse(line.value)
  }
  return {
    next,
    write: (bytes: string | Uint8Array) => child.stdin.write(bytes),
    ask: (message: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      return next()
    },
    leave: () => {
      child.stdin.end()
      return ended
    }
  }
}

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
const call = (id: unknown, name: string, args: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args }
})
const initialize = (id: unknown, protocolVersion: string) => ({
  id,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "0" } }
})
const inModern = ({
  params,
  ...message
}: {
  readonly id: unknown
  readonly method: string
  readonly params?: object
}) => ({
  ...message,
  params: { ...params, _meta: modernMeta }
})

describe("a client that writes its own bytes", () => {
  it("is served in every revision, bare and modern, by one process", async () => {
    const { ask, leave, next, write } = open()

    const bare = await ask(call("bare", "get_tags"))
    assert.hasAllKeys(bare, ["jsonrpc", "id", "result"])
    assert.hasAllKeys(bare["result"], ["content"])

    for (const [index, version] of revisions.entries()) {
      assert.nestedPropertyVal(await ask(initialize(index, version)), "result.protocolVersion", version)
      write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`)
      const answer = await ask(call(version, "get_tags"))
      assert.propertyVal(answer, "id", version)
      assert.hasAllKeys(answer["result"], index < 2 ? ["content"] : ["content", "structuredContent"])
      assert.nestedPropertyVal(await ask(call("", "get_tag", { id: "none" })), "error.code", -32000)

      write(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n`)
      const batch = await next()
      if (version === "2025-03-26") assert.lengthOf(batch, 2)
      else assert.nestedPropertyVal(batch, "error.code", -32600)

      const meanwhile = await ask(inModern(call(`modern after ${version}`, "get_tag", { id: "none" })))
      assert.nestedPropertyVal(meanwhile, "result.isError", true)
      assert.nestedPropertyVal(meanwhile, "result.resultType", "complete")
    }

    const discovered = await ask(inModern({ id: -1, method: "server/discover" }))
    assert.deepNestedPropertyVal(discovered, "result.supportedVersions", ["2026-07-28", ...revisions.toReversed()])
    assert.nestedPropertyVal(await ask(initialize("again", "2026-07-28")), "result.protocolVersion", "2025-11-25")
    assert.deepInclude(await leave(), { code: 0, stderr: "" })
  })

  it("receives every answer wherever its lines are cut and however they end", async () => {
    const { ask, leave, next, write } = open()
    const tagged = `{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"create_tag","arguments":{"name":"日本 🏷"}}}\r\n`
    for (const byte of new TextEncoder().encode(tagged)) write(Uint8Array.of(byte))
    const created = await next()
    assert.propertyVal(created, "id", "é")
    assert.include(JSON.stringify(created), "日本 🏷")

    const ids = Array.from({ length: 40 }, (_, index) => `call ${index}`)
    write(ids.map((id) => `${JSON.stringify({ jsonrpc: "2.0", ...call(id, "get_tags") })}\n`).join(""))
    const answered: Array<unknown> = []
    for (const _ of ids) answered.push((await next())["id"])
    assert.sameMembers(answered, ids)

    write("\n\r\n")
    assert.nestedPropertyVal(await ask({ id: 1, method: "ping" }), "id", 1)
    assert.deepInclude(await leave(), { code: 0, stderr: "" })
  })

  it("receives all its answers when it closes its input at once", async () => {
    const { leave, next, write } = open()
    const ids = ["a", "b", "c"]
    for (const id of ids) write(`${JSON.stringify({ jsonrpc: "2.0", ...call(id, "list_workflows") })}\n`)
    const ended = leave()
    const answered: Array<unknown> = []
    for (const _ of ids) answered.push((await next())["id"])
    assert.sameMembers(answered, ids)
    assert.propertyVal(await ended, "code", 0)
  })
})
