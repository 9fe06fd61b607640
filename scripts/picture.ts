/*
 * Draws docs/workflow.svg, the picture of the README, from a run on a real engine: ENGINE_HOST and ENGINE_API_KEY say
 * where. The workflow is made by the built command's own tools, run, drawn and deleted again.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { sceneOf } from "../src/engine/workflow/drawing/scene.ts"
import { svgOf } from "../src/engine/workflow/drawing/svg.ts"
import { agentType } from "../src/engine/workflow/naming.ts"
import { runsIn } from "../src/engine/workflow/runs.ts"
import { pictureOf } from "./pictureOf.ts"

type Json = Readonly<Record<string, unknown>>

const root = fileURLToPath(new URL("..", import.meta.url))

const server = spawn(process.execPath, [path.join(root, "dist/main.js"), "--http", "--port", "0", "--page", "off"], {
  env: { ...process.env, ENGINE_ALLOW_INSECURE_HTTP: "true" },
  stdio: ["ignore", "ignore", "pipe"]
})
let heard = ""
server.stderr.setEncoding("utf8").on("data", (text: string) => (heard += text))
while (!heard.includes("/mcp\n")) await once(server.stderr, "data")
const address = /Serving (\S+)/.exec(heard)?.[1] ?? ""

const call = async (name: string, args: Json): Promise<Json> => {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
  const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" }
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(message) })
  const { error, result }: { error?: { message: string }; result?: { structuredContent: Json } } = JSON.parse(
    await response.text()
  )
  if (result === undefined) throw new Error(`${name}: ${error?.message}`)
  return result.structuredContent
}

const node = (
  name: string,
  type: string,
  typeVersion: number,
  position: readonly [number, number],
  parameters: Json
) => ({
  name,
  type: type.includes(".") ? type : `engine-nodes-base.${type}`,
  typeVersion,
  position,
  parameters
})
const fields = (name: string, value: string): Json => ({
  assignments: { assignments: [{ id: "a", name, type: "string", value }] },
  includeOtherFields: true,
  options: {}
})

const nodes = [
  node("About this", "stickyNote", 1, [-40, -190], {
    content: "## Orders of the shop\nLarge ones are looked at by a person; all others go straight to the warehouse.",
    width: 400,
    height: 100,
    color: 5
  }),
  node("Order received", "webhook", 2, [0, 0], {
    path: `orders-${Date.now().toString(36)}`,
    httpMethod: "POST",
    responseMode: "onReceived",
    options: {}
  }),
  node("Large order?", "if", 2.2, [220, 0], {
    conditions: {
      options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
      combinator: "and",
      conditions: [
        {
          id: "a",
          leftValue: "={{ $json.body.total }}",
          rightValue: 1000,
          operator: { type: "number", operation: "gte" }
        }
      ]
    },
    options: {}
  }),
  node("Judge the risk", agentType("agent"), 1.7, [460, -130], {
    promptType: "define",
    text: "=How risky is this order? {{ JSON.stringify($json) }}",
    options: {}
  }),
  node("Model", agentType("lmChatOpenAi"), 1.2, [400, 60], {
    model: { __rl: true, mode: "list", value: "gpt-4o-mini" },
    options: {}
  }),
  node("Customers", agentType("toolHttpRequest"), 1.1, [550, 60], {
    url: "https://shop.example.com/customers",
    toolDescription: "Finds a customer"
  }),
  node("Ask for approval", "set", 3.4, [710, -130], fields("status", "needs approval")),
  node("Accept", "set", 3.4, [460, 200], fields("status", "accepted")),
  node("Tell the warehouse", "httpRequest", 4.2, [710, 200], {
    method: "POST",
    url: "http://127.0.0.1:9/orders",
    options: {}
  })
]
const connections = [
  ["Order received", "Large order?"],
  ["Large order?", "Judge the risk", 0],
  ["Large order?", "Accept", 1],
  ["Judge the risk", "Ask for approval"],
  ["Accept", "Tell the warehouse"]
].map(([source, target, sourceOutput = 0]) => ({ source, target, sourceOutput }))

const credential = await call("create_credential", {
  name: "Model of the picture",
  type: "openAiApi",
  data: { apiKey: "none" }
})
const credentials = { openAiApi: { id: credential["id"], name: credential["name"] } }
const all = nodes.map((one) => (one.name === "Model" ? { ...one, credentials } : one))
const id = (await call("create_workflow", { name: "Order intake", nodes: all, connections }))["id"]
try {
  const made = await call("get_workflow", { id })
  const part = (target: string, type: string) => ({ [type]: [[{ node: target, type, index: 0 }]] })
  await call("update_workflow", {
    id,
    connections: {
      ...Object(made["connections"]),
      Model: part("Judge the risk", "ai_languageModel"),
      Customers: part("Judge the risk", "ai_tool")
    }
  })
  await call("activate_workflow", { id })
  const run = await call("execute_workflow", { id, data: { total: 120 } })
  let execution: Json = {}
  for (let turn = 0; turn < 40 && execution["stoppedAt"] == null; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    execution = await call("get_execution", { id: run["executionId"], includeData: true })
  }
  const workflow = await call("get_workflow", { id })
  const picture = pictureOf(svgOf(sceneOf(workflow, runsIn(execution))))
  await writeFile(path.join(root, "docs/workflow.svg"), `${picture}\n`)
  console.error(`docs/workflow.svg: ${picture.length} bytes, run ${String(execution["status"])}`)
} finally {
  await call("delete_workflow", { id })
  await call("delete_credential", { id: credential["id"] })
  server.kill()
}
