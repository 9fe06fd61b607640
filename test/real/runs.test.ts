import { once } from "node:events"
import { createServer } from "node:http"

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"

import { answer, chain, created, manual, node, unique } from "../contract/fixtures.ts"
import { overReal, TestedEngine } from "../contract/TestedEngine.ts"
import { ask, type Json } from "../support/harness.ts"

const rowOf = (run: Json, name: string): unknown =>
  (Array.isArray(run.nodes) ? run.nodes : []).find((row: unknown) => Object(row).node === name)

const language = (kind: string, name: string, parameters: Json, more: Json) => ({
  ...node(kind, name, parameters, more),
  type: `@n8n/n8n-nodes-langchain.${kind}`
})

/** A service that talks as OpenAI's does: it asks for the first tool it is offered, and then it answers. */
const fakeModel = Effect.acquireRelease(
  Effect.promise(async () => {
    let calls = 0
    const server = createServer((asked, reply) => {
      let text = ""
      asked.setEncoding("utf8").on("data", (part: string) => (text += part))
      asked.on("end", () => {
        calls++
        const { messages = [], stream = false, tools = [] } = Object(JSON.parse(text || "{}"))
        const wants = tools.length > 0 && !messages.some((one: unknown) => Object(one).role === "tool")
        const use = { name: Object(tools[0]).function?.name, arguments: JSON.stringify({ input: "2+3" }) }
        const call = { index: 0, id: "c1", type: "function", function: use }
        const said = { role: "assistant", ...(wants ? { tool_calls: [call] } : { content: "It is five." }) }
        const head = { id: "x", created: 1, model: "m", object: "chat.completion" }
        const choice = { index: 0, finish_reason: wants ? "tool_calls" : "stop" }
        if (stream !== true) {
          const choices = [{ ...choice, message: { content: null, ...said } }]
          reply.setHeader("content-type", "application/json")
          return reply.end(JSON.stringify({ ...head, choices, usage: { total_tokens: 2 } }))
        }
        const chunk = JSON.stringify({ ...head, object: `${head.object}.chunk`, choices: [{ ...choice, delta: said }] })
        reply.setHeader("content-type", "text/event-stream")
        return reply.end(`data: ${chunk}\n\ndata: [DONE]\n\n`)
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { url: `http://127.0.0.1:${port}/v1`, calls: () => calls, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true, timeout: "60 seconds" })(
    `run_workflow on the real ${engine.version}`,
    (it) => {
      it.effect("runs what hands over files, and what goes on after an error", () =>
        Effect.gen(function* () {
          const read = "return [{ json: { type: $input.first().binary.data.mimeType } }]"
          const { id } = yield* created({
            nodes: [
              manual(),
              node("convertToFile", "File", { operation: "toText", sourceProperty: "text" }, { typeVersion: 1.1 }),
              node("code", "Read", { jsCode: read }, { typeVersion: 2 }),
              node("stopAndError", "Stop", { errorMessage: "no" }, { onError: "continueRegularOutput" }),
              answer("After", "done")
            ],
            connections: chain("Start", "File", "Read", "Stop", "After")
          })
          const run = yield* ask("run_workflow", { id, items: [{ text: "hello" }] })
          assert.deepInclude(run, { status: "success" })
          assert.deepInclude(rowOf(run, "Read"), { first: { type: "text/plain" } })
          assert.deepInclude(rowOf(run, "After"), { first: { said: "done" } })
        })
      )

      it.effect("runs an agent with its model and its tool, and asks neither where the agent is mocked", () =>
        Effect.gen(function* () {
          const { isV2 } = yield* TestedEngine
          // The engine 1.82.3 of these tests is installed without its AI nodes.
          if (!isV2) return
          const model = yield* fakeModel
          const data = { apiKey: "none", url: model.url, header: false }
          const key = yield* ask("create_credential", { name: unique("model"), type: "openAiApi", data })
          yield* Effect.addFinalizer(() => Effect.ignore(ask("delete_credential", { id: key.id })))
          const credentials = { openAiApi: { id: key.id, name: key.name } }
          const { id } = yield* created({
            nodes: [
              manual(),
              language("agent", "Agent", { promptType: "define", text: "={{ $json.q }}" }, { typeVersion: 1.9 }),
              language(
                "lmChatOpenAi",
                "Model",
                { model: { __rl: true, mode: "list", value: "gpt-4o-mini" }, options: {} },
                { typeVersion: 1.2, credentials }
              ),
              language("toolCalculator", "Sums", {}, {}),
              answer("Say", "={{ $json.output }}")
            ],
            connections: [
              ...chain("Start", "Agent", "Say"),
              { source: "Model", target: "Agent", sourceOutput: "ai_languageModel" },
              { source: "Sums", target: "Agent", sourceOutput: "ai_tool" }
            ]
          })
          const items = [{ q: "2+3?" }]
          const asked = yield* ask("run_workflow", { id, items })
          assert.deepInclude(asked, { ran: false })
          assert.strictEqual(model.calls(), 0)
          const run = yield* ask("run_workflow", { id, items, confirm: true })
          assert.deepInclude(run, { status: "success" }, JSON.stringify(run.failed))
          assert.deepInclude(rowOf(run, "Sums"), { first: { response: "5" } })
          assert.deepInclude(rowOf(run, "Say"), { first: { said: "It is five." } })
          assert.strictEqual(model.calls(), 2)
          const mocked = yield* ask("run_workflow", { id, items, mocks: { Agent: [{ output: "mocked" }] } })
          assert.deepInclude(rowOf(mocked, "Say"), { first: { said: "mocked" } })
          assert.strictEqual(model.calls(), 2)
        })
      )
    }
  )
}
