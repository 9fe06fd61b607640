import { createServer } from "node:http"

import type { Page } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"

import { listen, startHttp, useCommand } from "../cli/built.ts"
import { complaints, eventually, hasCount, look, open, useBrowser } from "./browser.ts"
import { call, read, toolList } from "./calls.ts"

useCommand()
useBrowser()

const uri = "ui://workflow-tool-server/view"

let url = ""
let hostUrl = ""
let view = ""

/** The policy that hosts of MCP Apps lay around a view that declares nothing. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'"

beforeAll(async () => {
  ;({ url } = await startHttp(["--embedded", "--toolsets", "engine,operator"]))
  const { mimeType, text } = await read(url, uri)
  assert.strictEqual(mimeType, "text/html;profile=mcp-app")
  view = text
  const server = createServer((request, response) => {
    const isView = request.url === "/view"
    response.writeHead(200, { "content-type": "text/html", ...(isView ? { "content-security-policy": policy } : {}) })
    response.end(isView ? view : '<!doctype html><html lang="en"><title>Host</title><body></body></html>')
  })
  hostUrl = `http://127.0.0.1:${await listen(server)}/`
})

interface Hosted {
  readonly tool?: string
  readonly theme?: "light" | "dark"
  readonly args: Readonly<Record<string, unknown>>
  /** Whether the host calls tools for the view. */
  readonly callsTools?: boolean
}

/** A host by the book, with the view in a frame of an origin of its own; what the view said is kept in `said`. */
const hosted = async (page: Page, { args, callsTools = true, theme = "light", tool = "view_workflow" }: Hosted) => {
  const answer = await call(url, tool, args)
  await page.exposeFunction("callTool", (name: string, given: Record<string, unknown>) => call(url, name, given))
  await page.evaluate(
    ({ answer, args, callsTools, theme }) => {
      const said: Array<{ method?: string; params?: { name?: string; height?: number } }> = []
      Reflect.set(globalThis, "said", said)
      const frame = document.createElement("iframe")
      frame.setAttribute("sandbox", "allow-scripts")
      frame.title = "View"
      frame.style.cssText = "width:900px;height:700px;border:0"
      const post = (message: object) => frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*")
      addEventListener("message", ({ data, source }) => {
        if (source !== frame.contentWindow) return
        said.push(data)
        const { id, method, params } = data
        if (method === "ui/initialize") {
          const result = {
            protocolVersion: "2026-01-26",
            hostInfo: { name: "test", version: "1" },
            hostCapabilities: callsTools ? { serverTools: {} } : {},
            hostContext: { theme }
          }
          post({ id, result })
        } else if (method === "ui/notifications/initialized") {
          post({ method: "ui/notifications/tool-input", params: { arguments: args } })
          const result = { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer }
          post({ method: "ui/notifications/tool-result", params: result })
        } else if (method === "tools/call" && callsTools) {
          const callTool: (name: string, args: object) => Promise<object> = Reflect.get(globalThis, "callTool")
          void callTool(params.name, params.arguments).then((structuredContent) =>
            post({ id, result: { content: [], structuredContent } })
          )
        } else if (method === "tools/call") post({ id, error: { code: -32601, message: "no" } })
      })
      frame.src = "/view"
      document.body.append(frame)
    },
    { answer, args, callsTools, theme }
  )
  return page.frameLocator("iframe")
}

const inside = (page: Page) => page.frames().find((one) => one.url().endsWith("/view")) ?? assert.fail("No frame")

const said = (page: Page) =>
  page.evaluate((): ReadonlyArray<{ method?: string; params?: { name?: string; height?: number } }> =>
    Reflect.get(globalThis, "said")
  )

describe("the view of plans and comparisons", () => {
  it("shows what a plan would change, step by step", async () => {
    const page = await open(hostUrl)
    const args = { where: { name: "Order intake" }, action: ["tag"], value: "seen" }
    const frame = await hosted(page, { tool: "plan_bulk", args })
    await frame.getByText("2 steps, none of them applied").waitFor()
    await hasCount(frame.getByRole("listitem"), 2)
    await frame.getByRole("listitem").nth(1).locator("ins").filter({ hasText: "new tag seen" }).first().waitFor()
    await look(page, "view-plan")
    assert.deepStrictEqual(await complaints(inside(page)), [])
  })

  it("shows what differs between two workflows, line by line", async () => {
    const page = await open(hostUrl)
    const frame = await hosted(page, {
      tool: "compare_workflows",
      args: { a: "Kp3vQm8sXz1RtY7a", b: "Zb7nWc2yHd5LqE9u" }
    })
    await frame.getByRole("heading", { name: "What differs" }).waitFor()
    await frame.getByRole("listitem").nth(2).waitFor()
    await frame.getByRole("main").filter({ hasText: "Order intake" }).waitFor()
    assert.deepStrictEqual(await complaints(inside(page)), [])
  })
})

/** The id of the last run of a workflow that ended so. */
const newestRun = async (workflowId: string, status: string): Promise<unknown> => {
  const { data } = await call(url, "list_executions", { workflowId, status, limit: 1 })
  return Array.isArray(data) ? data[0].id : undefined
}

describe("the view of view_workflow", () => {
  it("draws the workflow with the run that was asked for, and says how large it is", async () => {
    const page = await open(hostUrl)
    const id = "Zb7nWc2yHd5LqE9u"
    const frame = await hosted(page, { args: { id, execution: await newestRun(id, "error") } })
    await frame.getByRole("button", { name: /^Give up, .*No invoice.*failed/ }).waitFor()
    await frame.getByRole("heading", { level: 1, name: "Payment check" }).waitFor()
    await look(page, "view")
    await eventually(async () => {
      const messages = await said(page)
      assert.deepStrictEqual(
        messages.filter(({ method }) => method === "tools/call").map(({ params }) => params?.name),
        ["get_workflow", "get_execution"]
      )
      const sizes = messages.filter(({ method }) => method === "ui/notifications/size-changed")
      assert.isAbove(sizes.at(-1)?.params?.height ?? 0, 200)
    })
  })

  it("takes the host's theme, whatever the reader's is elsewhere", async () => {
    const backgrounds = []
    for (const theme of ["light", "dark"] as const) {
      const page = await open(hostUrl, { colorScheme: "light" })
      const frame = await hosted(page, { args: { id: "Kp3vQm8sXz1RtY7a" }, theme })
      const card = frame.locator(".card").first()
      await card.waitFor()
      backgrounds.push(await card.evaluate((element) => getComputedStyle(element).fill))
      await page.context().close()
    }
    assert.notStrictEqual(backgrounds[0], backgrounds[1])
  })

  it("shows the answer as text where the host calls no tools for it", async () => {
    const page = await open(hostUrl)
    const frame = await hosted(page, { args: { id: "Kp3vQm8sXz1RtY7a" }, callsTools: false })
    await frame.getByLabel("The workflow in words").filter({ hasText: "Large order? [if]" }).waitFor()
  })

  it("has names, roles and contrast", async () => {
    const page = await open(hostUrl)
    const id = "Kp3vQm8sXz1RtY7a"
    const frame = await hosted(page, { args: { id, execution: await newestRun(id, "success") } })
    await frame.getByRole("button", { name: /^Answer, .*1 item.*ran/ }).waitFor()
    assert.deepStrictEqual(await complaints(inside(page)), [])
  })
})

describe("the list of tools", () => {
  it("names the view at its tool, and the view is small and loads nothing", async () => {
    assert.include(await toolList(url), `"_meta":{"ui":{"resourceUri":"${uri}"}}`)
    assert.isBelow(view.length, 112_000)
    assert.notMatch(view, /(?:src|href)="?https?:/)
  })
})
