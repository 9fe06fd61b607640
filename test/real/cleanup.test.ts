import { assert, describe, inject, it } from "vitest"

import { directory, useCommand } from "../cli/built.ts"
import { operatorCommand, removed, sender, watched } from "../engine/plans/process.ts"

/** How many executions are deleted on each engine; they take their time to be made. */
const count = Number(process.env["DELETED_EXECUTIONS"] ?? 150)

/** The instances' requests a second: what holds where nothing is configured, and a limit of somebody's own. */
const limits = [90, 40] as const

/** The most moments inside of any second. */
const busiest = (moments: ReadonlyArray<number>) => {
  let most = 0
  let first = 0
  for (const [index, at] of moments.entries()) {
    while ((moments[first] ?? at) <= at - 1000) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}

describe("a cleanup of executions on a real engine", () => {
  useCommand()

  for (const [index, engine] of inject("engines").entries()) {
    const limit = limits[index % limits.length] ?? 90

    it(`stays below ${limit} requests a second on ${engine.version}, says how far it is, and goes on`, async () => {
      const send = sender({ engine })
      const path = `cleanup-${crypto.randomUUID()}`
      const hook = {
        name: "Hook",
        type: "n8n-nodes-base.webhook",
        typeVersion: 2,
        position: [0, 0],
        parameters: { path, httpMethod: "POST", options: {} },
        webhookId: path
      }
      const stop = {
        name: "Stop",
        type: "n8n-nodes-base.stopAndError",
        typeVersion: 1,
        position: [220, 0],
        parameters: { errorMessage: "no" }
      }
      const made = await send("engine", "POST", "/workflows", {
        name: path,
        nodes: [hook, stop],
        connections: { Hook: { main: [[{ node: "Stop", type: "main", index: 0 }]] } },
        settings: { executionOrder: "v1" }
      })
      const id = String(made["id"])
      const moments: Array<number> = []
      const way = await watched(engine.host, () => moments.push(performance.now()))
      const listed = async () => {
        const { data } = await send("engine", "GET", `/executions?workflowId=${id}&limit=250`)
        return Array.isArray(data) ? data.length : Number.NaN
      }
      try {
        await send("engine", "POST", `/workflows/${id}/activate`, {})
        const trigger = () => fetch(`${engine.host}/webhook/${path}`, { method: "POST" })
        // Newer engines listen a moment after they have said so.
        while ((await trigger()).status === 404) await new Promise((resolve) => setTimeout(resolve, 50))
        let left = count - 1
        const some = async () => {
          while (left-- > 0) await (await trigger()).arrayBuffer()
        }
        await Promise.all(Array.from({ length: 10 }, some))

        const cwd = await directory({
          ".config.json": {
            environments: {
              engine: { engine_host: way.host, engine_api_key: engine.apiKey, requestsPerSecond: limit }
            },
            defaultEnv: "engine"
          }
        })
        const operator = operatorCommand(cwd)
        let plan = await operator.call("plan_bulk", {
          action: "delete_executions",
          status: "error",
          where: { name: path }
        })
        while (plan["steps"] !== count) {
          plan = await operator.call("plan_bulk", {
            action: "delete_executions",
            status: "error",
            where: { name: path }
          })
        }
        assert.include(JSON.stringify(plan["warnings"]), `${count} executions are deleted for good`)
        const begun = performance.now()
        const answers = []
        let state: unknown
        do {
          const answer = await operator.call("apply_plan", { plan_id: plan["plan_id"], confirm: true, max_seconds: 1 })
          state = answer["state"]
          answers.push(answer)
          if (state === "in progress") assert.match(String(answer["next"]), /steps are left: call apply_plan/)
        } while (state === "in progress")
        const seconds = (performance.now() - begun) / 1000
        await operator.leave()
        assert.isAbove(answers.length, 1)
        const done = answers.map((answer) => Number(answer["done"]))
        assert.deepStrictEqual(
          done,
          [...done].toSorted((a, b) => a - b)
        )
        assert.deepInclude(answers.at(-1), { state: "applied", done: count })
        assert.strictEqual(await listed(), 0)
        const most = busiest(moments)
        assert.isAtMost(most, limit)
        console.log(
          `${engine.version}: ${count} executions deleted in ${seconds.toFixed(1)} s by ${answers.length} calls, ` +
            `at most ${most} of ${limit} requests in any second`
        )
      } finally {
        await way.close()
        await removed(send, "engine", id)
      }
    }, 600_000)
  }
})
