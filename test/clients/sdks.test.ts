import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { engineTools } from "../../src/tools/catalog.ts"
import { useCommand } from "../command/built.ts"
import { type Opened, overHttp, overStdio, useDoors } from "./doors.ts"
import { dataOf, life } from "./life.ts"
import { sdkV1 } from "./sdkV1.ts"
import { sdkV2 } from "./sdkV2.ts"
import type { Session } from "./Session.ts"
import { slowEngine } from "./slowEngine.ts"

const modern = "2026-07-28"

const pinned = sdkV2("pinned", modern, { versionNegotiation: { mode: { pin: modern } } })

const clients = [
  sdkV1,
  sdkV2("by itself", "2025-11-25", {}),
  sdkV2("that probes", modern, { versionNegotiation: { mode: "auto" } }),
  pinned,
  ...["2025-06-18", "2025-03-26", "2024-11-05"].map((version) =>
    sdkV2(`of ${version}`, version, { supportedProtocolVersions: [version] })
  )
]

const transports = [
  ["stdio", overStdio],
  ["HTTP", overHttp]
] as const

const combinations = clients.flatMap((client) =>
  transports.map(([transport, open]) => [client.name, transport, client, open] as const)
)

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("it went well"),
    (error: unknown) => error
  )

useCommand()
useDoors()

describe.each(combinations)("%s over %s", (_name, _transport, { connect, revision }, open) => {
  const isModern = revision === modern
  let opened: Opened
  let session: Session

  beforeAll(async () => {
    opened = await open(["--embedded"])
    session = await connect(opened.door)
  })
  afterAll(() => session.close())

  it("settles on its newest revision", () => {
    assert.deepInclude(session, { revision, server: "workflow-tool-server" })
  })

  it("takes the list of tools, resources, templates and prompts", async () => {
    assert.deepStrictEqual(
      await session.tools(),
      engineTools.map(({ name }) => name)
    )
    assert.deepStrictEqual(await session.resources(), ["engine://workflows"])
    assert.include(await session.templates(), "engine://workflows/{id}?instance={instance}")
    assert.lengthOf(await session.prompts(), 5)
  })

  it("takes the answers of all tools, whole as text and whole as data", async () => {
    await session.tools()
    const answers = await life(session.call)
    assert.sameMembers(
      [...answers.keys()],
      engineTools.map(({ name }) => name)
    )
    for (const [name, { content, structured }] of answers) {
      assert.lengthOf(content, 1, name)
      const data = revision < "2025-06-18" ? undefined : JSON.parse(content[0]?.text ?? "")
      assert.deepStrictEqual(structured, data, name)
    }
  })

  it("is told what a tool failed with, whole as text and whole as data", async () => {
    await session.tools()
    const refused = session.call("get_workflow", { id: "none", instance: "moon" })
    const message = "Instance moon not found. Available: embedded"
    if (isModern) {
      const { content, isError, structured } = await refused
      const details = { availableInstances: ["embedded"] }
      assert.isTrue(isError)
      assert.deepStrictEqual(structured, { error: { code: "INSTANCE_NOT_FOUND", message, details } })
      assert.deepStrictEqual(content[0], { type: "text", text: message })
      assert.deepStrictEqual(JSON.parse(content[1]?.text ?? ""), structured)
    } else {
      const error = await failureOf(refused)
      assert.include(String(error), message)
      const data = { code: "INSTANCE_NOT_FOUND", availableInstances: ["embedded"] }
      assert.deepInclude(error, { code: -32602, data })
    }
  })

  it("is told that a tool does not exist", async () => {
    const error = await failureOf(session.call("get_workflows"))
    assert.propertyVal(error, "code", -32602)
    assert.include(String(error), "Unknown tool: get_workflows. Did you mean get_workflow?")
  })

  it("reads resources, which say what the tools say", async () => {
    const list = await session.read("engine://workflows")
    assert.deepStrictEqual(list, dataOf(await session.call("list_workflows")))
    const [id] = await session.complete({ type: "ref/resource", uri: "engine://workflows/{id}" }, "id", "Kp")
    const workflow = await session.read(`engine://workflows/${id}?instance=embedded`)
    assert.deepStrictEqual(workflow, dataOf(await session.call("get_workflow", { id })))
  })

  it("makes a workflow from a prompt", async () => {
    const [, draft = ""] = await session.prompt("http-webhook-workflow", { path: "from-a-prompt" })
    const { id } = dataOf(await session.call("create_workflow", JSON.parse(draft)))
    const { active } = dataOf(await session.call("activate_workflow", { id }))
    assert.isTrue(active)
    await session.call("delete_workflow", { id })
  })

  it("completes the argument of a prompt", async () => {
    const values = await session.complete({ type: "ref/prompt", name: "http-webhook-workflow" }, "method", "P")
    assert.deepStrictEqual(values, ["POST", "PUT", "PATCH"])
  })

  it.skipIf(isModern)("pings", async () => {
    assert.deepStrictEqual(await session.ping(), {})
  })

  it("leaves, and the server ends by itself", async () => {
    await session.close()
    assert.strictEqual(await opened.exitCode(), 0)
  })
})

describe.each(combinations.filter(([name]) => !name.includes("of")))("%s over %s", (_name, transport, client, open) => {
  let engine: Awaited<ReturnType<typeof slowEngine>>
  let session: Session

  beforeAll(async () => {
    engine = await slowEngine()
    session = await client.connect((await open(["--config", engine.configuration])).door)
  })
  afterAll(() => session.close())

  it("is told how far a tool has come while it is still at work", async () => {
    const seen: Array<object> = []
    const onprogress = (step: object) => {
      seen.push(step)
      engine.answer()
    }
    const { executionId, status } = dataOf(await session.call("execute_workflow", { id: "1" }, { onprogress }))
    assert.deepInclude(seen[0], { progress: 1, total: 3 })
    assert.deepStrictEqual([executionId, status], [1, "success"])
  })

  it("stops a call: nobody waits for it any more, and the next one is answered", async () => {
    const stop = new AbortController()
    const call = session.call("get_workflow", { id: "never" }, { signal: stop.signal })
    await engine.asked
    stop.abort("no longer needed")
    assert.include(String(await failureOf(call)), "no longer needed")
    // To go away from a legacy answer over HTTP does not mean to cancel it.
    if (transport === "stdio" || client.revision === modern) await engine.abandoned
    assert.strictEqual(dataOf(await session.call("get_workflow", { id: "1" })).name, "Slow")
  })
})

describe("one server over HTTP", () => {
  it("serves clients of all generations at once, and mixes up nothing", async () => {
    const { door } = await overHttp(["--embedded"])
    const lives = clients.map(async ({ connect, name }) => {
      const session = await connect(door)
      const answers = await life(session.call, name)
      await session.close()
      for (const tool of ["get_tag", "get_workflow", "update_workflow", "update_tag", "list_workflows"]) {
        assert.include(answers.get(tool)?.content[0]?.text, name, tool)
      }
    })
    await Promise.all(lives)
  })
  it("refuses in the same words and with the same data in both eras, whatever the tool", async () => {
    const { door } = await overHttp(["--embedded"])
    const [legacy, stateless] = await Promise.all([sdkV1.connect(door), pinned.connect(door)])
    for (const { name } of engineTools) {
      const refused = await failureOf(legacy.call(name, { surprise: true }))
      const { content, structured } = await stateless.call(name, { surprise: true })
      const { error } = JSON.parse(content[1]?.text ?? "")
      assert.deepStrictEqual(structured, { error })
      assert.strictEqual(content[0]?.text, error.message)
      assert.propertyVal(refused, "message", `MCP error -32602: ${error.message}`)
      assert.deepPropertyVal(refused, "data", { code: error.code, ...error.details })
    }
    await Promise.all([legacy.close(), stateless.close()])
  })
})
