import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { useCommand } from "../cli/built.ts"
import { combinations, modern } from "./clients.ts"
import { useServers } from "./servers.ts"
import { dataOf, failureOf, type Session } from "./Session.ts"
import { slowEngine } from "./slowEngine.ts"

useCommand()
useServers()

/** Older revisions are served no other way than the last legacy one. */
const newest = combinations.filter(([, , { revision }]) => revision >= "2025-11-25")

describe.each(newest)("%s over %s", (_name, transport, client, open) => {
  let engine: Awaited<ReturnType<typeof slowEngine>>
  let session: Session

  beforeAll(async () => {
    engine = await slowEngine()
    session = await client.connect((await open(["--config", engine.configuration])).endpoint)
  })
  afterAll(() => session.close())

  it("receives progress while a tool is still at work", async () => {
    const seen: Array<object> = []
    const onprogress = (step: object) => {
      seen.push(step)
      engine.answer()
    }
    const { executionId, status } = dataOf(await session.call("execute_workflow", { id: "1" }, { onprogress }))
    assert.deepInclude(seen[0], { progress: 1, total: 3 })
    assert.deepStrictEqual([executionId, status], [1, "success"])
  })

  it("cancels a call, after which the next one is answered", async () => {
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
