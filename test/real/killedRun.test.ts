import { readdir } from "node:fs/promises"
import { request as send } from "node:http"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"

import { directory, standIn, start, startHttp, useCommand } from "../cli/built.ts"
import { requestWords, runMoments } from "../support/runMoments.ts"

useCommand()

const node = (kind: string, name: string, parameters = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion,
  position: [0, 0],
  parameters
})

/** Looks again until it is so, for half a minute. */
const eventually = async <A>(look: () => Promise<A>, isThere: (found: A) => boolean) => {
  for (const end = Date.now() + 30_000; ;) {
    const found = await look()
    if (isThere(found)) return found
    if (Date.now() > end) assert.fail(`never came about: ${JSON.stringify(found)}`)
    await sleep(100)
  }
}

describe.each(inject("engines"))("kill -9 in the middle of a run on the real $version", ({ apiKey, host, version }) => {
  // Engines of generation 1 delete active workflows at once.
  const passed = runMoments.filter((when) => !version.startsWith("1.") || !when.endsWith("/deactivate"))
  const ask = async (method: string, at: string, body?: unknown) => {
    const headers = { connection: "close", "X-N8N-API-KEY": apiKey, "content-type": "application/json" }
    const reply = await fetch(`${host}/api/v1${at}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return Object(await reply.json())
  }
  const name = `Every second ${crypto.randomUUID().slice(0, 8)}`
  const moment: { at: (now: string) => void } = { at: () => {} }
  let id = ""
  let proxy = ""

  /** Copies of the workflow that are there, whoever made them. */
  const copies = async (): Promise<ReadonlyArray<unknown>> =>
    (await ask("GET", `/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${name}`)}`)).data
  const kept = async () => {
    const { shared: _, ...workflow } = await ask("GET", `/workflows/${id}`)
    return workflow
  }
  const executions = async (): Promise<ReadonlyArray<unknown>> =>
    (await ask("GET", `/executions?workflowId=${id}`)).data

  beforeAll(async () => {
    const { hostname, port } = new URL(host)
    proxy = await standIn((asked, answer) => {
      moment.at(`before ${requestWords(asked)}`)
      answer.on("finish", () => moment.at(`after ${requestWords(asked)}`))
      const onward = send(
        { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
        (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(answer)
        }
      )
      onward.on("error", () => answer.destroy())
      asked.pipe(onward)
    })
    // A schedule that would fire each second, if a copy of it were ever switched on.
    const made = await ask("POST", "/workflows", {
      name,
      nodes: [
        node("scheduleTrigger", "Every", { rule: { interval: [{ field: "seconds", secondsInterval: 1 }] } }, 1.2),
        node("wait", "Wait", { amount: 1, unit: "seconds" }, 1.1)
      ],
      connections: { Every: { main: [[{ node: "Wait", type: "main", index: 0 }]] } },
      settings: {}
    })
    id = made.id
  })
  afterAll(() => ask("DELETE", `/workflows/${id}`))

  it.each(["stdio", "http"])(
    "is broken off and tidied up in a moment, where the server is told to stop over %s",
    async (over) => {
      const slow = await ask("POST", "/workflows", {
        name,
        nodes: [node("manualTrigger", "Start"), node("wait", "Wait", { amount: 20, unit: "seconds" }, 1.1)],
        connections: { Start: { main: [[{ node: "Wait", type: "main", index: 0 }]] } },
        settings: {}
      })
      const environments = { local: { engine_host: proxy, engine_api_key: apiKey } }
      const cwd = await directory({ ".config.json": { environments } })
      const listed = new Promise<void>((resolve) => {
        moment.at = (now) => {
          if (now !== "after GET /api/v1/executions") return
          moment.at = () => {}
          resolve()
        }
      })
      const params = { name: "run_workflow", arguments: { id: slow.id, confirm: true, timeout: 30 } }
      const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
      const toolsets = ["--toolsets", "engine,operator"]
      const http = over === "http" ? await startHttp(toolsets, { cwd }) : undefined
      const server = http ?? start(toolsets, { cwd })
      const headers = { "content-type": "application/json" }
      const answer =
        http === undefined
          ? server.says("stdout", "\n")
          : fetch(`${http.url}/mcp`, { method: "POST", headers, body: message }).then((reply) => reply.text())
      if (http === undefined) server.child.stdin.write(`${message}\n`)
      await listed
      const since = Date.now()
      server.child.kill("SIGTERM")
      const { code } = await server.ended
      // The run itself would take 20 seconds.
      assert.isBelow(Date.now() - since, 10_000)
      assert.strictEqual(code, 0)
      assert.nestedPropertyVal(JSON.parse(await answer), "error.data.code", "SERVER_STOPPING")
      assert.deepStrictEqual(await copies(), [])
      assert.deepStrictEqual(await readdir(path.join(cwd, ".workflow-runs")), [])
      await ask("DELETE", `/workflows/${slow.id}`)
    }
  )

  it("leaves nothing that the next process does not delete when it starts, wherever it struck, and fires nothing", async () => {
    const was = await kept()
    const environments = { local: { engine_host: proxy, engine_api_key: apiKey } }
    const cwd = await directory({ ".config.json": { environments } })
    const noted = async () =>
      (await readdir(path.join(cwd, ".workflow-runs")).catch((): Array<string> => [])).filter((name) =>
        name.endsWith(".json")
      )
    const command = () => start(["--toolsets", "engine,operator"], { cwd })
    const left: Array<string> = []
    for (const when of passed) {
      const doomed = command()
      moment.at = (now) => {
        if (now !== when) return
        moment.at = () => {}
        doomed.child.kill("SIGKILL")
      }
      const params = { name: "run_workflow", arguments: { id, confirm: true } }
      doomed.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`)
      const { code, stdout } = await doomed.ended
      assert.isNull(code, `${when}: ${stdout}`)
      assert.lengthOf(await noted(), 1, when)
      if ((await copies()).length > 0) left.push(when)

      const next = command()
      await eventually(noted, (files) => files.length === 0)
      assert.deepStrictEqual(await copies(), [], when)
      assert.deepStrictEqual(await kept(), was, when)
      assert.deepStrictEqual(await executions(), [], when)
      next.child.stdin.end()
      await next.ended
    }
    assert.isAtLeast(left.length, 4, left.join(", "))
  }, 120_000)
})
