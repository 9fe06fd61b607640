import { execFile } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

import { assert, beforeAll, describe, it } from "vitest"

import { engineTools } from "../../src/engine/tools/catalog.ts"
import { commandFile, directory, listen, startHttp, useCommand } from "../cli/built.ts"

useCommand()

const inspector = fileURLToPath(
  new URL("./node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url)
)

interface Inspected {
  readonly code: number | string | null | undefined
  readonly result: unknown
  readonly stderr: string
}

let home = ""
beforeAll(async () => {
  home = await directory()
})

/** Runs the Inspector's command line once, at a home of its own. */
const inspect = (target: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  new Promise<Inspected>((resolve) => {
    const whole = [inspector, "--cli", ...target, ...args, "--format", "json"]
    const env = { PATH: process.env["PATH"], HOME: home }
    execFile(process.execPath, whole, { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      const result: unknown = stdout === "" ? undefined : JSON.parse(stdout).result
      resolve({ code: error === null ? 0 : error.code, result, stderr: stderr.trim() })
    })
  })

const call = (name: string, args: object) => {
  const json = JSON.stringify(args)
  return ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json]
}

const transports = ["stdio", "HTTP"]
const eras = ["legacy", "auto", "modern"]

describe.each(transports)("the Inspector over %s", (transport) => {
  let target: ReadonlyArray<string> = []
  beforeAll(async () => {
    target =
      transport === "stdio"
        ? [process.execPath, commandFile(), "--embedded"]
        : [`${(await startHttp(["--embedded"])).url}/mcp`, "--transport", "http"]
  })

  it.each(eras)("accepts the schemas of all tools in strict mode (%s)", async (era) => {
    const args = ["--method", "tools/list", "--strict", "--protocol-era", era]
    const { code, result, stderr } = await inspect(target, args)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.nestedPropertyVal(result, "tools.length", engineTools.length)
  })

  it.each(eras)("shows the answer and the failure of a tool (%s)", async (era) => {
    const [found, failed] = await Promise.all([
      inspect(target, [...call("list_workflows", { limit: 2, active: true }), "--protocol-era", era]),
      inspect(target, [...call("get_workflow", { id: "none" }), "--protocol-era", era])
    ])
    assert.strictEqual(found.code, 0)
    assert.nestedPropertyVal(found.result, "structuredContent.data.length", 2)

    // A JSON-RPC error is told by the text alone; the exit code 5 stands for an error that is a result.
    assert.strictEqual(failed.code, era === "legacy" ? 1 : 5)
    if (era === "legacy") assert.include(failed.stderr, "API error: Not Found")
    else
      assert.nestedPropertyVal(
        failed.result,
        "structuredContent.error.message",
        "API error: Not Found (workflow none on instance embedded)"
      )
  })

  it("reads resources", async () => {
    const [list, templates, read] = await Promise.all([
      inspect(target, ["--method", "resources/list"]),
      inspect(target, ["--method", "resources/templates/list"]),
      inspect(target, ["--method", "resources/read", "--uri", "engine://workflows"])
    ])
    assert.deepStrictEqual([list.code, templates.code, read.code], [0, 0, 0])
    assert.nestedPropertyVal(list.result, "resources[0].uri", "engine://workflows")
    assert.nestedPropertyVal(templates.result, "resourceTemplates[0].uriTemplate", "engine://workflows/{id}")
    assert.nestedPropertyVal(read.result, "contents[0].uri", "engine://workflows")
  })

  it("gets prompts", async () => {
    const prompt = ["--prompt-name", "http-webhook-workflow", "--prompt-args", "path=inspected"]
    const [list, got] = await Promise.all([
      inspect(target, ["--method", "prompts/list"]),
      inspect(target, ["--method", "prompts/get", ...prompt])
    ])
    assert.deepStrictEqual([list.code, got.code], [0, 0])
    assert.nestedPropertyVal(list.result, "prompts.length", 5)
    assert.nestedPropertyVal(got.result, "messages.length", 2)
  })
})

describe("the Inspector", () => {
  it("accepts the schemas of the marketplace tools in strict mode", async () => {
    const target = [process.execPath, commandFile(), "--embedded", "--toolsets", "engine,marketplace"]
    const { code, result, stderr } = await inspect(target, ["--method", "tools/list", "--strict"])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(JSON.stringify(result), '"name":"apply_plan"')
  })

  it("exits with 4 when nothing listens", async () => {
    const closed = createServer()
    const port = await listen(closed)
    closed.close()
    const { code } = await inspect([`http://127.0.0.1:${port}/mcp`, "--transport", "http"], ["--method", "tools/list"])
    assert.strictEqual(code, 4)
  })
})
