import { existsSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Locator,
  type Page
} from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, vi } from "vitest"

/** Where a Chromium is looked for, in this order. */
const places = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Misdeeds of a page: it has asked for things elsewhere, broken its own policy, or failed. */
const misdeeds: Array<string> = []
let browser: { readonly current?: Browser } = {}

export const chromiumFile = (): string =>
  places.find((place) => place !== "" && existsSync(place)) ??
  assert.fail("No Chromium: install it (apt-get install chromium) or name it in CHROMIUM")

/** Has a browser for the tests of a file; a page that misbehaves fails the test that it was opened in. */
export const useBrowser = () => {
  beforeAll(async () => {
    browser = { current: await chromium.launch({ executablePath: chromiumFile(), headless: true, args: flags }) }
  })
  afterEach(async () => {
    await Promise.all((browser.current?.contexts() ?? []).map((context) => context.close()))
    assert.deepStrictEqual(misdeeds.splice(0), [])
  })
  afterAll(() => browser.current?.close())
}

/** Milliseconds that a test waits for something on a page: less than it has, so that its failure says for what. */
const longestWait = 20_000

/** Holds a check of a page once what it reads has come: until it holds, or for as long as a test waits, whose end says why not. */
export const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: longestWait, interval: 20 })

/** Waits until there are exactly so many. */
export const hasCount = async (locator: Locator, count: number) => {
  if (count > 0) await locator.nth(count - 1).waitFor({ state: "attached" })
  await locator.nth(count).waitFor({ state: "detached" })
}

/** Waits until a field has this value. */
export const hasValue = (field: Locator, value: string) =>
  eventually(async () => assert.strictEqual(await field.inputValue(), value))

/** How a browser comes, and whether what its page does is watched. */
interface Visit extends Pick<BrowserContextOptions, "colorScheme" | "viewport"> {
  readonly isWatched?: boolean
}

/** Opens an address; what its page does elsewhere, against its policy or wrong is a misdeed. */
export const open = async (url: string, { isWatched = true, ...options }: Visit = {}): Promise<Page> => {
  const context = await (browser.current ?? assert.fail("No browser")).newContext({
    locale: "en-GB",
    timezoneId: "UTC",
    ...options
  })
  context.setDefaultTimeout(longestWait)
  if (!isWatched) return visit(context, url)
  const { origin } = new URL(url)
  await context.route(
    (to) => to.origin !== origin,
    (route) => {
      misdeeds.push(`asked for ${route.request().url()}`)
      return route.abort()
    }
  )
  const page = await context.newPage()
  page.on("pageerror", (error) => misdeeds.push(`failed: ${error.message}`))
  page.on("console", (message) => {
    if (message.type() === "error" && !/the server responded with a status of 401/.test(message.text())) {
      misdeeds.push(`complained: ${message.text()}`)
    }
  })
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI}`)
    )
  )
  await page.goto(url)
  return page
}

const visit = async (context: BrowserContext, url: string) => {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

interface Judge {
  readonly run: (
    where: object,
    options: object
  ) => Promise<{
    readonly violations: ReadonlyArray<{
      readonly id: string
      readonly nodes: ReadonlyArray<{ readonly target: unknown; readonly failureSummary?: string }>
    }>
  }>
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The complaints of a judge of accessibility, in words. */
export const complaints = async (page: Pick<Frame, "evaluate">): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async (words) => {
    const judge: Judge = Reflect.get(globalThis, "axe")
    // Colors on their way to others are nobody's.
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(moving.map(({ finished }) => finished))
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    const rest = await judge.run(document, { runOnly: tags, rules: { [words]: { enabled: false } } })
    // Words that are scrolled out of a drawing are still written on its nodes.
    const frames = [...document.querySelectorAll<HTMLElement>(".frame")]
    for (const frame of frames) frame.style.overflow = "visible"
    const ofNames = await judge.run(document, { runOnly: { type: "rule", values: [words] } })
    for (const frame of frames) frame.style.overflow = ""
    return [rest, ofNames].flatMap(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ failureSummary, target }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ""}`)
      )
    )
  }, "label-content-name-mismatch")
}

/** Waits until the element that has the focus has this name or text. */
export const hasFocus = (page: Page, words: RegExp | string) =>
  eventually(async () => {
    const focused = await focusedText(page)
    if (typeof words === "string") assert.strictEqual(focused, words)
    else assert.match(focused, words)
  })

/** The name or text of the element that has the focus. */
export const focusedText = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "")

/** Whether something of the page lies beside the screen. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Keeps a picture of the page for those who look, where SCREENSHOTS names a folder. */
export const look = async (page: Page, name: string) => {
  const folder = process.env["SCREENSHOTS"]
  if (folder === undefined) return
  const root = fileURLToPath(new URL("../..", import.meta.url))
  await mkdir(path.resolve(root, folder), { recursive: true })
  await page.screenshot({ path: path.join(path.resolve(root, folder), `${name}.png`) })
}
