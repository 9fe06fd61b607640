import { spawnSync } from "node:child_process"
import { readdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import path from "node:path"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { directory, start, useCommand } from "../../cli/built.ts"
import { eventually } from "../../contract/fixtures.ts"
import { requestWords, runMoments } from "../../support/runMoments.ts"

/** The effect on the command of a request that the engine gets, or has answered. */
const moment: { at: (now: string) => void } = { at: () => {} }

const server = () =>
  createServer().on("request", (request, response) => {
    moment.at(`before ${requestWords(request)}`)
    response.on("finish", () => moment.at(`after ${requestWords(request)}`))
  })

/** The engine on a port, which outlives the command. */
const served = Layer.unwrap(EmbeddedEngine.use(({ routes }) => Effect.succeed(routes))).pipe(
  (routes) => HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }),
  Layer.provideMerge(NodeHttpServer.layer(server, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(EmbeddedEngine.layer({ version: "2.41.1" }))
)

const Listed = Schema.Struct({
  data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, active: Schema.Boolean }))
})
const readListed = Schema.decodeUnknownSync(Listed)

/** Starts each process as the first one of a new container, so that all of them have the same number. */
const inNewContainer = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
const hasContainers = spawnSync("unshare", [...inNewContainer.slice(1), "true"]).status === 0

const test = {
  testFormat: 1,
  name: "Slow",
  workflow: { name: "Slow" },
  trigger: { node: "Start", items: [{}] },
  expect: { Wait: { ran: true } }
}
const kills = [
  { tool: "run_workflow", where: "on one machine", within: [], isOffered: true },
  { tool: "run_tests", where: "in restarted containers", within: inNewContainer, isOffered: hasContainers },
  { tool: "try_fix", where: "on a failed run", within: [], isOffered: true }
]

type Send = (method: string, at: string, body?: unknown) => Effect.Effect<unknown>

const readId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const readRuns = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))

/** A run that failed at a node's code, with a fix to try on it. */
const failedRun = Effect.fnUntraced(function* (host: string, send: Send) {
  const fails = { mode: "runOnceForEachItem", jsCode: "return { json: { mail: $json.body.mail.trim() } }" }
  const nodes = [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: "broken", httpMethod: "POST", responseMode: "lastNode", options: {} },
      webhookId: "broken"
    },
    { name: "Work", type: "n8n-nodes-base.code", typeVersion: 2, position: [220, 0], parameters: fails }
  ]
  const connections = { Hook: { main: [[{ node: "Work", type: "main", index: 0 }]] } }
  const { id } = readId(yield* send("POST", "/workflows", { name: "Broken", nodes, connections, settings: {} }))
  yield* send("POST", `/workflows/${id}/activate`)
  const called = Effect.promise(async () => (await fetch(`${host}/webhook/broken`, { method: "POST" })).status)
  yield* eventually(called, (status) => status !== 404)
  const runs = Effect.map(send("GET", `/executions?workflowId=${id}`), (listed) => readRuns(listed).data)
  const [run] = yield* eventually(runs, ({ length }) => length > 0)
  const value = 'return { json: { mail: "none" } }'
  return {
    execution: Number(run?.id),
    operations: [{ op: "set", node: "Work", path: "parameters.jsCode", value }],
    against: 0
  }
})

describe("kill -9 in the middle of a run", () => {
  useCommand()

  for (const { isOffered, tool, where, within } of kills)
    it.live.skipIf(!isOffered)(
      `of ${tool} ${where} leaves nothing that the next process does not delete when it starts, wherever it struck`,
      () =>
        Effect.gen(function* () {
          const { apiKey } = yield* EmbeddedEngine
          const host = yield* HttpServer.addressFormattedWith(Effect.succeed)
          const key = Redacted.value(apiKey)
          const send = (method: string, at: string, body?: unknown) =>
            Effect.promise(async (): Promise<unknown> => {
              const headers = { connection: "close", "X-N8N-API-KEY": key, "content-type": "application/json" }
              const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
              return (await fetch(`${host}/api/v1${at}`, init)).json()
            })
          const workflows = Effect.map(send("GET", "/workflows"), (listed) => readListed(listed).data)
          const node = (kind: string, name: string, parameters = {}) => ({
            name,
            type: `n8n-nodes-base.${kind}`,
            typeVersion: 1,
            position: [0, 0],
            parameters
          })
          const nodes = [node("manualTrigger", "Start"), node("wait", "Wait", { amount: 1, unit: "seconds" })]
          const connections = { Start: { main: [[{ node: "Wait", type: "main", index: 0 }]] } }
          yield* send("POST", "/workflows", { name: "Slow", nodes, connections, settings: {} })
          const broken = tool === "try_fix" ? yield* failedRun(host, send) : undefined
          const before = yield* workflows

          const environments = { local: { engine_host: host, engine_api_key: key } }
          const cwd = yield* Effect.promise(() => directory({ ".config.json": { environments } }))
          const noted = Effect.promise(async () =>
            (await readdir(path.join(cwd, ".workflow-runs")).catch(() => [])).filter((name) => name.endsWith(".json"))
          )
          const command = () => start(["--toolsets", "engine,operator"], { cwd, within })
          const params = {
            name: tool,
            arguments: broken ?? (tool === "run_tests" ? { test } : { id: before[0]?.id, confirm: true })
          }
          const left: Array<string> = []
          for (const when of runMoments) {
            const doomed = command()
            moment.at = (now) => {
              if (now !== when) return
              moment.at = () => {}
              doomed.child.kill("SIGKILL")
            }
            doomed.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`)
            const { code } = yield* Effect.promise(() => doomed.ended)
            assert.isNull(code, when)
            assert.lengthOf(yield* noted, 1, when)
            if ((yield* workflows).length > before.length) left.push(when)

            const next = command()
            yield* eventually(noted, (files) => files.length === 0)
            assert.deepStrictEqual(yield* workflows, before, when)
            next.child.stdin.end()
            yield* Effect.promise(() => next.ended)
          }
          // Who was killed while writing what it was about to do had done nothing yet.
          const note = (age: number) => path.join(cwd, ".workflow-runs", `${Date.now() - age}-x.json`)
          yield* Effect.promise(() => Promise.all([writeFile(note(3_600_000), ""), writeFile(note(0), "")]))
          const last = command()
          yield* eventually(noted, (files) => files.length === 1)
          last.child.stdin.end()
          yield* Effect.promise(() => last.ended)
          // Some of these moments really have left something.
          assert.isAtLeast(left.length, 4, left.join(", "))
        }).pipe(Effect.provide(served)),
      120_000
    )
})
