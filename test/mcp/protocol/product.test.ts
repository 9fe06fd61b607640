import { readFileSync } from "node:fs"

import { assert, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"

import { protocolVersions } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { everyTool, idIn, toolNames } from "../../support/everyTool.ts"
import { initialize, modernMeta } from "../../support/fixtures/messages.ts"
import { connect } from "../../support/fixtures/StdioClient.ts"
import { TestServer } from "../../support/harness.ts"

const Listed = Schema.Struct({
  result: Schema.Struct({
    tools: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      })
    )
  })
})
const readListed = Schema.decodeUnknownSync(Listed)

const calls = everyTool("judged")

layer(TestServer, { excludeTestServices: true })("the product", (it) => {
  it.effect("shows the icon of its page where a client is introduced to it, in the revisions that have icons", () =>
    Effect.gen(function* () {
      const svg = readFileSync(new URL("../../../src/page/page.svg", import.meta.url), "utf8").trim()
      const icons = [
        {
          src: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
          mimeType: "image/svg+xml",
          sizes: ["any"]
        }
      ]
      for (const [date, isShown] of [
        ["2025-06-18", false],
        ["2025-11-25", true]
      ] as const) {
        const client = yield* connect
        yield* client.send(initialize(date))
        const { serverInfo } = Object(yield* client.receive).result
        assert.deepEqual(serverInfo.icons, isShown ? icons : undefined)
      }
      const client = yield* connect
      const { _meta } = Object(yield* client.request("server/discover", { _meta: modernMeta })).result
      assert.deepEqual(_meta["io.modelcontextprotocol/serverInfo"].icons, icons)
      const listed = JSON.stringify(yield* client.request("tools/list", { _meta: modernMeta }))
      assert.notInclude(listed, "data:image")
    })
  )

  for (const { date, era, structure } of protocolVersions) {
    const meta = era === "modern" ? { _meta: modernMeta } : {}

    it.effect(`${date}: answers of all tools are what the official schema and their own schemas say`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        if (era === "legacy") yield* Effect.andThen(client.send(initialize(date)), client.receive)
        const { tools } = readListed(yield* client.request("tools/list", meta)).result
        assert.sameMembers(
          tools.map(({ name }) => name),
          toolNames
        )
        assert.sameMembers(
          calls.map(([name]) => name),
          toolNames
        )
        const ids: Record<string, unknown> = {}
        for (const [name, args] of calls) {
          const reply = Object(yield* client.request("tools/call", { name, arguments: args(ids), ...meta }))
          assert.notProperty(reply, "error", name)
          const value: unknown = JSON.parse(reply.result.content[0].text)
          ids[name] = idIn(Object(value))
          const { outputSchema } = tools.find((tool) => tool.name === name) ?? {}
          assert.strictEqual("structuredContent" in reply.result, structure, name)
          if (!structure) continue
          assert.deepEqual(reply.result.structuredContent, value, name)
          if (outputSchema === undefined) continue
          const validate = new Ajv2020({ strict: false }).compile(outputSchema)
          assert.isTrue(validate(value), `${name}: ${JSON.stringify(validate.errors)}`)
        }
      })
    )

    it.effect(`${date}: failures, resources, prompts and completions are what the official schema says`, () =>
      Effect.gen(function* () {
        const client = yield* connect
        if (era === "legacy") yield* Effect.andThen(client.send(initialize(date)), client.receive)
        for (const [name] of calls) {
          for (const args of [{ instance: "moon" }, { nonsense: 1 }, { id: "../../x" }, { id: "9999", limit: 0 }]) {
            const reply = yield* client.request("tools/call", { name, arguments: args, ...meta })
            assert.containsAllKeys(reply, ["jsonrpc", "id"])
          }
        }
        const list = Effect.fnUntraced(function* (method: string, field: string) {
          return Object(yield* client.request(method, meta)).result[field]
        })
        for (const { uri } of yield* list("resources/list", "resources")) {
          assert.nestedProperty(yield* client.request("resources/read", { uri, ...meta }), "result.contents[0].text")
        }
        for (const { uriTemplate } of yield* list("resources/templates/list", "resourceTemplates")) {
          const ref = { type: "ref/resource", uri: uriTemplate }
          const argument = { name: "id", value: "" }
          yield* client.request("completion/complete", { ref, argument, ...meta })
        }
        for (const { arguments: args, name } of yield* list("prompts/list", "prompts")) {
          const required = args.filter(({ required }: { readonly required: boolean }) => required)
          const values = required.map(({ name }: { readonly name: string }) => [name, "https://example.test/1"])
          yield* client.request("prompts/get", { name, arguments: Object.fromEntries(values), ...meta })
          for (const argument of args) {
            const ref = { type: "ref/prompt", name }
            yield* client.request("completion/complete", { ref, argument: { name: argument.name, value: "" }, ...meta })
          }
        }
      })
    )
  }
})
