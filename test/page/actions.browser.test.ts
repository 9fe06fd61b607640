import type { Page } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"

import { directory, startHttp, useCommand } from "../cli/built.ts"
import { complaints, focusedText, hasFocus, open, useBrowser } from "./browser.ts"
import { call, step } from "./calls.ts"

useCommand()
useBrowser()

let url = ""
beforeAll(async () => {
  const started = await startHttp(["--demo", "--tests", "tests"], { cwd: await directory() })
  url = started.url
})

const onStaging = { instance: "staging" }

const hook = (path: string, responseMode: string) =>
  step("Hook", 0, 0, {
    type: "n8n-nodes-base.webhook",
    typeVersion: 2,
    parameters: { path, httpMethod: "POST", responseMode, options: {} },
    webhookId: path
  })

/** Makes an active workflow on staging, with one node behind its hook. */
const made = async (name: string, node = step("Rest", 220, 0), responseMode = "lastNode") => {
  const path = name.toLowerCase().replaceAll(/\W/g, "-")
  const connections = [{ source: "Hook", target: node.name }]
  const { id } = await call(url, "create_workflow", {
    ...onStaging,
    name,
    nodes: [hook(path, responseMode), node],
    connections
  })
  await call(url, "activate_workflow", { ...onStaging, id })
  return String(id)
}

const dialogOf = (page: Page) => page.getByRole("dialog")

/** Presses the button of a dialog that is open, and waits until that is done. */
const confirm = async (page: Page, name: string) => {
  await dialogOf(page).getByRole("button", { name, exact: true }).click()
  await dialogOf(page).waitFor({ state: "hidden" })
}

describe("every action on a run", () => {
  it("stops one that is under way", async () => {
    const wait = step("Wait", 220, 0, {
      type: "n8n-nodes-base.wait",
      typeVersion: 1.1,
      parameters: { amount: 1, unit: "hours" }
    })
    const id = await made("Stopped here", wait, "onReceived")
    await call(url, "execute_workflow", { ...onStaging, id, data: {} })
    const page = await open(`${url}/#/runs?instance=staging&workflow=${id}`)
    await page.getByRole("checkbox", { name: /^Select run / }).check()
    await page.getByRole("button", { name: "Stop…" }).click()
    await dialogOf(page).getByText("What they have done so far stays done.").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await dialogOf(page)
      .getByRole("button", { name: /^Stop run \d+$/ })
      .click()
    await dialogOf(page).waitFor({ state: "hidden" })
    await page.getByRole("main").getByText("Cancelled", { exact: true }).and(page.locator(".pill")).waitFor()
    await call(url, "delete_workflow", { ...onStaging, id })
  })
})

describe("every action on a workflow", () => {
  it("archives it and brings it back, unless somebody has changed it meanwhile", async () => {
    const id = await made("Put away")
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Archive…" }).click()
    await call(url, "update_workflow", { ...onStaging, id, name: "Put away by hand" })
    await dialogOf(page).getByRole("button", { name: "Archive", exact: true }).click()
    await dialogOf(page)
      .getByRole("alert")
      .filter({ hasText: /was changed since .*Nothing was written\.$/ })
      .waitFor()
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("button", { name: "Refresh" }).click()
    await page.getByRole("heading", { name: "Put away by hand", level: 1 }).waitFor()
    await page.getByRole("button", { name: "Archive…" }).click()
    await confirm(page, "Archive")
    await page.getByText("Archived", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Bring back…" }).click()
    await confirm(page, "Bring back")
    await page.getByRole("button", { name: "Archive…" }).waitFor()
    await call(url, "delete_workflow", { ...onStaging, id })
  })

  it("makes a test of its last success, and runs it", async () => {
    const id = await made("Tested here")
    await call(url, "execute_workflow", { ...onStaging, id, data: { order: "A-17" } })
    const page = await open(`${url}/#/workflow/staging/${id}?tab=tests`)
    await page.getByRole("button", { name: "Make a test of its last success…" }).click()
    await confirm(page, "Make the test")
    await page.getByRole("status").filter({ hasText: "Tested-here" }).waitFor()
    await page.getByRole("button", { name: "Run its tests…" }).click()
    await confirm(page, "Run the tests")
    await page.getByRole("region", { name: "Result of the tests" }).getByText("1 of 1 passed").waitFor()
    assert.deepStrictEqual(await complaints(page), [])
    await call(url, "delete_workflow", { ...onStaging, id })
  })

  it("brings back a version, and says what somebody has changed since where one change cannot be undone alone", async () => {
    const id = await made("Brought back")
    const rename = (node: string, to: string) =>
      call(url, "edit_workflow", { ...onStaging, id, operations: [{ op: "rename", node, to }] })
    await rename("Rest", "Sleep")
    const page = await open(`${url}/#/workflow/staging/${id}?tab=history`)
    const row = page.locator(".change-row").filter({ hasText: "renamed Rest → Sleep" })
    await row.waitFor()
    // A second person changes the same node while the page is open.
    await rename("Sleep", "Doze")
    await row.getByRole("button", { name: "Undo…" }).click()
    await dialogOf(page).getByRole("alert").filter({ hasText: "cannot be undone alone" }).waitFor()
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click()
    await page.goto(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("link", { name: "History" }).click()
    const first = page.locator(".change-row").filter({ hasText: "first version" })
    await first.getByRole("button", { name: "Restore…" }).click()
    await dialogOf(page).getByText("renamed Doze → Rest").waitFor()
    await confirm(page, "Restore")
    await page.locator(".change-row").filter({ hasText: "renamed Doze → Rest" }).waitFor()
    await call(url, "delete_workflow", { ...onStaging, id })
  })
})

/** Presses Tab until the element with these words has the focus, and then Enter. */
const reach = async (page: Page, words: RegExp, key = "Enter") => {
  for (let presses = 0; presses < 250 && !words.test(await focusedText(page)); presses++)
    await page.keyboard.press("Tab")
  await hasFocus(page, words)
  await page.keyboard.press(key)
}

describe("a newcomer with a keyboard alone", () => {
  it("finds why a run failed", async () => {
    const page = await open(url)
    await page.getByRole("link", { name: "Why did Price calculator fail?" }).waitFor()
    await reach(page, /^Why did Price calculator fail\?$/)
    const cause = page.getByRole("region", { name: "Why it failed" })
    await cause.getByText("Cannot read properties of undefined").waitFor()
    await cause.filter({ hasText: /Price with tax[^]*The last success/ }).waitFor()
  })

  it("undoes what an assistant has changed", async () => {
    const page = await open(`${url}/#/changes`)
    const row = page.locator(".change-row").filter({ hasText: "returns have a channel of their own" })
    await row.waitFor()
    await reach(page, /^Returned goods$/, "Tab")
    await page.keyboard.press("Enter")
    await dialogOf(page).getByText('"#support"').waitFor()
    await reach(page, /^Undo$/)
    await dialogOf(page).waitFor({ state: "hidden" })
    await page
      .locator(".change-row")
      .filter({ hasText: /Returned goods[^]*restore_workflow/ })
      .waitFor()
    const { nodes } = await call(url, "get_workflow", { instance: "production", id: "Returned goods" })
    assert.include(JSON.stringify(nodes), "#support")
  })

  it("promotes a workflow, and takes that back", async () => {
    const id = await made("Promoted by key")
    const page = await open(`${url}/#/workflow/staging/${id}`)
    await page.getByRole("button", { name: "Promote…" }).waitFor()
    await reach(page, /^Promote…$/)
    await reach(page, /^Make the plan$/)
    await page.getByRole("heading", { name: /^promotion-/ }).waitFor()
    await reach(page, /^Apply…$/)
    await reach(page, /^Apply \d+ steps?$/)
    await page.getByText("Applied and read back.").and(page.locator(":focus")).waitFor()
    const there = await call(url, "list_workflows", { instance: "production", name: "Promoted by key" })
    assert.include(JSON.stringify(there), "Promoted by key")
    await reach(page, /^Plan the rollback$/)
    await page.getByRole("heading", { name: /^rollback-/ }).waitFor()
    await reach(page, /^Apply…$/)
    await reach(page, /^Apply \d+ steps?$/)
    await page.getByText("Applied and read back.").waitFor()
    await call(url, "delete_workflow", { ...onStaging, id })
  })
})
