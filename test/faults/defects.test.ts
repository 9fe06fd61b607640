import { fileURLToPath, pathToFileURL } from "node:url"

import { assert, beforeAll, describe, it } from "vitest"

import { replies } from "../support/loopback.ts"
import { type FaultyEngine, faultyEngine, held, json, useEngines } from "./FaultyEngine.ts"
import { configurationOf, create, errorOf, read, type Server, textOf, transports, useCommand } from "./servers.ts"

useCommand()
useEngines()

const NODE_OPTIONS = `--import=${pathToFileURL(fileURLToPath(new URL("inject.mjs", import.meta.url))).href}`
const id = { id: "1" }
const execution = { id: 1 }
const credential = { name: "x", type: "httpHeaderAuth", data: { name: "X", value: "v" } }

/** Arguments with which every tool asks the engine something. */
const calls: ReadonlyArray<readonly [string, object]> = [
  ["list_workflows", {}],
  read,
  create,
  ["update_workflow", { ...id, name: "y" }],
  ["delete_workflow", id],
  ["activate_workflow", id],
  ["deactivate_workflow", id],
  ["execute_workflow", id],
  ["list_executions", {}],
  ["get_execution", execution],
  ["delete_execution", execution],
  ["retry_execution", execution],
  ["list_credentials", {}],
  ["get_credential", id],
  ["create_credential", credential],
  ["update_credential", { ...id, name: "y" }],
  ["delete_credential", id],
  ["get_credential_schema", { type: "httpHeaderAuth" }],
  ["create_tag", { name: "x" }],
  ["get_tags", {}],
  ["get_tag", id],
  ["update_tag", { ...id, name: "y" }],
  ["delete_tag", id]
]

describe.each(transports)("over %s", (_transport, open) => {
  let engine: FaultyEngine
  let server: Server

  beforeAll(async () => {
    engine = await faultyEngine()
    server = await open(configurationOf({ main: engine.host }), { env: { NODE_OPTIONS } })
    await server.call(...read)
  })

  it("has a call for every tool", async () => {
    const { result } = await server.ask("tools/list")
    const tools: unknown = result?.["tools"]
    const names = Array.isArray(tools) ? tools.map(({ name }) => name) : []
    assert.sameMembers(
      names,
      calls.map(([name]) => name)
    )
  })

  it.each(calls)("outlives a defect in %s and says nothing of its inside", async (name, args) => {
    engine.does(replies(200, '{"defect":true}', { "content-type": "application/json" }))
    const answer = await server.call(name, { ...args })
    const error = errorOf(answer)
    assert.strictEqual(error.code, -32603)
    assert.notInclude(JSON.stringify(answer), "secret")
    engine.heals()
    assert.include(textOf(await server.call(...read)), "Workflow 1")
    assert.deepStrictEqual(server.strays, [])
  })

  it("counts its time right when the clock of the machine is set back and forward", async () => {
    for (const told of ["clock -3600000", "clock 7200000"]) {
      const hold = held()
      engine.plays(hold.act)
      const answer = server.call(...read)
      await hold.arrived
      server.child.kill("SIGUSR2")
      await server.says("stderr", told)
      // Enough of them that the pace of a second counts.
      const burst = Array.from({ length: 150 }, () => server.call(...read))
      const before = performance.now()
      engine.heals()
      hold.answer()
      assert.include(textOf(await answer), "Workflow 1")
      for (const one of await Promise.all(burst)) assert.include(textOf(one), "Workflow 1")
      assert.isBelow(performance.now() - before, 10_000)
      engine.plays(json({ message: "slow down" }, 503))
      assert.include(textOf(await server.call(...read)), "Workflow 1")
    }
  })
})
