import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"

import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { directory, start, startHttp, useCommand } from "../cli/built.ts"
import { served } from "../engine/plans/served.ts"
import {
  complaints,
  eventually,
  focusedText,
  hasCount,
  hasFocus,
  hasValue,
  look,
  open,
  overflow,
  useBrowser
} from "./browser.ts"
import { call, step } from "./calls.ts"

useCommand()
useBrowser()

let url = ""
beforeAll(async () => {
  ;({ url } = await startHttp(["--embedded", "--toolsets", "engine,operator"]))
})

const orders = "#/workflow/embedded/Kp3vQm8sXz1RtY7a"
const prices = "#/workflow/embedded/pXmjqKETk5YaHVog"

const text = (value: unknown) => String(value)

describe("Now", () => {
  it("tells of every instance how it is, and leads to what failed", async () => {
    const page = await open(url)
    await page
      .getByRole("region", { name: "embedded" })
      .getByText(/^\d+ problems$/)
      .waitFor()
    const finding = page.getByRole("listitem").filter({ hasText: "reading 'net'" })
    await finding.getByRole("link", { name: "Price calculator", exact: true }).click()
    await page.getByRole("heading", { name: "Price calculator", level: 1 }).waitFor()
    await eventually(async () => assert.strictEqual(await page.title(), "Price calculator · Workflow Tool Server"))
    await page.getByRole("button", { name: /^Price with tax, .*Cannot read.*, failed, code/ }).waitFor()
  })

  it("shows an instance that cannot be reached as such, beside the others", async () => {
    const environments = { gone: { engine_host: "http://127.0.0.1:9", engine_api_key: "key" } }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "gone" } })
    const other = await startHttp(["--toolsets", "engine,operator"], { cwd })
    const page = await open(other.url)
    await page.getByText("Not reached").waitFor()
    await page.getByRole("region", { name: "gone" }).filter({ hasText: "ECONNREFUSED" }).waitFor()
  })

  it("does with the engine's tools alone", async () => {
    const bare = await startHttp(["--embedded"])
    const page = await open(bare.url)
    await page.getByText(/^\d+ problems$/).waitFor()
    const failed = page.getByRole("listitem").filter({ hasText: "Failed" })
    await failed.getByRole("link", { name: "Price calculator" }).click()
    await page.getByRole("button", { name: /^Price with tax/ }).waitFor()
    await page.goto(`${bare.url}/#/workflows`)
    await page.getByRole("link", { name: "Order intake" }).waitFor()
    await page.goto(`${bare.url}/#/plans`)
    await page
      .getByRole("main")
      .getByText("Plans come with")
      .filter({ hasText: "--toolsets engine,operator" })
      .waitFor()
  })
})

describe("workflows", () => {
  it("are found by what is in them, and the search has an address", async () => {
    const page = await open(`${url}/#/workflows`)
    await page.getByRole("link", { name: "Clean up contacts" }).waitFor()
    await page.getByRole("searchbox").fill("GROUP BY region")
    await page.getByRole("searchbox").press("Enter")
    await page.getByRole("status").filter({ hasText: "1 workflow" }).waitFor()
    await page.waitForURL(/text=GROUP\+BY\+region/)
    await page.reload()
    await page.getByRole("link", { name: "Daily sales report" }).waitFor()
  })

  it("are drawn with kinds, branches, state and their last run", async () => {
    const page = await open(`${url}/${orders}`)
    const drawing = page.getByRole("group", { name: "Workflow Order intake, 5 nodes" })
    await drawing.getByRole("button", { name: /^Accept, status = accepted, 1 item.*, ran, set$/ }).waitFor()
    const trigger = /^Order received, POST \/orders, .*1 item.*, ran, webhook, .*trigger$/
    await drawing.getByRole("button", { name: trigger }).waitFor()
    await drawing
      .getByRole("button", { name: /^Ask for approval, status = needs approval, not reached, set$/ })
      .waitFor()
    await eventually(async () =>
      assert.sameMembers(await drawing.locator(".label").allTextContents(), ["true", "false"])
    )
    await page.getByLabel("Run").selectOption("none")
    await drawing.getByRole("button", { name: /^Accept, status = accepted, set$/ }).waitFor()
  })

  it("show the parts of an agent on dashed lines, and pinned data", async () => {
    const page = await open(`${url}/#/workflow/embedded/Fs8lDn0aUj7KxP5h`)
    await page.getByLabel("Run").selectOption("none")
    await page.getByRole("button", { name: /^Question asked, .*pinned, chatTrigger, trigger, pinned data$/ }).waitFor()
    await hasCount(page.locator(".wire.of-part"), 4)
    await eventually(async () =>
      assert.sameMembers(await page.locator(".label.of-part").allTextContents(), ["model", "memory", "tool"])
    )
  })

  it("fit as a whole when that is asked for, however wide they are", async () => {
    const nodes = Array.from({ length: 20 }, (_, at) => step(`Step ${at}`, at * 220, 0))
    const connections = nodes.slice(1).map(({ name }, at) => ({ source: `Step ${at}`, target: name }))
    const { id } = await call(url, "create_workflow", { name: "Wide", nodes, connections })
    const page = await open(`${url}/#/workflow/embedded/${text(id)}`)
    const frame = page.locator(".frame")
    await page.getByText("70 %").waitFor()
    await page.getByRole("button", { name: "Fit" }).click()
    await page.getByText("70 %").waitFor({ state: "detached" })
    await eventually(async () =>
      assert.isAtMost(await frame.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth), 0)
    )
  })

  it("mark the node that failed, and show what is in it without secrets", async () => {
    const made = await call(url, "create_workflow", {
      name: "With a key",
      nodes: [
        step("Start", 0, 0, { type: "engine-nodes-base.manualTrigger" }),
        step("Ask", 220, 0, {
          type: "engine-nodes-base.httpRequest",
          parameters: {
            url: "https://a.example.com",
            headerParameters: { parameters: [{ name: "Authorization", value: "Bearer sk-very-secret-12345678" }] }
          }
        })
      ],
      connections: [{ source: "Start", target: "Ask" }]
    })
    const page = await open(`${url}/${prices}`)
    await page.locator(".node.is-failed").waitFor()
    await hasCount(page.locator(".node.is-failed"), 1)
    await page.getByRole("complementary").filter({ hasText: "Price with tax" }).waitFor()
    await page.goto(`${url}/#/workflow/embedded/${text(made["id"])}`)
    await page.getByRole("button", { name: /^Ask, .*httpRequest/ }).click()
    const details = page.getByRole("complementary")
    await details.getByText("[masked]").waitFor()
    assert.notInclude(await page.content(), "very-secret")
  })

  it("are drawn as they ran, which is said where they have changed since", async () => {
    const hook = step("Hook", 0, 0, {
      type: "engine-nodes-base.webhook",
      parameters: { path: "changed", httpMethod: "POST", responseMode: "lastNode", options: {} },
      webhookId: "changed"
    })
    const nodes = [hook, step("Old", 220, 0)]
    const { id } = await call(url, "create_workflow", {
      name: "Changed",
      nodes,
      connections: [{ source: "Hook", target: "Old" }]
    })
    await call(url, "activate_workflow", { id })
    await call(url, "execute_workflow", { id, data: {} })
    const page = await open(`${url}/#/workflow/embedded/${text(id)}`)
    await page.getByRole("button", { name: /^Old, noOp, .*ran$/ }).waitFor()
    await hasCount(page.getByText("has changed since"), 0)
    const added = [...nodes, step("New", 440, 0)]
    await call(url, "update_workflow", { id, nodes: added, connections: [{ source: "Hook", target: "New" }] })
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByText("has changed since").waitFor()
    await hasCount(page.getByRole("button", { name: /^New/ }), 0)
    await page.getByLabel("Run").selectOption("none")
    await page.getByRole("button", { name: /^New, noOp/ }).waitFor()
  })

  it("with hostile names are drawn as text, in whatever script", async () => {
    const names = [
      "<script>alert(1)</script>",
      `"'><img src=x onerror=alert(1)>`,
      "\u202emorf gnorw eht edis",
      "שלום עולם",
      "名前".repeat(60),
      "{{ 7*7 }}"
    ]
    const made = await call(url, "create_workflow", {
      name: `</title><script>document.title="taken"</script>`,
      nodes: [
        step("Start", 0, 0, { type: "engine-nodes-base.manualTrigger" }),
        ...names.map((name, at) => step(name, 220 * (at + 1), 0, { notes: `${name} \u202e sk-live-4f9a8b7c6d5e4f3a` }))
      ],
      connections: names.map((target) => ({ source: "Start", target }))
    })
    const page = await open(`${url}/#/workflow/embedded/${text(made["id"])}`)
    await page.locator('[data-node="6"]').waitFor()
    assert.lengthOf(await page.locator("main script, main img").all(), 0)
    assert.include(await page.locator('[data-node="1"] .name').textContent(), "<script>")
    assert.notInclude(text(await page.locator('[data-node="3"] .name').textContent()), "\u202e")
    await page.locator('[data-node="2"]').click()
    const details = page.getByRole("complementary")
    await details.filter({ hasText: "onerror=alert(1)" }).filter({ hasText: "\\u{202e} [masked]" }).waitFor()
    assert.notMatch(await page.locator("body").innerText(), /\u202e|4f9a8b7c6d5e4f3a/)
    await eventually(async () => assert.match(await page.title(), /^<\/title><script>.* · Workflow Tool Server$/))
    assert.isAtMost(await overflow(page), 0)
    await look(page, "hostile")
  })

  it("of 5,000 nodes are drawn within seconds and can be walked through", async () => {
    const nodes = Array.from({ length: 5000 }, (_, at) =>
      step(`Node ${at}`, (at % 100) * 220, Math.floor(at / 100) * 180)
    )
    const connections = nodes.slice(1).map((_, at) => ({ source: `Node ${at}`, target: `Node ${at + 1}` }))
    const start = step("Start", -220, 0, { type: "engine-nodes-base.manualTrigger" })
    const made = await call(url, "create_workflow", {
      name: "Huge",
      nodes: [start, ...nodes],
      connections: [{ source: "Start", target: "Node 0" }, ...connections]
    })
    const page = await open(`${url}/#/workflow/embedded/${text(made["id"])}`)
    const since = performance.now()
    await page.locator('[data-node="5000"]').waitFor({ state: "attached" })
    assert.isBelow(performance.now() - since, 15_000)
    await page.locator('[data-node="0"]').focus()
    await page.keyboard.press("ArrowRight")
    await page.locator('[data-node="1"]:focus').waitFor()
  })
})

describe("plans", () => {
  const planned = () => call(url, "plan_bulk", { where: { name: "Order intake" }, action: ["tag"], value: "seen" })

  it("are shown with their differences, and change nothing until somebody says so in the dialog", async () => {
    const { plan_id: id } = await planned()
    const page = await open(`${url}/#/plans`)
    const row = page.getByRole("listitem").filter({ hasText: text(id) })
    await row.getByRole("link", { name: "Bulk change: create tag seen and 1 more" }).click()
    await page.getByText("new tag seen", { exact: false }).waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    const dialog = page.getByRole("dialog", { name: "Apply this plan?" })
    await dialog.waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "hidden" })
    assert.strictEqual((await call(url, "show_plan", { plan_id: id }))["state"], "planned")
  })

  it("show in the dark as well that nothing of them is done yet", async () => {
    const { plan_id: id } = await planned()
    const page = await open(`${url}/#/plans/${text(id)}`, { colorScheme: "dark" })
    const bar = page.getByRole("progressbar")
    await bar.waitFor()
    // Chromium's own bar is white there, as if all were done.
    const [track = 255] = (await bar.evaluate((one) => getComputedStyle(one).backgroundColor)).match(/\d+/g) ?? []
    assert.isBelow(Number(track), 80)
    assert.strictEqual(await bar.evaluate((one) => getComputedStyle(one).appearance), "none")
  })

  it("are applied, told of, and taken back", async () => {
    const { plan_id: id } = await planned()
    const page = await open(`${url}/#/plans/${text(id)}`)
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByRole("button", { name: "Apply 2 steps" }).click()
    await page.getByText("2 of 2 steps done").waitFor()
    assert.strictEqual((await call(url, "show_plan", { plan_id: id }))["state"], "applied")
    await page.getByRole("link", { name: "Audit log of this plan" }).click()
    await page.getByRole("listitem").filter({ hasText: "finished" }).waitFor()
    await page.goto(`${url}/#/plans`)
    await page
      .getByRole("listitem")
      .filter({ hasText: text(id) })
      .getByText("2 of 2 steps")
      .waitFor()
    await page.goto(`${url}/#/plans/${text(id)}`)
    await page.getByRole("button", { name: "Plan the rollback" }).click()
    await page.getByRole("heading", { name: /^rollback-/ }).waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByRole("button", { name: /^Apply \d steps?$/ }).click()
    await page.getByText("applied", { exact: true }).waitFor()
    assert.strictEqual((await call(url, "show_plan", { plan_id: id }))["state"], "rolled back")
  })
})

describe("plans beside large ones", () => {
  it("stay listed", async () => {
    const { url: serverUrl } = await startHttp(["--embedded", "--toolsets", "engine,operator"])
    const small = await call(serverUrl, "plan_bulk", { where: { name: "Order intake" }, action: "tag", value: "small" })
    for (let at = 0; at < 260; at++) {
      await call(serverUrl, "create_workflow", { name: `Many ${at}`, nodes: [step("Step", 0, 0)] })
    }
    for (const value of ["one", "two"]) {
      const { plan_id } = await call(serverUrl, "plan_bulk", { where: { name: "Many *" }, action: "tag", value })
      await call(serverUrl, "apply_plan", { plan_id, confirm: true })
    }
    const page = await open(`${serverUrl}/#/plans`)
    await page.getByText(text(small["plan_id"])).waitFor()
    await hasCount(page.getByRole("main").getByRole("listitem"), 3)
  })
})

describe("a plan of many steps", () => {
  it("shows all of them, some hundreds at a time", async () => {
    const { url: serverUrl } = await startHttp(["--embedded", "--toolsets", "engine,operator"])
    for (let at = 1000; at < 1503; at++) {
      await call(serverUrl, "create_workflow", { name: `Many ${at}`, nodes: [step("Step", 0, 0)] })
    }
    const { plan_id } = await call(serverUrl, "plan_bulk", { where: { name: "Many *" }, action: "delete" })
    const page = await open(`${serverUrl}/#/plans/${text(plan_id)}`)
    const rows = page.getByRole("main").getByRole("listitem")
    await page.getByText("1 to 500 of 503 are shown").waitFor()
    const first = await rows.locator("strong").allInnerTexts()
    await page.getByRole("button", { name: "Later" }).click()
    await page.getByText("501 to 503 of 503 are shown").waitFor()
    await rows.nth(2).waitFor()
    const others = await rows.locator("strong").allInnerTexts()
    assert.deepStrictEqual([first.length, others.length, new Set([...first, ...others]).size], [500, 3, 503])
    await page.getByRole("button", { name: "Later", disabled: true }).waitFor()
    await page.getByRole("button", { name: "Earlier" }).click()
    await rows.nth(499).waitFor()
    await eventually(async () => assert.deepStrictEqual(await rows.locator("strong").allInnerTexts(), first))
    assert.deepStrictEqual(await complaints(page), [])
  })
})

describe("the audit log of calls", () => {
  it("tells who called what, and how it ended", async () => {
    const cwd = await directory()
    const recorded = await startHttp(["--embedded", "--audit", "audit.jsonl"], { cwd })
    const page = await open(`${recorded.url}/#/tools/create_tag?name=Recorded`)
    await page.getByRole("button", { name: "Call…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Create tag" }).click()
    await page.getByRole("heading", { name: "Answer" }).waitFor()
    await page.getByRole("link", { name: "Changes" }).click()
    await page.getByRole("link", { name: "Calls" }).click()
    const entry = page.getByRole("listitem").filter({ hasText: "create_tag" })
    await entry.filter({ hasText: /succeeded[^]*embedded · \w+ · page[^]*127\.0\.0\.1/ }).waitFor()
    assert.deepStrictEqual(await complaints(page), [])
  })

  it("says how it is switched on where it is off", async () => {
    const page = await open(`${url}/#/changes?of=calls`)
    await page.getByText("Calls are recorded where").filter({ hasText: "--audit FILE" }).waitFor()
  })
})

describe("tools", () => {
  it("are listed whole, each with its schema and a form", async () => {
    const page = await open(`${url}/#/tools`)
    await page
      .getByRole("status")
      .filter({ hasText: /^\d+ tools$/ })
      .waitFor()
    const answer = await fetch(`${url}/mcp`, { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })
    const { result }: { result: { tools: ReadonlyArray<{ name: string; inputSchema: { properties: object } }> } } =
      JSON.parse(await answer.text())
    for (const { inputSchema, name } of result.tools) {
      await page.goto(`${url}/#/tools/${name}`)
      await page.locator("main > p > code", { hasText: name }).waitFor()
      for (const field of Object.keys(inputSchema.properties)) {
        await hasCount(page.locator(`#field-${field}`), 1)
      }
    }
  })

  it("that read are called at once, with what the form holds", async () => {
    const page = await open(`${url}/#/tools/view_workflow`)
    await page.getByRole("button", { name: "Call", exact: true }).click()
    await page.getByText("Is needed").waitFor()
    await page.getByLabel("id (required)").fill("Kp3vQm8sXz1RtY7a")
    await page.getByLabel("execution", { exact: true }).fill("1.5")
    await page.getByText("Must be a whole number").waitFor()
    const { data } = await call(url, "list_executions", { workflowId: "Kp3vQm8sXz1RtY7a", limit: 1 })
    const [, run = ""] = /"id":(\d+)/.exec(JSON.stringify(data)) ?? []
    await page.getByLabel("execution", { exact: true }).fill(run)
    await page.keyboard.press("Enter")
    await page.getByLabel("sketch").filter({ hasText: "Large order? [if]" }).waitFor()
  })

  it("that change what is protected ask the person at the page for exactly that, and only there", async () => {
    const cwd = await directory({ ".config.json": { plans: { guards: { protected: { names: ["Order intake"] } } } } })
    const flags = ["--embedded", "--config", ".config.json", "--toolsets", "engine,operator"]
    const guarded = await startHttp(flags, { cwd })
    const page = await open(`${guarded.url}/#/tools/deactivate_workflow?id=Kp3vQm8sXz1RtY7a`)
    const again = page.getByRole("dialog", { name: "Change what is protected?" })
    const submit = async () => {
      await page.getByRole("button", { name: "Call…" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Deactivate workflow" }).click()
    }
    await submit()
    await again.getByText("workflow “Order intake” on embedded").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await again.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("alert").filter({ hasText: "Nothing was changed." }).waitFor()
    assert.propertyVal(await call(guarded.url, "get_workflow", { id: "Kp3vQm8sXz1RtY7a" }), "active", true)
    await submit()
    await again.getByRole("button", { name: "Yes: Deactivate workflow" }).click()
    await page.getByRole("heading", { name: "Answer" }).waitFor()
    assert.propertyVal(await call(guarded.url, "get_workflow", { id: "Kp3vQm8sXz1RtY7a" }), "active", false)
    await page.goto(`${guarded.url}/#/tools/deactivate_workflow?id=Zb7nWc2yHd5LqE9u`)
    await submit()
    await page.getByRole("heading", { name: "Answer" }).waitFor()
    await hasCount(again, 0)
    const where = { name: "Order intake" }
    const { plan_id } = await call(guarded.url, "plan_bulk", { where, action: ["tag"], value: "seen" })
    await page.goto(`${guarded.url}/#/plans/${text(plan_id)}`)
    await page.getByText("Protected workflows are changed").waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByLabel("I have read their names, and agree").check()
    await page.getByRole("button", { name: /^Apply \d steps?$/ }).click()
    await page.getByText("Applied and read back.").waitFor()
    assert.notMatch(await page.getByRole("main").innerText(), /confirm_protected|apply_plan|plan_rollback/)
  })

  it("take lists a line each, numbers, and what is chosen, by keyboard too", async () => {
    const page = await open(`${url}/#/tools/get_workflow?id=Kp3vQm8sXz1RtY7a`)
    await page.getByLabel("nodes").fill("Accept\nAnswer")
    await page.getByLabel("instance").selectOption("embedded")
    await page.getByRole("button", { name: "Call", exact: true }).click()
    await page.getByText("Whole answer", { exact: true }).click()
    const answer = page.getByLabel("Whole answer")
    await answer.waitFor()
    await eventually(async () =>
      assert.deepNestedInclude(JSON.parse(await answer.innerText()), {
        "nodes[0].name": "Accept",
        "nodes[1].name": "Answer",
        "leftOut.nodes": 3
      })
    )
    await page.goto(`${url}/#/tools/plan_bulk`)
    await page.getByRole("group", { name: "action" }).getByRole("checkbox", { name: "untag" }).focus()
    await page.keyboard.press("Space")
    await page.getByRole("checkbox", { name: "tag", exact: true }).press("Space")
    await page.getByLabel("value").fill("seen")
    await page.getByLabel("also").fill("[")
    await page.getByText("Must be JSON: a list").waitFor()
    await page.getByLabel("also").fill("")
    const where = page.getByRole("group", { name: "where" })
    const add = where.getByLabel("Add a condition to where")
    await add.selectOption("idle_days")
    await where.getByLabel("idle_days", { exact: true }).fill("1.5")
    await where.getByText("Must be a whole number").waitFor()
    await where.getByRole("button", { name: "Remove idle_days" }).click()
    await add.selectOption("active")
    await where.getByLabel("active", { exact: true }).selectOption("Yes")
    await add.selectOption("ids")
    await where.locator("#field-where-ids-list option").first().waitFor({ state: "attached" })
    await where.getByLabel("Add to ids").fill("Order intake")
    await where.getByLabel("Add to ids").press("Tab")
    assert.deepStrictEqual(await complaints(page), [])
    await page.getByRole("button", { name: "Call", exact: true }).click()
    await page.getByRole("heading", { name: "Answer" }).waitFor()
    const facts = page.getByRole("region", { name: "Answer" }).locator("dl")
    await eventually(async () => assert.match(await facts.innerText(), /kind\s+bulk[^]*steps\s+\d/))
    assert.notMatch(await facts.innerText(), /confirm true|[{}]/)
    await page.getByRole("link", { name: "Open the plan" }).click()
    await page.getByRole("heading", { name: /^bulk-/ }).waitFor()
  })

  it("suggest workflows and tags by name, offer instances, and take days from a calendar", async () => {
    const page = await open(`${url}/#/tools/list_workflows`)
    const tags = page.getByLabel("Add to tags")
    await page.locator("#field-tags-list option").first().waitFor({ state: "attached" })
    const tag = text(await page.locator("#field-tags-list option").first().getAttribute("value"))
    await tags.fill(tag)
    await tags.press("Tab")
    await hasValue(page.locator("#field-tags"), tag)
    await page.goto(`${url}/#/tools/workflow_history`)
    await page.locator('#field-id-list option[value="Order intake"]').waitFor({ state: "attached" })
    await page.getByLabel("id", { exact: true }).fill("order in")
    await page.locator("#field-id-list option").nth(1).waitFor({ state: "detached" })
    await page.getByLabel("Day of since").fill("2026-11-20")
    await hasValue(page.locator("#field-since"), "2026-11-20")
    await page.locator("#field-since").fill("today")
    await hasValue(page.getByLabel("Day of since"), "")
    await page.getByRole("group", { name: "instances" }).getByRole("checkbox", { name: "All" }).check()
    assert.deepStrictEqual(await complaints(page), [])
  })

  it("that change something ask first, with the arguments", async () => {
    const page = await open(`${url}/#/tools/create_tag?name=Made%20here`)
    await page.getByRole("button", { name: "Call…" }).click()
    const dialog = page.getByRole("dialog", { name: "Create tag?" })
    await dialog.filter({ hasText: '"name": "Made here"' }).waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    assert.notInclude(JSON.stringify(await call(url, "get_tags", {})), "Made here")
    await page.getByRole("button", { name: "Call…" }).click()
    await dialog.getByRole("button", { name: "Create tag" }).click()
    await page.getByRole("heading", { name: "Answer" }).waitFor()
    assert.include(JSON.stringify(await call(url, "get_tags", {})), "Made here")
  })

  it("say in the error what was wrong", async () => {
    const page = await open(`${url}/#/tools/get_workflow?id=nothing`)
    await page.getByRole("button", { name: "Call", exact: true }).click()
    await page
      .getByRole("alert")
      .filter({ hasText: /not found/i })
      .waitFor()
  })
})

describe("by keyboard alone", () => {
  it("one comes from the top of the page into the drawing, through it, and to a node's details", async () => {
    const page = await open(`${url}/${orders}`)
    await page.locator('[data-node="0"]').waitFor()
    await page.keyboard.press("Tab")
    await hasFocus(page, "Skip to content")
    await page.keyboard.press("Enter")
    for (let presses = 0; presses < 30 && !(await focusedText(page)).startsWith("Order received"); presses++)
      await page.keyboard.press("Tab")
    await hasFocus(page, /^Order received/)
    for (const [key, name] of [
      ["ArrowRight", /^Large order\?/],
      ["ArrowRight", /^A/],
      ["End", /^Answer/],
      ["ArrowLeft", /^A(?!nswer)/],
      ["Home", /^Order received/]
    ] as const) {
      await page.keyboard.press(key)
      await hasFocus(page, name)
    }
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await page.getByRole("complementary").getByRole("heading", { name: "Large order?" }).waitFor()
    // One stop for the whole drawing: Tab leads out of it.
    await page.keyboard.press("Tab")
    await hasFocus(page, /^(?!Large order|Answer|Accept|Ask)/)
  })

  it("a place that a link led to is where reading goes on", async () => {
    const page = await open(url)
    await page.getByRole("link", { name: "Tools", exact: true }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Tools", level: 1 }).waitFor()
    await hasFocus(page, "Tools")
  })
})

describe("what people make of workflows", () => {
  const name = "استلام الطلبات وإرسال الإشعارات".repeat(3)
  const step = (at: number, more: object = {}) => ({
    name: `${["获取订单数据并检查库存状态是否足够", "حفظ الطلب (approval)", "AVeryLongNameWithoutAnyBlankInIt"][at % 3]} ${at}`,
    type: "n8n-nodes-base.noOp",
    typeVersion: 1,
    position: [(at % 10) * 220, Math.floor(at / 10) * 160],
    parameters: {},
    ...more
  })
  const steps = Array.from({ length: 60 }, (_, at) => step(at, at % 7 === 6 ? { disabled: true } : {}))
  const lead = (to: number) => ({ main: [[{ node: steps[to]?.name, type: "main", index: 0 }]] })
  const note = {
    name: "Note",
    type: "n8n-nodes-base.stickyNote",
    typeVersion: 1,
    position: [-100, -200],
    parameters: { content: `## ${name}\n${name}`, width: 400, height: 300, color: 3 }
  }

  it.each([
    ["light", 300],
    ["dark", 300],
    ["light", 1600],
    ["dark", 1600]
  ] as const)("is drawn, however large and in whatever writing, in %s on %d pixels", async (colorScheme, width) => {
    const { id } = await call(url, "create_workflow", {
      name,
      nodes: [...steps, note],
      // Every tenth leads back to the beginning of its row.
      connections: Object.fromEntries(steps.map((node, at) => [node.name, lead(at % 10 === 9 ? at - 9 : at + 1)]))
    })
    const page = await open(`${url}/#/workflow/embedded/${text(id)}`, { colorScheme, viewport: { width, height: 900 } })
    await page.getByRole("heading", { name, level: 1 }).waitFor()
    await hasCount(page.locator("[data-node]"), 60)
    await page.locator('[data-node="0"]').focus()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await page
      .getByRole("complementary")
      .getByRole("heading", { name: steps.at(-1)?.name ?? "" })
      .waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    assert.isAtMost(await overflow(page), 0)
    await look(page, `made-${colorScheme}-${width}`)
    await page.goto(`${url}/#/workflows`)
    await page.getByRole("link", { name }).first().waitFor()
    assert.isAtMost(await overflow(page), 0)
    await call(url, "delete_workflow", { id })
  })
})

describe("an upgrade", () => {
  it("has a view of instances, findings, what can be rewritten and its proof", async () => {
    const nodes = [
      step("Clock", 0, 0, {
        type: "n8n-nodes-base.cron",
        parameters: { triggerTimes: { item: [{ mode: "everyDay", hour: 9 }] } }
      }),
      step("Rest", 220, 0, { type: "n8n-nodes-base.noOp" })
    ]
    const connections = [{ source: "Clock", target: "Rest" }]
    const { id } = await call(url, "create_workflow", { name: "Each morning", nodes, connections })
    const page = await open(`${url}/#/plans`)
    await page.getByRole("link", { name: "Plan upgrade" }).click()
    await page.getByRole("heading", { name: "Upgrade", level: 1 }).waitFor()
    await page.getByRole("list", { name: "Instances" }).getByText("3 stop").waitFor()
    const row = page.getByRole("listitem").filter({ hasText: "U3-cron" }).first()
    await row.getByRole("button", { name: "Show the findings" }).click()
    await row.getByText("The node type cron does not exist any more. Use Schedule Trigger").waitFor()
    await row.getByText("rewrite: proved possible").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await page.getByRole("button", { name: "Plan the rewrites…" }).click()
    await page.getByRole("button", { name: "Make the plan" }).click()
    await page
      .getByRole("region", { name: "Proof" })
      .getByText(/^Each morning /)
      .waitFor()
    await look(page, "upgrade")
    await page.getByLabel("To version").fill("1.90")
    await page.getByRole("button", { name: "Look" }).click()
    await page.getByText("Nothing changes in any workflow on the way to 1.90.").waitFor()
    await call(url, "delete_workflow", { id })
  })
})

describe("data tables", () => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("are listed, read, filtered, and go to a file and back by a plan that is shown first", async () => {
    const engine = await Effect.runPromise(served("2.41.1").pipe(Scope.provide(scope)))
    const environments = { main: { engine_host: engine.host, engine_api_key: engine.apiKey } }
    const cwd = await directory({ ".config.json": { environments } })
    const state = { XDG_STATE_HOME: cwd }
    const tables = await startHttp(["--toolsets", "engine,operator,api"], { cwd, env: state })
    const columns = { city: "string", amount: "number", paid: "boolean", due: "date" }
    const plans = [
      { action: "create_table", columns },
      { action: "insert", rows: rowsOf(150) }
    ]
    for (const change of plans) {
      const { plan_id } = await call(tables.url, "change_data_table", { table: "Orders", ...change })
      await call(tables.url, "apply_plan", { plan_id, confirm: true })
    }
    const page = await open(`${tables.url}/#/tables`)
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tables" }).waitFor()
    await page.getByRole("link", { name: "Orders" }).click()
    await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor()
    const rows = page.getByRole("table", { name: "Orders" }).getByRole("row")
    await hasCount(rows, 101)
    await page.getByRole("button", { name: "Later" }).click()
    await page.getByRole("rowheader", { name: "101", exact: true }).waitFor()
    await hasCount(rows, 51)
    await page.getByRole("searchbox").fill("city 77")
    await page.getByRole("searchbox").press("Enter")
    await hasCount(rows, 2)
    await page.getByRole("region", { name: "Rows of Orders" }).focus()
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 360]
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      assert.deepStrictEqual(await complaints(page), [], `${colorScheme}, ${width} px`)
      assert.isAtMost(await overflow(page), 0)
      await look(page, `table-${colorScheme}-${width}`)
    }

    const saving = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download CSV" }).click()
    const file = await (await saving).path()
    await page.getByText("150 rows saved. 1 text would be formulas in a spreadsheet.").waitFor()
    const lines = rowsOf(150).map(({ amount, city }) => `${city},${amount},,\n`)
    assert.strictEqual(await readFile(file, "utf8"), `city,amount,paid,due\n${lines.join("")}`)

    await page.getByRole("button", { name: "Upload CSV…" }).click()
    const dialog = page.getByRole("dialog", { name: "Plan to write a file into “Orders” on main" })
    const choose = (text: string) =>
      dialog
        .getByLabel("CSV file")
        .setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(text) })
    await choose("city,amount\ncity 77,much\n")
    await dialog.getByRole("alert").filter({ hasText: 'line 2, amount: must be a number, and is "much"' }).waitFor()
    await choose("city,amount\ncity 77,-7\nnew,1\n")
    await dialog.getByText("2 rows").waitFor()
    await dialog.getByLabel("Rows").selectOption("Change those with the same city")
    assert.deepStrictEqual(await complaints(page), [])
    await dialog.getByRole("button", { name: "Make the plan" }).click()
    await page.getByRole("heading", { name: /^table-/ }).waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByRole("button", { name: "Apply 2 steps" }).click()
    await page.getByText("2 of 2 steps done").waitFor()
    const written = async (city: string) => {
      const filter = { filters: [{ columnName: "city", condition: "eq", value: city }] }
      const { data } = await call(tables.url, "read_data_table", { action: "rows", table: "Orders", filter })
      return Array.isArray(data) ? data.map((row) => Object(row).amount) : []
    }
    assert.deepStrictEqual([await written("city 77"), await written("new")], [[-7], [1]])
    await page.getByRole("button", { name: "Plan the rollback" }).click()
    await page.getByRole("heading", { name: /^rollback-/ }).waitFor()
    await page.getByRole("button", { name: "Apply…" }).click()
    await page.getByRole("button", { name: /^Apply \d steps?$/ }).click()
    await page.getByText("applied", { exact: true }).waitFor()
    assert.deepStrictEqual([await written("city 77"), await written("new")], [[77], []])
  })

  it("are told to be missing where the toolset or the engine has none", async () => {
    const without = await open(`${url}/#/tables`)
    await without.getByText("Data tables come with the toolset").waitFor()
    await hasCount(without.getByRole("link", { name: "Tables" }), 0)
    const old = await startHttp(["--embedded", "--toolsets", "engine,api"])
    const page = await open(`${old.url}/#/tables`)
    await page.getByText("has no data tables: they came with generation 2").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
  })
})

/** Rows of a table, the first of them with a text that a spreadsheet takes for a formula. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, amount) => ({ city: amount === 0 ? "=1+1" : `city ${amount}`, amount }))

describe("what assistive programs hear", () => {
  it.each(["light", "dark"] as const)("has names, roles and contrast on every place, in %s", async (colorScheme) => {
    await call(url, "plan_bulk", { where: { name: "Order intake" }, action: ["tag"], value: colorScheme })
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 300, height: 700 }
    ]) {
      const page = await open(url, { colorScheme, viewport })
      for (const place of [
        "#/",
        "#/workflows",
        "#/workflows?text=order&in=content",
        orders,
        prices,
        "#/workflow/embedded/Fs8lDn0aUj7KxP5h",
        "#/plans",
        "#/upgrade",
        "#/changes",
        "#/changes?of=plans",
        "#/runs",
        "#/changes?of=calls",
        "#/tables",
        "#/tools",
        "#/tools/edit_workflow",
        "#/tools/plan_bulk",
        "#/nowhere"
      ]) {
        await page.goto(`${url}/${place}`)
        await page.getByRole("heading", { level: 1 }).waitFor()
        await page.waitForLoadState("networkidle")
        assert.deepStrictEqual(await complaints(page), [], `${place} in ${colorScheme}, ${viewport.width} px`)
        assert.isAtMost(await overflow(page), 0, `${place} at ${viewport.width} px`)
        await look(page, `${place.replaceAll(/\W+/g, "-")}-${colorScheme}-${viewport.width}`)
      }
    }
  })

  it("begins, for each node, with what is written on it", async () => {
    const page = await open(`${url}/#/workflow/embedded/Fs8lDn0aUj7KxP5h`)
    await page.locator('[data-node="4"]').waitFor()
    await hasCount(page.locator("[data-node]"), 6)
    const nodes = await page
      .locator("[data-node]")
      .evaluateAll((all) =>
        all.map((node) => [node.getAttribute("aria-label"), node.querySelector(".name")?.textContent])
      )
    for (const [name, written] of nodes) assert.isTrue(name?.startsWith(text(written).replace("…", "")), `${name}`)
  })

  it("is the tree of roles and names that a reader walks through", async () => {
    const page = await open(`${url}/${prices}`)
    await page.locator(".node.is-failed").waitFor()
    await page.getByRole("complementary", { name: "Selected node" }).waitFor()
    const tree = await page.locator("body").ariaSnapshot()
    for (const line of [
      "- banner:",
      '- navigation "Main":',
      "- main:",
      '- heading "Price calculator" [level=1]',
      '- toolbar "Size of the drawing":',
      '- complementary "Selected node":'
    ]) {
      assert.include(tree, line)
    }
    assert.match(tree, /button .*Price with tax, .*Cannot read properties.*failed/)
  })
})

describe("a server with a token", () => {
  it("is asked for it by the page, which keeps it in this tab and out of every address", async () => {
    const token = "a-token-of-more-than-16"
    const guarded = await startHttp(["--embedded"], { env: { MCP_AUTH_TOKEN: token } })
    const page = await open(guarded.url)
    const addresses: Array<string> = []
    page.on("request", (request) => addresses.push(request.url()))
    await page.locator("input:focus").waitFor()
    await page.keyboard.type("wrong")
    await page.keyboard.press("Enter")
    await page.getByText("This token was not taken").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await page.getByLabel("Token").fill(token)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Now" }).waitFor()
    await page.getByText("heard").first().waitFor()
    assert.notInclude(addresses.join("\n") + page.url(), token)
    const kept = await page.evaluate(() => ({
      local: JSON.stringify(localStorage),
      session: JSON.stringify(sessionStorage),
      cookie: document.cookie
    }))
    assert.deepEqual(kept, {
      local: "{}",
      session: JSON.stringify({ "workflow-tool-server-token": token }),
      cookie: ""
    })
    await page.getByRole("button", { name: "Forget token" }).click()
    await page.getByLabel("Token").waitFor()
    await eventually(async () => assert.strictEqual(await page.evaluate(() => sessionStorage.length), 0))
  })
})

describe("the policy of the page", () => {
  it("lets no script in, and nothing be called but its server", async () => {
    const page = await open(url, { isWatched: false })
    await page.getByRole("heading", { name: "Now" }).waitFor()
    const result = await page.evaluate(async () => {
      const broken = new Set<string>()
      const allBroken = new Promise<void>((resolve) => {
        addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
          if (broken.add(violatedDirective).size === 4) resolve()
        })
      })
      const script = document.createElement("script")
      script.append("globalThis.taken = true")
      document.head.append(script)
      const styled = document.createElement("p")
      styled.setAttribute("style", "color: red")
      const image = document.createElement("img")
      image.src = "http://127.0.0.1:9/x.png"
      document.body.append(styled, image)
      const isReached = await fetch("http://127.0.0.1:9/").then(
        () => true,
        () => false
      )
      await allBroken
      return { broken: [...broken], isReached, isTaken: Reflect.get(globalThis, "taken") === true }
    })
    assert.deepInclude(result, { isReached: false, isTaken: false })
    assert.sameMembers(result.broken, ["require-trusted-types-for", "style-src-attr", "img-src", "connect-src"])
  })
})

describe("a form for secrets", () => {
  const message = (more: object) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "create_credential",
        arguments: { name: "Entered", type: "httpBasicAuth" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } }
        },
        ...more
      }
    })
  const call = (more: object) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "create_credential" },
      body: message(more)
    }).then((response) => response.json())
  const again = (requestState: unknown) => ({ requestState, inputResponses: { values: { action: "accept" } } })

  it("hides what is typed, goes once, and lets the assistant go on", async () => {
    const { inputRequests, requestState } = (await call({})).result
    const page = await open(inputRequests.values.params.url)
    await page.getByText('the new credential "Entered" (httpBasicAuth)').waitFor()
    await hasCount(page.getByRole("link", { name: "Workflows" }), 0)
    const password = page.getByLabel("password")
    await password.and(page.locator('[type="password"]')).waitFor()
    await page.getByLabel("user").fill("ann")
    await password.fill("correct-horse-battery")
    await page.getByLabel("Show what is typed").check()
    await hasValue(page.getByLabel("password"), "correct-horse-battery")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("The assistant goes on.").waitFor()
    const id = String(inputRequests.values.params.url).split("/").at(-1)
    const late = await fetch(`${url}/secrets`, { method: "POST", body: JSON.stringify({ id }) })
    assert.strictEqual(late.status, 404)
    const { result } = await call(again(requestState))
    assert.deepInclude(result.structuredContent, { name: "Entered", type: "httpBasicAuth" })
  })

  it("is there over stdio, too, on a page of its own that has nothing else", async () => {
    const { child, ended } = start(["--embedded"])
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const ask = async (more: object) => {
      child.stdin.write(`${message(more)}\n`)
      return JSON.parse(String((await lines.next()).value)).result
    }
    const { inputRequests, requestState } = await ask({})
    const page = await open(inputRequests.values.params.url)
    await page.getByLabel("user").fill("ann")
    await page.getByLabel("password").fill("correct-horse-battery")
    await hasCount(page.getByRole("link", { name: "Workflows" }), 0)
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("The assistant goes on.").waitFor()
    assert.deepInclude((await ask(again(requestState))).structuredContent, { name: "Entered", type: "httpBasicAuth" })
    child.stdin.end()
    assert.deepInclude(await ended, { code: 0, stderr: "" })
  })
})
