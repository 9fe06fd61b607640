import { exportJWK, generateKeyPair, SignJWT } from "jose"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { directory, standIn, startHttp, useCommand } from "../cli/built.ts"
import { proxiedEngine } from "../shared/proxiedEngine.ts"
import { complaints, eventually, hasCount, hasFocus, look, open, overflow, useBrowser } from "./browser.ts"
import { call, step } from "./calls.ts"

useCommand()
useBrowser()

const arabic = "استلام الطلبات وإرسال الإشعارات إلى العملاء ".repeat(3).trim()
const chinese = "获取订单数据并检查库存状态是否足够以便发货".repeat(3)

/** Names of a large engine's workflows: two are long ones in other scripts. */
const nameOf = (at: number) => (at === 0 ? arabic : at === 1 ? chinese : `Workflow ${at}`)

const large = Array.from({ length: 2000 }, (_, at) => ({
  id: `L${String(at).padStart(15, "0")}`,
  name: nameOf(at),
  active: at % 2 === 0,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  nodes: [],
  connections: {},
  settings: {},
  tags: at % 10 === 0 ? [{ id: "t1", name: "nightly" }] : []
}))

/** Runs of the last day, newest first: one every three minutes of one of forty workflows, of which every ninth failed. */
const runs = Array.from({ length: 450 }, (_, at) => {
  const started = Date.now() - at * 180_000 - 5000
  return {
    id: 9000 - at,
    finished: at % 9 !== 0,
    status: at % 9 === 0 ? "error" : "success",
    mode: "trigger",
    startedAt: new Date(started).toISOString(),
    stoppedAt: new Date(started + 1500).toISOString(),
    workflowId: large[at % 40]?.id,
    waitTill: null
  }
})

const largeEngine = () =>
  standIn((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://engine")
    const rows: ReadonlyArray<object> = pathname.endsWith("/workflows")
      ? large
      : pathname.endsWith("/executions")
        ? runs.filter(({ status }) => !searchParams.has("status") || searchParams.get("status") === status)
        : []
    const from = Number(searchParams.get("cursor") ?? 0)
    const to = from + Number(searchParams.get("limit") ?? 100)
    const isList = /\/(?:workflows|executions|tags|credentials)$/.test(pathname)
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" })
    response.end(
      JSON.stringify(isList ? { data: rows.slice(from, to), nextCursor: to < rows.length ? String(to) : null } : {})
    )
  })

const refusing = () =>
  standIn((_, response) =>
    response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ message: "unauthorized" }))
  )

let url = ""
const stops: Array<() => void> = []
afterAll(() => stops.forEach((stop) => stop()))

const hook = (path: string) =>
  step("Hook", 0, 0, {
    type: "n8n-nodes-base.webhook",
    typeVersion: 2,
    parameters: { path, httpMethod: "POST", responseMode: "lastNode", options: {} },
    webhookId: path
  })

/** Makes a workflow that is called, with one node behind its hook. */
const made = async (name: string, node: Readonly<Record<string, unknown>>, instance = "staging") => {
  const path = name.toLowerCase().replaceAll(/\W/g, "-")
  const nodes = [hook(path), node]
  const connections = [{ source: "Hook", target: node["name"] }]
  const { id } = await call(url, "create_workflow", { instance, name, nodes, connections })
  await call(url, "activate_workflow", { instance, id })
  return String(id)
}

const failing = step("Give up", 220, 0, {
  type: "n8n-nodes-base.stopAndError",
  parameters: { errorType: "errorMessage", errorMessage: "No stock is left" }
})

const ran = (id: string, instance = "staging") =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "execute_workflow", arguments: { instance, id, data: { order: "A-17" } } }
    })
  })

beforeAll(async () => {
  const engines = await Promise.all([proxiedEngine(), proxiedEngine()])
  stops.push(...engines.map(({ stop }) => stop))
  const [staging, production] = engines.map(({ host }) => ({ engine_host: host, engine_api_key: "embedded" }))
  const environments = {
    staging,
    production,
    large: { engine_host: await largeEngine(), engine_api_key: "key-of-the-large-one" },
    locked: { ...production, readOnly: true },
    refused: { engine_host: await refusing(), engine_api_key: "an-old-key-of-somebody" },
    gone: { engine_host: "http://127.0.0.1:9", engine_api_key: "key-of-the-gone-one" }
  }
  const cwd = await directory({ ".config.json": { environments, defaultEnv: "staging" } })
  const toolsets = ["--toolsets", "engine,operator", "--history", "history", "--audit", "audit.jsonl"]
  ;({ url } = await startHttp(["--config", ".config.json", ...toolsets], { cwd }))
})

const main = (page: Page) => page.getByRole("main")

describe("thousands of workflows", () => {
  it("are counted, filtered as one types, sorted and scrolled, with few of them in the document", async () => {
    const page = await open(`${url}/#/workflows?instance=large`)
    const status = main(page).getByRole("status")
    await status.filter({ hasText: "2,000" }).waitFor()
    const rows = page.locator("tbody tr[data-row]")
    await eventually(async () => assert.isBelow(await rows.count(), 120))
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.getByRole("link", { name: chinese }).waitFor({ state: "attached" })
    await page.getByRole("link", { name: arabic }).waitFor({ state: "attached" })
    await eventually(async () => assert.isBelow(await rows.count(), 120))
    await page.getByRole("searchbox").fill("workflow 1999")
    await page.getByRole("link", { name: "Workflow 1999" }).waitFor()
    await hasCount(rows, 1)
    await page.waitForURL(/text=workflow\+1999/)
    await page.getByRole("searchbox").fill("")
    await page.getByRole("combobox", { name: "Tag" }).selectOption("nightly")
    await status.filter({ hasText: "200" }).waitFor()
    await page.getByRole("button", { name: "Failed, 24 h" }).click()
    await page.locator("th[aria-sort=descending]", { hasText: "Failed" }).waitFor()
    await rows
      .first()
      .locator("td.number")
      .filter({ hasText: /^[1-9]/ })
      .waitFor()
    await page
      .getByRole("img", { name: /of the last \d+ runs failed/ })
      .first()
      .waitFor()
  })

  it("are walked through with the arrow keys, beyond what is drawn", async () => {
    const page = await open(`${url}/#/workflows?instance=large`)
    const first = page.locator('tr[data-row="0"] a.title')
    await first.focus()
    for (let presses = 0; presses < 90; presses++) {
      await page.keyboard.press("ArrowDown")
      await page.locator(`tr[data-row="${presses + 1}"] a.title:focus`).waitFor()
    }
    await page.keyboard.press("ArrowUp")
    await page.locator('tr[data-row="89"] a.title:focus').waitFor()
    await page.keyboard.press("Enter")
    await page.getByText("Workflows /").waitFor()
    await page.waitForURL(/#\/workflow\/large\/L\d+$/)
  })

  it("become a plan where several are chosen, of one instance", async () => {
    const [one, two] = [await made("Bulk one", step("Rest", 220, 0)), await made("Bulk two", step("Rest", 220, 0))]
    const page = await open(`${url}/#/workflows?instance=staging&text=bulk`)
    await page.getByRole("checkbox", { name: "Select Bulk one" }).check()
    await page.getByRole("checkbox", { name: "Select Bulk two" }).check()
    await page.getByRole("button", { name: "Plan for 2 workflows…" }).click()
    const dialog = page.getByRole("dialog", { name: "Plan for 2 workflows on staging" })
    await dialog.getByLabel("Action").selectOption("deactivate")
    assert.deepStrictEqual(await complaints(page), [])
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await page.getByRole("heading", { name: /^bulk-/ }).waitFor()
    assert.propertyVal(await call(url, "get_workflow", { id: one }), "active", true)
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByRole("button", { name: "Apply 2 steps" }).click()
    await page.getByText("2 of 2 steps done").waitFor()
    assert.propertyVal(await call(url, "get_workflow", { id: one }), "active", false)
    for (const id of [one, two]) await call(url, "delete_workflow", { id })
  })
})

describe("Now", () => {
  it("tells a refused key from an instance that is gone, beside those that answer", async () => {
    const page = await open(url)
    await page.getByRole("region", { name: "refused" }).getByText("Key refused", { exact: true }).waitFor()
    await page.getByRole("region", { name: "gone" }).getByText("Not reached", { exact: true }).waitFor()
    const tile = page.getByRole("region", { name: "large" })
    await tile.getByText("heard").waitFor()
    await tile.getByRole("link", { name: "50", exact: true }).click()
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor()
    await main(page).getByRole("status").filter({ hasText: "50 runs · 50 failed" }).waitFor()
    await page.waitForURL(/#\/runs\?instance=large&status=error$/)
  })

  it("draws the runs of the day, a line for each workflow, through which the arrow keys lead, also while others come", async () => {
    const id = await made("On time", failing)
    await ran(id)
    const page = await open(`${url}/page.svg`)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route("**/mcp", async (route) => {
      const body = route.request().postData() ?? ""
      if (body.includes("list_executions") && body.includes('"staging"')) await held
      await route.continue()
    })
    await page.goto(url)
    const lane = page.getByRole("group", { name: /^Workflow 9: \d+ runs, \d+ failed/ })
    await page.getByRole("region", { name: "large" }).getByText("heard").waitFor()
    const marks = lane.getByRole("link")
    await marks.nth(5).waitFor()
    await lane
      .getByRole("link", { name: /^Run \d+, Failed, \d\d:\d\d/ })
      .and(page.locator("a.bad"))
      .first()
      .focus()
    await page.keyboard.press("Home")
    await marks.first().and(page.locator(":focus")).waitFor()
    release()
    await page.getByRole("group", { name: /^On time: / }).waitFor()
    await page.keyboard.press("ArrowRight")
    await marks.nth(1).and(page.locator(":focus")).waitFor()
    await page.keyboard.press("ArrowDown")
    await lane.locator("a:focus").waitFor({ state: "detached" })
    await page.locator(".timeline a.mark:focus").waitFor()
    await page.keyboard.press("Enter")
    await page.getByText("Workflows /").waitFor()
    await page.waitForURL(/#\/workflow\/large\/L\d+\?execution=\d+/)
    await call(url, "delete_workflow", { id })
  })

  it("says when a run has failed since, without being asked", async () => {
    const id = await made("Watched", failing)
    const page = await open(url)
    await page.getByRole("region", { name: "staging" }).getByText("heard").waitFor()
    await ran(id)
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
    const finding = page.getByRole("listitem").filter({ hasText: "Watched" })
    await finding.getByText("Failed", { exact: true }).waitFor({ timeout: 30_000 })
    await finding.getByRole("link", { name: "Why did Watched fail?" }).click()
    const cause = page.getByRole("region", { name: "Why it failed" })
    await cause.getByText("No stock is left").waitFor()
    await cause.filter({ hasText: "A-17" }).waitFor()
    await call(url, "delete_workflow", { id })
  })

  it.each([
    ["light", 360],
    ["dark", 360],
    ["light", 1920],
    ["dark", 1920]
  ] as const)(
    "has names, roles, contrast and room, in %s on %d pixels",
    async (colorScheme, width) => {
      for (const place of ["#/", "#/workflows", "#/runs", "#/workflows?instance=large"]) {
        const page = await open(`${url}/${place}`, { colorScheme, viewport: { width, height: 900 } })
        await page.getByRole("heading", { level: 1 }).waitFor()
        await page
          .locator(place === "#/" ? ".finding" : "[data-row]")
          .first()
          .waitFor()
        await page.getByText("Loading").first().waitFor({ state: "detached" })
        assert.deepStrictEqual(await complaints(page), [], `${place} in ${colorScheme}, ${width} px`)
        assert.isAtMost(await overflow(page), 0, `${place} at ${width} px`)
        await look(page, `fleet${place.replaceAll(/\W+/g, "-")}-${colorScheme}-${width}`)
      }
    },
    180_000
  )
})

describe("runs", () => {
  it("are retried and deleted, several at once, by a dialog that names them and gives the focus back", async () => {
    const id = await made("Retried", failing)
    for (const _ of [1, 2]) await ran(id)
    const page = await open(`${url}/#/runs?instance=staging&workflow=${id}&since=all`)
    await main(page).getByRole("status").filter({ hasText: "2 runs · 2 failed" }).waitFor()
    await page.getByRole("checkbox", { name: "Select all" }).check()
    const button = page.getByRole("button", { name: "Retry 2…" })
    await button.click()
    const dialog = page.getByRole("dialog", { name: "Retry 2 runs on staging?" })
    await dialog.filter({ hasText: "Retried, run" }).waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    const closings = [() => page.keyboard.press("Escape"), () => dialog.getByRole("button", { name: "Cancel" }).click()]
    for (const close of closings) {
      await close()
      await dialog.waitFor({ state: "hidden" })
      await hasFocus(page, "Retry 2…")
      await button.press("Enter")
      await dialog.waitFor()
    }
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "hidden" })
    await page.getByRole("button", { name: "Delete 2…" }).click()
    await page.getByRole("button", { name: "Delete 2 runs" }).click()
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    const left = await call(url, "list_executions", { instance: "staging", workflowId: id })
    assert.deepStrictEqual(left["data"], [])
    await call(url, "delete_workflow", { id })
  })

  it("of old days are deleted by a plan, which is looked at first", async () => {
    const page = await open(`${url}/#/runs?instance=staging&status=error`)
    await page.getByRole("button", { name: "Plan to delete old runs…" }).click()
    const dialog = page.getByRole("dialog", { name: "Plan to delete old runs on staging" })
    await dialog.getByLabel("Before").fill("2020-01-01")
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await page.getByRole("heading", { name: /^bulk-/ }).waitFor()
    await page.waitForURL(/#\/plans\/bulk-/)
    const [, id = ""] = /#\/plans\/(.+)$/.exec(page.url()) ?? []
    assert.propertyVal(await call(url, "show_plan", { plan_id: id }), "state", "planned")
  })
})

describe("a workflow", () => {
  it("is switched off and on, unless somebody has changed it meanwhile", async () => {
    const id = await made("Switched", step("Rest", 220, 0))
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Deactivate…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click()
    await page.getByRole("button", { name: "Activate…", exact: true }).waitFor()
    assert.propertyVal(await call(url, "get_workflow", { id }), "active", false)
    // Somebody else renames it while the page is open.
    await call(url, "update_workflow", { id, name: "Switched by others" })
    await page.getByRole("button", { name: "Activate…", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Activate “Switched” on staging?" })
    await dialog.getByRole("button", { name: "Activate", exact: true }).click()
    await dialog.getByRole("alert").filter({ hasText: "changed" }).waitFor()
    assert.propertyVal(await call(url, "get_workflow", { id }), "active", false)
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByRole("heading", { name: "Switched by others", level: 1 }).waitFor()
    await page.getByRole("button", { name: "Activate…", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Activate", exact: true }).click()
    await page.getByRole("button", { name: "Deactivate…" }).waitFor()
    await call(url, "delete_workflow", { id })
  })

  it("offers no change where its instance is read only, and leads into the engine", async () => {
    const id = await made("Only read", step("Rest", 220, 0), "production")
    const page = await open(`${url}/#/workflow/locked/${id}`)
    await page.getByText("Read only here").waitFor()
    const link = page.getByRole("link", { name: "Open in the engine" })
    await link.and(page.locator(`[href^="http://127.0.0.1:"][href$="/workflow/${id}"]`)).waitFor()
    await hasCount(page.getByRole("button", { name: /^(?:Deactivate|Run|Archive|Delete)…/ }), 0)
    await call(url, "delete_workflow", { instance: "production", id })
  })

  it("offers neither retries nor undoing where its instance is read only, and no promotion to there", async () => {
    const id = await made("Kept as it is", failing, "production")
    await ran(id, "production")
    const page = await open(`${url}/#/runs?instance=locked&workflow=${id}`)
    await page.getByRole("checkbox", { name: /^Select run / }).check()
    await page.getByRole("checkbox", { name: /^Select run / }).focus()
    await hasCount(page.getByRole("button", { name: /^(?:Retry|Delete|Stop)…/ }), 0)
    await page.goto(`${url}/#/workflow/locked/${id}?tab=history`)
    await page.locator(".change-row").first().waitFor()
    await hasCount(page.getByRole("button", { name: /^(?:Undo|Restore)…/ }), 0)
    await page.goto(`${url}/#/workflow/production/${id}`)
    await page.getByRole("button", { name: "Promote…" }).click()
    const targets = page.getByRole("dialog").getByLabel("To").locator("option")
    await targets.filter({ hasText: "staging" }).waitFor({ state: "attached" })
    await hasCount(targets.filter({ hasText: "locked" }), 0)
    await call(url, "delete_workflow", { instance: "production", id })
  })

  it("says why it cannot be brought to an instance that is gone, and where it can", async () => {
    const id = await made("Stays here", step("Rest", 220, 0))
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Promote…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("To").selectOption("gone")
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await dialog
      .getByRole("alert")
      .filter({ hasText: /gone cannot be reached.*ECONNREFUSED/ })
      .waitFor()
    await dialog.getByLabel("To").selectOption("production")
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await page.getByRole("heading", { name: /^promotion-/ }).waitFor()
    await call(url, "delete_workflow", { id })
  })

  it("runs once with items, which are checked while they are written", async () => {
    const id = await made("Tried", step("Rest", 220, 0))
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Run…" }).click()
    const dialog = page.getByRole("dialog", { name: "Run “Tried” once on staging?" })
    await dialog.getByText("No node of it acts outside.").waitFor()
    const items = dialog.getByLabel("Items that the trigger gives out")
    await items.fill('[{ "order": ')
    await dialog.getByText("Must be JSON").waitFor()
    await items.fill('[{ "order": "A-18" }, { "order": "A-19" }]')
    await dialog.getByText("2 items").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await dialog.getByRole("button", { name: "Run it" }).click()
    const report = page.getByRole("region", { name: "The run" })
    await report.getByText("A-18").first().waitFor()
    await report.getByText("2 items").first().waitFor()
    await call(url, "delete_workflow", { id })
  })

  it("is compared, checked, and brought to another instance by a plan", async () => {
    const id = await made("Carried", step("Rest", 220, 0))
    const page = await open(`${url}/#/workflow/staging/${id}?tab=compare`)
    await page.getByLabel("Compare with").waitFor()
    await page.getByRole("link", { name: "Checks" }).click()
    await page.getByText("No errors").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await page.getByRole("button", { name: "Promote…" }).click()
    const dialog = page.getByRole("dialog", { name: "Bring “Carried” from staging to another instance" })
    await dialog.getByLabel("To").selectOption("production")
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await page.getByRole("heading", { name: /^promotion-/ }).waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Apply \d/ })
      .click()
    await page.getByText("applied", { exact: true }).waitFor()
    await page.goto(`${url}/#/workflow/staging/${id}?tab=compare`)
    await page.getByLabel("Compare with").selectOption("production")
    await page.getByText("Nothing differs.").waitFor()
    await call(url, "delete_workflow", { id })
  })

  it("is deleted only after a question that names it and its instance", async () => {
    const id = await made("Gone soon", step("Rest", 220, 0))
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Delete…" }).press("Enter")
    const dialog = page.getByRole("dialog", { name: "Delete “Gone soon” on staging?" })
    await dialog.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("heading", { name: "Workflows", level: 1 }).waitFor()
    assert.notInclude(JSON.stringify(await call(url, "list_workflows", { name: "Gone soon" })), id)
  })
})

describe("what was changed", () => {
  it("is told with its difference, and one change is undone alone", async () => {
    const kept = await startHttp(["--embedded", "--toolsets", "engine,operator", "--history", "history"], {
      cwd: await directory()
    })
    const id = String(
      (await call(kept.url, "create_workflow", { name: "Edited", nodes: [hook("edited"), step("Rest", 220, 0)] }))["id"]
    )
    await call(kept.url, "edit_workflow", { id, operations: [{ op: "rename", node: "Rest", to: "Sleep" }] })
    const page = await open(`${kept.url}/#/changes`)
    const row = page.locator(".change-row").filter({ hasText: "renamed Rest → Sleep" })
    await row.filter({ hasText: /Edited[^]*edit_workflow/ }).waitFor()
    await row.getByText("Whole difference").click()
    await row.locator("details").getByText("renamed Rest → Sleep").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await row.getByRole("button", { name: "Undo…" }).click()
    const dialog = page.getByRole("dialog", { name: "Undo this change of “Edited” on embedded?" })
    await dialog.getByText("renamed Sleep → Rest").waitFor()
    await dialog.getByRole("button", { name: "Undo" }).click()
    await dialog.waitFor({ state: "hidden" })
    await page.locator(".change-row").filter({ hasText: "renamed Sleep → Rest" }).waitFor()
    assert.deepNestedInclude(await call(kept.url, "get_workflow", { id }), { "nodes[1].name": "Rest" })
    await page.goto(`${kept.url}/#/workflow/embedded/${id}?tab=history`)
    await page.getByRole("button", { name: "Restore…" }).first().waitFor()
    assert.deepStrictEqual(await complaints(page), [])
  })
})

describe("a login at the issuer of tokens", () => {
  it.each([
    ["a public client", {}],
    ["a client with a secret", { WORKFLOW_TOOL_SERVER_OAUTH_CLIENT_SECRET: "page secret+" }]
  ] as const)(
    "gives this tab a token by code and PKCE, and its scopes decide what is offered, for %s",
    async (_, env) => {
      const keys = await generateKeyPair("ES256", { extractable: true })
      const seen: Array<Record<string, string>> = []
      let issuer = ""
      const resource = "https://workflows.example.com/mcp"
      issuer = await standIn((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://issuer")
        const json = (body: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(body))
        if (pathname === "/.well-known/oauth-authorization-server") {
          json({
            issuer,
            jwks_uri: `${issuer}/keys`,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`
          })
        } else if (pathname === "/keys") {
          void exportJWK(keys.publicKey).then((key) => json({ keys: [{ ...key, kid: "k1", alg: "ES256" }] }))
        } else if (pathname === "/authorize") {
          seen.push(Object.fromEntries(searchParams))
          const back = new URL(searchParams.get("redirect_uri") ?? "")
          back.search = new URLSearchParams({ code: "c-1", state: searchParams.get("state") ?? "" }).toString()
          response.writeHead(302, { location: String(back) }).end()
        } else if (pathname === "/token") {
          let body = ""
          request.on("data", (data: Buffer) => (body += data.toString()))
          request.on("end", () => {
            const { authorization = "" } = request.headers
            seen.push({ ...Object.fromEntries(new URLSearchParams(body)), authorization })
            void new SignJWT({ iss: issuer, aud: resource, sub: "ann", scope: "workflows:read" })
              .setExpirationTime("5m")
              .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "at+jwt" })
              .sign(keys.privateKey)
              .then((token) => json({ access_token: token, token_type: "Bearer" }))
          })
        } else response.writeHead(404).end()
      })
      const http = { oauth: { issuer, resource, clientId: "the-page" } }
      const cwd = await directory({ "c.json": { http } })
      const guarded = await startHttp(["--embedded", "--config", "c.json"], { cwd, env })
      const page = await open(`${guarded.url}/#/tools`, { isWatched: false })
      const answers: Array<Promise<string>> = []
      page.on("response", (response) => {
        if (new URL(response.url()).pathname === "/login") answers.push(response.text())
      })
      await page.getByRole("button", { name: /^Log in at 127\.0\.0\.1/ }).click()
      await page.getByRole("heading", { name: "Tools", level: 1 }).waitFor()
      await page.waitForURL(`${guarded.url}/#/tools`)
      const [request, exchanged] = seen
      const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(exchanged?.["code_verifier"]))
      assert.deepInclude(request, {
        client_id: "the-page",
        code_challenge: Buffer.from(challenge).toString("base64url"),
        code_challenge_method: "S256",
        redirect_uri: `${guarded.url}/`,
        response_type: "code",
        scope: "workflows:read workflows:write"
      })
      const client =
        "WORKFLOW_TOOL_SERVER_OAUTH_CLIENT_SECRET" in env
          ? { authorization: `Basic ${Buffer.from("the-page:page+secret%2B").toString("base64")}` }
          : { client_id: "the-page", authorization: "" }
      assert.deepInclude(exchanged, { ...client, code: "c-1", grant_type: "authorization_code" })
      assert.notMatch((await Promise.all(answers)).join(), /secret/i)
      await page
        .getByRole("link", { name: "Read workflow" })
        .or(page.getByText("get_workflow", { exact: true }))
        .first()
        .waitFor()
      await hasCount(page.getByText("delete_workflow", { exact: true }), 0)
      await page.goto(`${guarded.url}/?code=c-2&state=forged#/tools`)
      await page.getByRole("heading", { name: "Tools", level: 1 }).waitFor()
      assert.strictEqual(seen.length, 2)
    }
  )
})
