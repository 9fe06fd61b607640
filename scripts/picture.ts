/*
 * Draws docs/workflow.svg, the picture of the README, from a run of docs/workflow.json on a real engine: ENGINE_HOST and
 * ENGINE_API_KEY say where. The workflow is made by the built command's own tools, run, drawn and deleted again.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import shop from "../docs/workflow.json" with { type: "json" }
import { sceneOf } from "../src/engine/workflow/drawing/scene.ts"
import { svgOf } from "../src/engine/workflow/drawing/svg.ts"
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

const data = { apiKey: "none" }
const credential = await call("create_credential", { name: "Model of the picture", type: "openAiApi", data })
const credentials = { openAiApi: { id: credential["id"], name: credential["name"] } }
const nodes = shop.nodes.map((node) => (node.name === "Model" ? { ...node, credentials } : node))
const { id } = await call("create_workflow", { ...shop, nodes })
try {
  await call("activate_workflow", { id })
  const run = await call("execute_workflow", { id, data: { total: 120 } })
  let execution: Json = {}
  for (let turn = 0; turn < 40 && execution["stoppedAt"] == null; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    execution = await call("get_execution", { id: run["executionId"], includeData: true })
  }
  const picture = pictureOf(svgOf(sceneOf(await call("get_workflow", { id }), runsIn(execution))))
  await writeFile(path.join(root, "docs/workflow.svg"), `${picture}\n`)
  console.error(`docs/workflow.svg: ${picture.length} bytes, run ${String(execution["status"])}`)
} finally {
  await call("delete_workflow", { id })
  await call("delete_credential", { id: credential["id"] })
  server.kill()
}
