import { createHash } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { HttpClient } from "effect/http"

import { selectionOf, toolsetsOf } from "../../../src/cli/configuration/profiles.ts"
import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"
import { skills } from "../../../src/engine/operator/skills.ts"
import { EngineToolset } from "../../../src/engine/toolset/toolset.ts"
import { CurrentAccess } from "../../../src/mcp/callContext.ts"
import { find, modern } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { select } from "../../../src/mcp/selection.ts"
import { engineThat, host, json, key } from "../../engine/tools/standIn.ts"
import { environment, refused, request, serverOverEmbedded } from "../../support/harness.ts"
import { planServer, type PlanSettings } from "../../support/planServer.ts"

const daily = selectionOf(["daily"])

const Listed = Schema.Struct({
  tools: Schema.Array(
    Schema.StructWithRest(
      Schema.Struct({
        name: Schema.String,
        description: Schema.String,
        inputSchema: Schema.Struct({
          properties: Schema.Record(
            Schema.String,
            Schema.Struct({
              type: Schema.String,
              description: Schema.optionalKey(Schema.String),
              "x-mcp-header": Schema.optionalKey(Schema.String)
            })
          )
        })
      }),
      [Schema.Record(Schema.String, Schema.Unknown)]
    )
  )
})
const decode = Schema.decodeUnknownSync(Listed)
const latestLegacy = find("2025-11-25") ?? assert.fail("no such revision")
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": modern.date,
  "io.modelcontextprotocol/clientCapabilities": {}
}

const listing = (params: object = {}, version = latestLegacy) =>
  Effect.map(request("tools/list", params, version), ({ result }) => decode(result).tools)
const everyTool = Effect.map(listing({ _meta: { "workflow-tool-server/tools": "all" } }), (tools) =>
  tools.map(({ name }) => name)
)

/** Bytes of the list as it is sent. */
const bytesOf = (params: object = {}, version = latestLegacy) =>
  Effect.map(
    request("tools/list", params, version),
    ({ result }) => new TextEncoder().encode(JSON.stringify(result?.["tools"])).length
  )

/** The server with all that it has for engines, over instances of these names. */
const serving = (
  words: ReadonlyArray<string>,
  instances: Readonly<Record<string, Partial<Environment>>> = { production: {}, staging: {} },
  client = engineThat(() => json({})).client,
  settings: PlanSettings = {}
) =>
  planServer(
    Object.fromEntries(Object.entries(instances).map(([name, more]) => [name, environment(host, key, more)])),
    Layer.succeed(HttpClient.HttpClient, client),
    settings,
    undefined,
    selectionOf(words)
  )

describe("the profile daily", () => {
  it.effect("lists its 18 tools in its own order, within 13,000 bytes, in every revision", () =>
    Effect.gen(function* () {
      const tools = yield* listing()
      assert.lengthOf(tools, 18)
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        daily.names
      )
      for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map(find)) {
        assert.isAtMost(yield* bytesOf({}, version), 13_000)
      }
      assert.isAtMost(yield* bytesOf({ _meta: modernMeta }, modern), 13_000)
    }).pipe(Effect.provide(serving(["daily"])))
  )

  const guarded = { plans: { guards: { protected: { names: ["Billing*"] } } } }

  it.effect("stays within them where workflows are protected, and says how their changes are agreed to", () =>
    Effect.gen(function* () {
      assert.isAtMost(yield* bytesOf(), 13_000)
      const guardedTools = (yield* listing()).filter(({ inputSchema }) => "confirm_protected" in inputSchema.properties)
      assert.includeMembers(
        guardedTools.map(({ name }) => name),
        ["edit_workflow", "create_workflow", "restore_workflow", "activate_workflow", "apply_plan"]
      )
    }).pipe(Effect.provide(serving(["daily"], undefined, undefined, guarded)))
  )

  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`customer-instance-${index}`, {}]))

  it.effect("stays within them however many instances there are, and names them where an instance comes first", () =>
    Effect.gen(function* () {
      const tools = yield* listing()
      assert.isAtMost(yield* bytesOf(), 13_000)
      const first = tools.find(({ inputSchema }) => "instance" in inputSchema.properties)
      assert.match(
        first?.inputSchema.properties["instance"]?.description ?? "",
        /^customer-instance-0 \(default\), .* more$/
      )
    }).pipe(Effect.provide(serving(["daily"], many)))
  )

  it.effect(
    "leaves out output schemas, hints that clients assume, and what an earlier tool has said of an argument",
    () =>
      Effect.gen(function* () {
        const tools = new Map((yield* listing()).map((tool) => [tool.name, tool]))
        for (const [name, tool] of tools) assert.notProperty(tool, "outputSchema", name)
        assert.deepInclude(tools.get("view_workflow"), { annotations: { readOnlyHint: true, openWorldHint: false } })
        assert.deepInclude(tools.get("edit_workflow"), { annotations: { openWorldHint: false } })
        assert.notProperty(tools.get("edit_workflow"), "title")
        assert.deepStrictEqual(tools.get("view_workflow")?.inputSchema.properties["instance"], {
          type: "string",
          description: "production (default), staging"
        })
        assert.deepStrictEqual(tools.get("edit_workflow")?.inputSchema.properties["instance"], { type: "string" })
      }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("names no tool that it does not hold, neither in descriptions nor in the instructions", () =>
    Effect.gen(function* () {
      const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
      const { result } = yield* request("initialize", handshake, latestLegacy)
      const text = JSON.stringify([yield* listing(), result?.["instructions"]])
      const others = (yield* everyTool).filter((name) => !daily.names.includes(name))
      assert.isAbove(others.length, 20)
      assert.deepStrictEqual(
        others.filter((name) => new RegExp(`\\b${name}\\b`).test(text)),
        []
      )
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("leaves the header of an instance to longer lists, which name it where there is a choice", () =>
    Effect.gen(function* () {
      const header = '"x-mcp-header":"Instance"'
      assert.notInclude(JSON.stringify(yield* request("tools/list", { _meta: modernMeta }, modern)), header)
      const all = { _meta: { ...modernMeta, "workflow-tool-server/tools": "all" } }
      const { result } = yield* request("tools/list", all, modern)
      for (const { inputSchema, name } of decode(result).tools) {
        assert.strictEqual("instance" in inputSchema.properties, JSON.stringify(inputSchema).includes(header), name)
      }
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("hides only arguments that its tools take", () =>
    Effect.gen(function* () {
      const all = new Map(
        (yield* listing()).map(({ inputSchema, name }) => [name, Object.keys(inputSchema.properties)])
      )
      for (const [tool, names] of Object.entries(daily.hidden ?? {}))
        assert.includeMembers(all.get(tool) ?? [], [...names])
    }).pipe(Effect.provide(serving(["all"])))
  )

  it("brings along the toolset that its tools are in", () => {
    assert.deepStrictEqual(toolsetsOf(["daily", "list_*"]), ["operator"])
    assert.deepStrictEqual(toolsetsOf(["all", "-delete_tag"]), [])
  })
})

const Entries = Schema.Struct({
  skills: Schema.Array(
    Schema.Struct({
      uri: Schema.String,
      frontmatter: Schema.Struct({ name: Schema.String, description: Schema.String }),
      resources: Schema.Array(Schema.Struct({ uri: Schema.String, digest: Schema.String, size: Schema.Int }))
    })
  )
})
const skillsListed = Effect.map(
  request("skills/list", {}),
  ({ result }) => Schema.decodeUnknownSync(Entries)(result).skills
)

describe("skills", () => {
  it.effect("are served as resources, with entries that their files agree with", () =>
    Effect.gen(function* () {
      const entries = yield* skillsListed
      assert.lengthOf(entries, 6)
      const listedResources = Object(yield* request("resources/list", {}, latestLegacy)).result.resources
      for (const entry of entries) {
        const { frontmatter, resources, uri } = entry
        assert.match(frontmatter.name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
        assert.strictEqual(uri, `skill://${frontmatter.name}/SKILL.md`)
        const { mimeType, text } = Object(yield* request("resources/read", { uri })).result.contents[0]
        assert.strictEqual(mimeType, "text/markdown")
        const bytes = new TextEncoder().encode(text)
        const digest = createHash("sha256").update(bytes).digest("hex")
        assert.deepStrictEqual(resources, [{ uri, digest: `sha256:${digest}`, size: bytes.length }])
        const [, name, description = ""] = /^---\nname: (.+)\ndescription: (.+)\n---\n\n# /.exec(text) ?? []
        assert.deepStrictEqual({ name, description: JSON.parse(description) }, frontmatter)
        assert.isAtMost(frontmatter.description.length, 1024)
        assert.deepStrictEqual((yield* request("skills/get", { uri })).result, { skill: entry })
        assert.deepInclude(listedResources, { uri, ...frontmatter, title: frontmatter.name, mimeType })
      }
      const modernList = Object(yield* request("skills/list", { _meta: modernMeta }, modern)).result
      assert.deepStrictEqual(modernList.skills, entries)
      assert.deepInclude(modernList, { resultType: "complete", ttlMs: 300_000, cacheScope: "private" })
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("are declared where the protocol has extensions", () =>
    Effect.gen(function* () {
      const extensions = { "io.modelcontextprotocol/skills": {} }
      const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
      for (const answer of [
        yield* request("initialize", handshake, latestLegacy),
        yield* request("server/discover", { _meta: modernMeta }, modern)
      ]) {
        assert.deepNestedPropertyVal(answer, "result.capabilities.extensions", extensions)
      }
      const early = yield* request("initialize", { ...handshake, protocolVersion: "2025-03-26" })
      assert.notNestedProperty(early, "result.capabilities.extensions")
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("name tools of the profile daily, the arguments that these take, and no other tool", () =>
    Effect.gen(function* () {
      const names = yield* everyTool
      const list = JSON.stringify(yield* listing({ _meta: { "workflow-tool-server/tools": "all" } }))
      for (const skill of skills) {
        const { further = [], name } = skill
        assert.includeMembers([...daily.names], [...skill.tools], name)
        for (const { text, tools } of [skill, ...further]) {
          const words = [...text.matchAll(/`([a-z]\w+)/gi)].map(([, word = ""]) => word)
          assert.sameMembers([...new Set(words.filter((word) => names.includes(word)))], [...tools], name)
          const unknown = words.filter((word) => word !== "not_changed" && !new RegExp(`\\b${word}\\b`).test(list))
          assert.deepStrictEqual(unknown, [], name)
        }
      }
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("are served only to callers who are offered every tool that they name", () =>
    Effect.gen(function* () {
      const uri = "skill://promote-workflows/SKILL.md"
      const withoutPlans = Effect.provideService(CurrentAccess, {
        subject: "somebody",
        mayChange: true,
        selection: selectionOf(["all", "-plan_*"])
      })
      const names = (yield* withoutPlans(skillsListed)).map(({ frontmatter }) => frontmatter.name)
      assert.sameMembers(names, ["fix-workflow-failures", "test-before-changing", "workflow-safety-rules"])
      assert.deepNestedPropertyVal(yield* withoutPlans(request("skills/get", { uri })), "error.code", -32602)
      assert.nestedProperty(yield* withoutPlans(request("resources/read", { uri })), "error.code")
      assert.notInclude(JSON.stringify(yield* withoutPlans(request("resources/list"))), uri)
      assert.property(yield* request("resources/read", { uri }), "result")
      // The profile daily has neither try_fix nor plan_retry: their paragraph is served to callers who are offered both.
      const fix = { uri: "skill://fix-workflow-failures/SKILL.md" }
      assert.notInclude(JSON.stringify(yield* request("resources/read", fix)), "try_fix")
      const withAll = Effect.provideService(CurrentAccess, {
        subject: "somebody",
        mayChange: true,
        selection: selectionOf(["all"])
      })
      assert.include(JSON.stringify(yield* withAll(request("resources/read", fix))), "`try_fix` takes the place")
      assert.notInclude(JSON.stringify(yield* withoutPlans(request("resources/read", fix))), "try_fix")
    }).pipe(Effect.provide(serving(["daily"])))
  )

  it.effect("are not spoken of where no toolset brings any", () =>
    Effect.gen(function* () {
      assert.deepNestedPropertyVal(yield* request("skills/list"), "error.code", -32601)
      const answer = yield* request("server/discover", { _meta: modernMeta }, modern)
      assert.notNestedProperty(answer, "result.capabilities.extensions")
    }).pipe(Effect.provide(serverOverEmbedded({}, [EngineToolset])))
  )
})

describe("a tool that is not selected", () => {
  it.effect("is refused with the flag that leaves it out, and nothing is sent", () => {
    const { client, requests } = engineThat(() => json({}))
    return Effect.gen(function* () {
      const { code, data, message } = yield* refused("delete_workflow", { id: "1" })
      assert.strictEqual(code, -32602)
      assert.deepStrictEqual(data, { code: "NOT_OFFERED", tool: "delete_workflow" })
      assert.match(message, /^delete_workflow is not offered here and was not called: .*--tools/)
      const call = { name: "delete_workflow", arguments: { id: "1" }, _meta: modernMeta }
      assert.deepInclude((yield* request("tools/call", call, modern)).result, { isError: true })
      assert.isEmpty(requests)
    }).pipe(Effect.provide(serving(["all", "-delete_*"], undefined, client)))
  })

  it.effect("can be called by a program that requests all tools", () =>
    Effect.gen(function* () {
      assert.isAbove((yield* everyTool).length, 40)
      const call = { name: "get_tag", arguments: { id: "1" }, _meta: { "workflow-tool-server/tools": "all" } }
      const answer = yield* request("tools/call", call)
      assert.notNestedPropertyVal(answer, "error.data.code", "NOT_OFFERED")
    }).pipe(Effect.provide(serving(["daily"])))
  )
})

describe("a selection", () => {
  const all = [
    { name: "list_tags", toolset: "engine" },
    { name: "delete_tag", toolset: "engine" },
    { name: "plan_bids", toolset: "market" }
  ]
  it.each([
    [["all"], ["list_tags", "delete_tag", "plan_bids"]],
    [["-delete_*"], ["list_tags", "plan_bids"]],
    [
      ["plan_bids", "list_tags"],
      ["plan_bids", "list_tags"]
    ],
    [
      ["*_tag*", "-list_tags", "market"],
      ["delete_tag", "plan_bids"]
    ],
    [
      ["engine", "list_tags"],
      ["list_tags", "delete_tag"]
    ],
    [["all", "-all"], []]
  ])("of %j holds %j", (words, names) => {
    assert.deepStrictEqual(
      select(all, selectionOf(words)).map(({ name }) => name),
      names
    )
  })

  it.effect("that names no tool is told at the start, with the nearest name", () => {
    const lines = new Array<string>()
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* listing()).map(({ name }) => name),
        ["view_workflow"]
      )
      assert.deepStrictEqual(lines, [
        'tools: "serch_workflows" is no tool that this server has. Did you mean search_workflows?',
        'tools: "bids" is no tool that this server has. Its toolset may not be offered: see --toolsets.'
      ])
    }).pipe(
      Effect.provide(Layer.provide(serving(["view_workflow", "serch_workflows", "-bids"]), Logger.layer([logger])))
    )
  })
})
