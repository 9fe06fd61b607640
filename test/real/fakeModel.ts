import { once } from "node:events"
import { createServer } from "node:http"

import { Effect } from "effect"

import { chain, created, language, unique, webhook } from "../contract/fixtures.ts"
import { ask, type Json } from "../support/harness.ts"

/** The tokens of each call, as the service counts them. */
export const usage = {
  prompt_tokens: 20,
  completion_tokens: 5,
  total_tokens: 25,
  prompt_tokens_details: { cached_tokens: 8 }
}

/** A service that talks as OpenAI's does: it asks for the first tool it is offered, and then it answers. */
export const fakeModel = Effect.acquireRelease(
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
          return reply.end(JSON.stringify({ ...head, choices, usage }))
        }
        const chunks = [{ choices: [{ ...choice, delta: said }] }, { choices: [], usage }]
        const lines = chunks.map(
          (one) => `data: ${JSON.stringify({ ...head, object: `${head.object}.chunk`, ...one })}\n\n`
        )
        reply.setHeader("content-type", "text/event-stream")
        return reply.end([...lines, "data: [DONE]\n\n"].join(""))
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

/** The node of a model that talks with such a service, for as long as the scope lasts. */
export const modelNode = Effect.fnUntraced(function* ({ url }: Effect.Success<typeof fakeModel>) {
  const data = { apiKey: "none", url, header: false }
  const { id, name } = yield* ask("create_credential", { name: unique("model"), type: "openAiApi", data })
  yield* Effect.addFinalizer(() => Effect.ignore(ask("delete_credential", { id })))
  const parameters = { model: { __rl: true, mode: "list", value: "gpt-4o-mini" }, options: {} }
  return language("lmChatOpenAi", "Model", parameters, { typeVersion: 1.2, credentials: { openAiApi: { id, name } } })
})

/** An active workflow whose agent asks such a service, and has a calculator. */
export const agentWorkflow = Effect.fnUntraced(function* (
  model: Effect.Success<typeof fakeModel>,
  agent: { readonly parameters: Json; readonly typeVersion: number },
  hook: Json = {}
) {
  return yield* created({
    nodes: [
      webhook(hook),
      language("agent", "Agent", agent.parameters, { typeVersion: agent.typeVersion }),
      yield* modelNode(model),
      language("toolCalculator", "Sums", {}, {})
    ],
    connections: [
      ...chain("Webhook", "Agent"),
      { source: "Model", target: "Agent", sourceOutput: "ai_languageModel" },
      { source: "Sums", target: "Agent", sourceOutput: "ai_tool" }
    ],
    active: true
  })
})
