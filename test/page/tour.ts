/*
 * Makes docs/tour.webp, the moving picture of the README, from the built command: npm run tour. A client asks what an assistant asks,
 * on the two instances that npm start has; its calls and the answers are shown as they are, cut where a line is too long.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { chromium, type Page } from "playwright-core"

import manifest from "../../package.json" with { type: "json" }
import { chromiumFile, flags } from "./browser.ts"

type Json = Readonly<Record<string, unknown>>
const root = fileURLToPath(new URL("../..", import.meta.url))
const [width, height, bar] = [1200, 700, 44]
const limit = 1_000_000

/** A file of the container format of WebP: four letters, a length, and parts of an even length. */
const chunk = (name: string, ...parts: ReadonlyArray<Uint8Array>) => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.write(name)
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

const numbers = (...values: ReadonlyArray<readonly [value: number, bytes: number]>) =>
  Buffer.concat(
    values.map(([value, bytes]) => {
      const number = Buffer.alloc(bytes)
      number.writeUIntLE(value, 0, bytes)
      return number
    })
  )

/** The picture itself out of a file that holds a single one. */
const imageIn = (file: Buffer): Buffer => {
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (/^VP8[ L]$/.test(file.toString("latin1", at, at + 4))) return file.subarray(at, end)
    at = end
  }
  throw new Error("a screenshot is no WebP")
}

interface Frame {
  readonly image: Buffer
  readonly milliseconds: number
}

/** Frames as one moving picture, which begins anew at its end. */
const animated = (frames: ReadonlyArray<Frame>): Buffer => {
  const size = [[width - 1, 3] as const, [height + bar - 1, 3] as const]
  const moves = 2
  return chunk(
    "RIFF",
    Buffer.from("WEBP"),
    chunk("VP8X", numbers([moves, 4], ...size)),
    chunk("ANIM", numbers([0xff_ff_ff_ff, 4], [0, 2])),
    ...frames.map(({ image, milliseconds }) =>
      chunk("ANMF", numbers([0, 3], [0, 3], ...size, [milliseconds, 3], [0, 1]), image)
    )
  )
}

const [, ...words] = manifest.scripts.start.split(" ")
const server = spawn(process.execPath, [...words, "--port", "0"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] })
let heard = ""
server.stderr.setEncoding("utf8").on("data", (text: string) => (heard += text))
while (!/Serving \S+\/mcp\n/.test(heard)) await once(server.stderr, "data")
const origin = /Serving (\S+)\/mcp\n/.exec(heard)?.[1] ?? ""

const call = async (name: string, args: Json): Promise<Json> => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "Assistant", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {}
  }
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } }
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name
    },
    body: JSON.stringify(message)
  })
  const { error, result }: { error?: { message: string }; result?: { isError?: boolean; structuredContent: Json } } =
    JSON.parse(await response.text())
  if (result === undefined || result.isError === true) {
    throw new Error(`${name}: ${error?.message ?? JSON.stringify(result?.structuredContent)}`)
  }
  return result.structuredContent
}

const browser = await chromium.launch({ executablePath: chromiumFile(), headless: true, args: flags })
const context = await browser.newContext({ viewport: { width, height: height + bar }, locale: "en-GB" })
const stage = await context.newPage()
const site = await context.newPage()
await site.setViewportSize({ width, height })
const session = await context.newCDPSession(stage)
const frames = new Array<Frame>()

/** Keeps what the stage shows for some time. */
const keep = async (milliseconds: number) => {
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 62 })
  frames.push({ image: imageIn(Buffer.from(data, "base64")), milliseconds })
}

const style = `*{box-sizing:border-box;margin:0}body{font:22px/1.5 system-ui,sans-serif;background:#fff;color:#1f2430}
header{height:${bar}px;padding:8px 24px;background:#1f2430;color:#fff;font-weight:600;white-space:nowrap;overflow:hidden}
main{height:${height}px;overflow:hidden}main.talk{padding:28px 60px;background:#f6f7f9}
.talk p{margin:0 0 14px;max-width:100%}.person{background:#2d5bd7;color:#fff;border-radius:14px;padding:10px 18px;width:fit-content;margin-left:auto!important}
.call{font:600 18px/1.5 ui-monospace,monospace;color:#5b3fb0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.answer{font:18px/1.6 ui-monospace,monospace;background:#fff;border-left:4px solid #c9ced8;padding:10px 18px}
.answer span{display:block;padding-left:15ch;text-indent:-15ch;white-space:pre-wrap;overflow-wrap:anywhere}
img{display:block;width:${width}px;height:${height}px}`

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const show = (caption: string, kind: string, inside: string) =>
  stage.setContent(`<style>${style}</style><header>${escaped(caption)}</header><main class="${kind}">${inside}</main>`)

/** A view of the page, once all in it has come. */
const view = async (caption: string, place: string, milliseconds: number, act?: (page: Page) => Promise<unknown>) => {
  await site.goto(`${origin}/#/${place}`)
  await site.reload()
  await site.waitForLoadState("networkidle")
  await act?.(site)
  await site.waitForFunction(() => !/\bLoading\b/.test(document.body.textContent ?? ""))
  const picture = (await site.screenshot({ animations: "disabled" })).toString("base64")
  await show(caption, "page", `<img src="data:image/png;base64,${picture}">`)
  await stage.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0))
  await keep(milliseconds)
}

type Line = readonly [kind: "answer" | "call" | "person", text: string]

/** A person's words, the calls that they lead to and what the server answers, one after the other. */
const talk = async (caption: string, lines: ReadonlyArray<Line>) => {
  for (const count of lines.keys()) {
    const said = lines.slice(0, count + 1).map(([kind, text]) => {
      const rows = text.split("\n").map((row) => `<span>${escaped(row)}</span>`)
      return `<p class="${kind}">${rows.join("")}</p>`
    })
    await show(caption, "talk", said.join(""))
    await keep(count === lines.length - 1 ? 3200 : 1300)
  }
}

const written = (name: string, args: Json): Line => ["call", `${name} ${JSON.stringify(args)}`]
const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))
const linesOf = (rows: ReadonlyArray<readonly [label: string, value: unknown]>): Line => [
  "answer",
  rows.map(([label, value]) => `${label.padEnd(15)}${textOf(value)}`).join("\n")
]

/** The parts of the answers that are shown. */
interface Answers {
  readonly execution: { readonly id: number; readonly workflow: { readonly id: string } }
  readonly failed: { readonly node: string; readonly message: string; readonly code?: string }
  readonly item: { readonly index: number; readonly of: number }
  readonly path: string
  readonly plan_id: string
  readonly counts: Json
  readonly first_steps: ReadonlyArray<{ readonly after: { readonly changes: ReadonlyArray<string> } }>
  readonly state: string
}
const read = async (name: string, args: Json): Promise<Answers> => JSON.parse(JSON.stringify(await call(name, args)))

try {
  await view("Is all well? Two instances at a glance", "", 3500)

  const question = { instance: "production", workflowId: "Order import" }
  const { execution, failed, item, path: way } = await read("explain_execution", question)
  await talk("An assistant finds out why, in one call", [
    ["person", "Why did last night's order import fail?"],
    written("explain_execution", question),
    linesOf([
      ["node", failed.node],
      ["error", failed.message],
      ["code", failed.code ?? ""],
      ["item", `${item.index + 1} of ${item.of}`],
      ["path", way]
    ])
  ])
  const place = `workflow/production/${execution.workflow.id}?execution=${execution.id}`
  await view("The same on the page: the item that failed, and what the last success had", place, 3500)
  await view("The run, drawn over its workflow", place, 3000, (page) =>
    page
      .locator(".drawing")
      .first()
      .evaluate((drawing) => drawing.scrollIntoView({ block: "center" }))
  )

  const promotion = { from: "staging", to: "production", ids: ["Order import"] }
  const plan = await read("plan_promotion", promotion)
  const apply = { plan_id: plan.plan_id, confirm: true }
  const applied = await read("apply_plan", apply)
  await talk("A change is shown before it is made", [
    ["person", "Staging has a fix. Bring it to production, and show me first."],
    written("plan_promotion", promotion),
    linesOf([["would change", plan.first_steps[0]?.after.changes[0]]]),
    ["person", "Yes."],
    written("apply_plan", apply),
    linesOf([["state", applied.state]])
  ])
  await view("What was changed, by whom, and Undo beside it", "changes", 3500)
  await view("An undo is shown first, too", "changes", 3500, (page) =>
    page.getByRole("button", { name: /^Undo/ }).first().click()
  )

  const picture = animated(frames)
  if (picture.length > limit) throw new Error(`the picture has ${picture.length} bytes, more than ${limit}`)
  writeFileSync(path.join(root, "docs/tour.webp"), picture)
  console.error(`docs/tour.webp: ${picture.length} bytes, ${frames.length} frames`)
} finally {
  await browser.close()
  server.kill()
  await once(server, "exit")
}
