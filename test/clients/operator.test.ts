import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { useCommand } from "../cli/built.ts"
import { hooked } from "../support/everyTool.ts"
import { combinations } from "./clients.ts"
import { type StartedServer, useServers } from "./servers.ts"
import { type Arguments, dataOf, type Session } from "./Session.ts"

useCommand()
useServers()

describe.each(combinations)("an operator at %s over %s", (name, transport, { connect, revision }, open) => {
  let opened: StartedServer
  let session: Session

  beforeAll(async () => {
    opened = await open(["--embedded", "--toolsets", "engine,operator"])
    session = await connect(opened.endpoint)
    await session.tools()
  })
  afterAll(async () => {
    await session.close()
    await opened.exitCode()
  })

  /** The answer as data, once the client has taken it, whole as text and whole as data. */
  const ask = async (tool: string, args: Arguments = {}) => {
    const answer = await session.call(tool, args)
    assert.isFalse(answer.isError, `${tool}: ${JSON.stringify(answer.content)}`)
    const data = dataOf(answer)
    assert.deepStrictEqual(answer.structured, revision < "2025-06-18" ? undefined : data, tool)
    return data
  }

  it("finds, sees, changes, compares, explains and plans", async () => {
    const path = `operator-${name}-${transport}`.replaceAll(/[^a-z\d]+/gi, "-").toLowerCase()
    const { id } = await ask("create_workflow", { name: path, ...hooked(path), active: true })
    assert.nestedPropertyVal(await ask("search_workflows", { path }), "data[0].id", id)
    assert.match(String((await ask("view_workflow", { id })).sketch), /^Hook \[webhook\] POST \/operator-.* → Stop$/m)

    const operations = [{ op: "rename", node: "Stop", name: "Give up" }]
    assert.match(JSON.stringify(await ask("edit_workflow", { id, operations })), /renamed Stop → Give up/)
    const { data } = await ask("search_workflows", { text: "Order intake" })
    const [other] = Array.isArray(data) ? data : []
    assert.isNotEmpty((await ask("compare_workflows", { a: id, b: other.id })).differences)

    await ask("execute_workflow", { id, data: { hello: "world" } })
    assert.nestedPropertyVal(await ask("explain_execution", { workflowId: id }), "failed.node", "Give up")
    assert.nestedPropertyVal(await ask("instance_health", { hours: 1 }), "data[0].instance", "embedded")
    assert.isNotEmpty((await ask("describe_node", { type: "webhook" })).parameters)
    assert.isNotEmpty((await ask("find_nodes", { query: "webhook" })).nodes)

    const plan = await ask("plan_bulk", { action: "deactivate", where: { ids: [id] } })
    await ask("apply_plan", { plan_id: plan.plan_id, confirm: true })
    assert.propertyVal(await ask("view_workflow", { id }), "active", false)
  })
})
