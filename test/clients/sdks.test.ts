import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { engineTools } from "../../src/engine/tools/catalog.ts"
import { useCommand } from "../cli/built.ts"
import { hooked } from "../support/everyTool.ts"
import { combinations, modern } from "./clients.ts"
import { type StartedServer, useServers } from "./servers.ts"
import { callEveryTool, dataOf, failureOf, type Session } from "./Session.ts"

useCommand()
useServers()

describe.each(combinations)("%s over %s", (_name, _transport, { connect, revision }, open) => {
  const isModern = revision === modern
  let opened: StartedServer
  let session: Session

  beforeAll(async () => {
    opened = await open(["--embedded"])
    session = await connect(opened.endpoint)
  })
  afterAll(() => session.close())

  it("negotiates its newest protocol version", () => {
    assert.deepInclude(session, { revision, server: "workflow-tool-server" })
  })

  it("reads the lists of tools, resources, templates and prompts", async () => {
    assert.deepStrictEqual(
      await session.tools(),
      engineTools.map(({ name }) => name)
    )
    assert.deepStrictEqual(await session.resources(), ["engine://workflows", "engine://instances"])
    assert.include(await session.templates(), "engine://workflows/{id}?instance={instance}")
    assert.lengthOf(await session.prompts(), 5)
  })

  it("receives the answers of all tools, whole as text and whole as data", async () => {
    await session.tools()
    const answers = await callEveryTool(session.call)
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

  it("receives the failure of a tool, whole as text and whole as data", async () => {
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

  it("receives an error for a tool that does not exist", async () => {
    const error = await failureOf(session.call("get_workflows"))
    assert.propertyVal(error, "code", -32602)
    assert.include(String(error), "Unknown tool: get_workflows. Did you mean get_workflow?")
  })

  it("reads resources with the same content as the tools answer", async () => {
    const list = await session.read("engine://workflows")
    assert.deepStrictEqual(list, dataOf(await session.call("list_workflows")))
    const [id] = await session.complete({ type: "ref/resource", uri: "engine://workflows/{id}" }, "id", "Kp")
    const workflow = await session.read(`engine://workflows/${id}?instance=embedded`)
    assert.deepStrictEqual(workflow, dataOf(await session.call("get_workflow", { id })))
  })

  it("creates a workflow from the text of a prompt", async () => {
    const [, draft = ""] = await session.prompt("http-webhook-workflow", { path: "from-a-prompt" })
    const { id } = dataOf(await session.call("create_workflow", JSON.parse(draft)))
    const { active } = dataOf(await session.call("activate_workflow", { id }))
    assert.isTrue(active)
    await session.call("delete_workflow", { id })
  })

  it.runIf(isModern)("subscribes to a workflow, and learns of a change of it", async () => {
    const { id } = dataOf(await session.call("create_workflow", { name: "Watched", ...hooked("watched") }))
    const uri = `engine://workflows/${String(id)}`
    const subscription = (await session.subscribe?.([uri, "engine://workflows/none"])) ?? assert.fail()
    assert.deepStrictEqual(subscription.honored, { toolsListChanged: true, resourceSubscriptions: [uri] })
    await session.call("update_workflow", { id, name: "Renamed" })
    assert.strictEqual(await subscription.updated, uri)
    await subscription.close()
    assert.strictEqual(await subscription.closed, "local")
    await session.call("delete_workflow", { id })
  })

  it("completes the argument of a prompt", async () => {
    const values = await session.complete({ type: "ref/prompt", name: "http-webhook-workflow" }, "method", "P")
    assert.deepStrictEqual(values, ["POST", "PUT", "PATCH"])
  })

  // The modern revision has no ping.
  it.each(isModern ? [] : ["ping"])("answers a %s", async () => {
    assert.deepStrictEqual(await session.ping(), {})
  })

  it("closes its connection, after which the server exits with 0", async () => {
    await session.close()
    assert.strictEqual(await opened.exitCode(), 0)
  })
})
