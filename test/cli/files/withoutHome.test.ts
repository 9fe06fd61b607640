import { once as onceEmitted } from "node:events"
import { readdir } from "node:fs/promises"
import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

import { directory, run, standIn, start, useCommand, withoutHome } from "../built.ts"

useCommand()

const workflow = {
  id: "1",
  name: "One",
  active: false,
  nodes: [],
  connections: {},
  settings: {},
  tags: [],
  updatedAt: "2026-01-01T00:00:00.000Z"
}

/** An engine in the variables of a user without a home, who may not write to the working folder. */
const homeless = async () => {
  const sent: Array<string> = []
  const host = await standIn(({ method = "", url = "" }, response) => {
    if (method !== "GET") sent.push(`${method} ${url}`)
    response.setHeader("content-type", "application/json")
    const data = url.includes("/workflows") ? [workflow] : []
    response.end(JSON.stringify(/workflows\/1(\?|$)/.test(url) ? workflow : { data, nextCursor: null }))
  })
  const cwd = await directory()
  const variables = { ENGINE_HOST: host, ENGINE_API_KEY: "canary", MARKETPLACE_API_KEY: "canary", XDG_CACHE_HOME: "" }
  const options = { cwd, env: { ...variables, ...(await withoutHome(cwd, [cwd])) } }
  return {
    sent,
    files: () => readdir(cwd),
    run: (...args: ReadonlyArray<string>) => run(args, options),
    /** Answers of one process. */
    serve: (...args: ReadonlyArray<string>) => {
      const { child, ended } = start(args, options)
      const lines = createInterface({ input: child.stdout })
      const ask = async (method: string, params: object): Promise<string> => {
        const answer = onceEmitted(lines, "line")
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
        const [line]: ReadonlyArray<unknown> = await answer
        return String(line)
      }
      return {
        ask,
        call: (name: string, given: object) => ask("tools/call", { name, arguments: given }),
        stop: () => {
          child.stdin.end()
          return ended
        }
      }
    }
  }
}

const advice = "has no home folder: set HOME, or XDG_STATE_HOME, to a folder that it may write to"

describe("the command of a user without a home", () => {
  it("works where nothing must be kept, and leaves nothing behind", async () => {
    const { files, run } = await homeless()
    const listed = await run("call", "list_workflows", "--json")
    assert.deepInclude(listed, { code: 0, stderr: "" })
    assert.include(listed.stdout, '"One"')
    assert.deepInclude(await run("--toolsets", "operator", "--history", "history"), { code: 0, stderr: "" })
    assert.deepStrictEqual(await files(), ["noHome.cjs"])
  })

  it("plans, and applies nothing that it cannot keep", async () => {
    const { sent, serve } = await homeless()
    const { call, stop } = serve("--toolsets", "operator")
    const planned = await call("plan_bulk", { action: "tag", value: "orders", where: { ids: ["1"] } })
    const [, plan_id = planned] = /plan_id\W+([\w-]+)/.exec(planned) ?? []
    const applied = await call("apply_plan", { plan_id, confirm: true })
    assert.include(applied, "plans cannot be kept. This process may not write to")
    assert.include(applied, advice)
    assert.deepStrictEqual(sent, [])
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })

  it("serves the marketplace", async () => {
    const { serve } = await homeless()
    const { ask, stop } = serve("--toolsets", "marketplace")
    assert.include(await ask("tools/list", {}), "ads_check_key")
    assert.deepInclude(await stop(), { code: 0, stderr: "" })
  })

  it.each([
    [["nodes", "fetch"], "Node types cannot be stored: the user of this process has no home folder"],
    [["init", "--client", "cursor"], "Cursor keeps its file at home: set HOME"]
  ])("says what it cannot keep for %s", async (args, words) => {
    const { run } = await homeless()
    const { code, stderr } = await run(...args)
    assert.strictEqual(code, 1)
    assert.include(stderr, words)
    assert.notInclude(stderr, "FATAL")
  })
})
