import { assert, describe, it } from "vitest"

import { engineTools } from "../../src/engine/tools/catalog.ts"
import { useCommand } from "../cli/built.ts"
import { clients, pinned } from "./clients.ts"
import { sdkV1 } from "./sdkV1.ts"
import { overHttp } from "./servers.ts"
import { callEveryTool, failureOf } from "./Session.ts"

useCommand()

describe("one server over HTTP", () => {
  it("serves clients of all generations at once without mixing up their answers", async () => {
    const { endpoint } = await overHttp(["--embedded"])
    const lives = clients.map(async ({ connect, name }) => {
      const session = await connect(endpoint)
      const answers = await callEveryTool(session.call, name)
      await session.close()
      for (const tool of ["get_tag", "get_workflow", "update_workflow", "update_tag", "list_workflows"]) {
        assert.include(answers.get(tool)?.content[0]?.text, name, tool)
      }
    })
    await Promise.all(lives)
  })

  it("refuses unknown arguments of every tool with the same text and data in both eras", async () => {
    const { endpoint } = await overHttp(["--embedded"])
    const [legacy, stateless] = await Promise.all([sdkV1.connect(endpoint), pinned.connect(endpoint)])
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
