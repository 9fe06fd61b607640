import { createServer, type RequestListener } from "node:http"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { directory, listen, once, run, standIn, start, useCommand } from "../cli/built.ts"
import { command } from "./overStdio.ts"

useCommand()

const environments = { none: { engine_host: "http://127.0.0.1:65535", engine_api_key: "none" } }

/** A key of that kind and with those rights, which ends so many days from now. */
const keyOf = (claims: { readonly acc: number; readonly s: number }, days: number) => {
  const exp = Math.floor(Date.now() / 1000) + days * 86_400 + 3600
  return `e30.${Buffer.from(JSON.stringify({ ...claims, exp })).toString("base64url")}.signature-of-a-key`
}
const promotion = 2 ** 6
const readOnlyBit = 2 ** 30
const personal = keyOf({ acc: 3, s: promotion }, 30)

/** A marketplace with 12 campaigns that takes any of the keys; one that it refuses, it repeats. */
const marketplace =
  (...keys: ReadonlyArray<string>): RequestListener =>
  ({ headers, method, url }, response) => {
    const { authorization = "" } = headers
    const isTaken = keys.some((key) => authorization === `Bearer ${key}`)
    const isKnown = method === "GET" && url === "/adv/v1/promotion/count"
    response.writeHead(isTaken ? (isKnown ? 200 : 404) : 401, { "content-type": "application/json" })
    response.end(JSON.stringify(isTaken ? { all: 12, adverts: [] } : { detail: `token problem; ${authorization}` }))
  }

/** The `marketplace` object of a configuration file. */
interface Given {
  readonly apiKey: string
  readonly [field: string]: unknown
}

/** The line about the marketplace, and the exit code of a check that finds nothing else wrong. */
const check = async (marketplace: Given | undefined, ...args: ReadonlyArray<string>) => {
  const engine = await standIn((_, response) => response.end('{"data":[],"nextCursor":null}'))
  const cwd = await directory({
    ".config.json": { environments: { good: { engine_host: engine, engine_api_key: "none" } }, marketplace }
  })
  const { code, stderr, stdout } = await run(
    ["check", "--config", ".config.json", "--toolsets", "marketplace", ...args],
    { cwd }
  )
  assert.notInclude(stdout + stderr, marketplace?.apiKey ?? "marketplace key")
  const [, first, ...others] = stdout.trim().split("\n")
  assert.include(first, "good (default)")
  return { code, words: others.join("\n") }
}

describe("check with the marketplace's tools", () => {
  it("calls the marketplace once, and tells what the key is and may do", async () => {
    const calls: Array<string | undefined> = []
    const baseUrl = await standIn((incoming, response) => {
      calls.push(incoming.url)
      marketplace(personal)(incoming, response)
    })
    assert.deepStrictEqual(await check({ baseUrl, apiKey: personal, readOnly: false }), {
      code: 0,
      words: `marketplace: ${baseUrl} answers and takes the key: a personal key, 30 days left, 12 campaigns. Campaigns may be changed.`
    })
    assert.deepStrictEqual(calls, ["/adv/v1/promotion/count"])
  })

  it.each([
    [{ apiKey: personal }, [], "Nothing may be changed: marketplace.readOnly is not false in the configuration."],
    [{ apiKey: personal, readOnly: false }, ["--read-only"], "Nothing may be changed: the whole server is read-only"],
    [
      { apiKey: keyOf({ acc: 3, s: promotion + readOnlyBit }, 30), readOnly: false },
      [],
      "Nothing may be changed: the key is a read-only one"
    ],
    [{ apiKey: keyOf({ acc: 3, s: 0 }, 30) }, [], "The key has no promotion right: make one that has it."],
    [{ apiKey: keyOf({ acc: 1, s: promotion }, 30) }, [], "a base key, 30 days left"],
    [{ apiKey: "not-a-token" }, [], "takes the key: a key that does not tell its kind, 12 campaigns."]
  ])("reports on %j with %j", async (given, args, words) => {
    const checked = await check({ baseUrl: await standIn(marketplace(given.apiKey)), ...given }, ...args)
    assert.strictEqual(checked.code, 0)
    assert.include(checked.words, words)
  })

  it("fails without showing the key when the key is refused", async () => {
    const { code, words } = await check({ baseUrl: await standIn(marketplace(personal)), apiKey: "a-wrong-key-0000" })
    assert.strictEqual(code, 1)
    assert.match(words, /^marketplace: .*token problem; \[redacted\]/)
  })

  it("fails when nothing answers", async () => {
    const { code, words } = await check({ baseUrl: "http://127.0.0.1:65535", apiKey: personal })
    assert.strictEqual(code, 1)
    const problem = "the marketplace cannot be reached at http://127.0.0.1:65535: nothing listens there (ECONNREFUSED)."
    assert.include(words, `marketplace: Could not count the campaigns: ${problem} Nothing was changed. Check `)
  })

  it("goes through a proxy, which is named where it lets nothing pass", async () => {
    const wanted: Array<string | undefined> = []
    const server = createServer().on("connect", ({ url }, client) => {
      wanted.push(url)
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    const port = await listen(server)
    const proxy = `http://name:password@127.0.0.1:${port}`
    const { code, words } = await check({ baseUrl: "https://ads.test", apiKey: personal, proxy })
    assert.strictEqual(code, 1)
    assert.include(words, `https://ads.test through the proxy http://127.0.0.1:${port}: the proxy refuses to connect`)
    assert.notInclude(words, "password")
    assert.include(wanted, "ads.test:443")
  })

  it("says which certificate authorities cannot be read", async () => {
    const { code, words } = await check({ apiKey: personal, caFile: "nowhere.pem" })
    assert.strictEqual(code, 1)
    assert.match(words, /^marketplace: caFile: nowhere\.pem cannot/)
  })

  it.each([
    [{ apiKey: personal, gards: {} }, "marketplace.gards is not a known setting"],
    [undefined, "marketplace.apiKey is required"]
  ])("fails when the configuration is wrong: %j", async (given, words) => {
    assert.deepStrictEqual(await check(given), { code: 1, words })
  })

  it("reports nothing on the embedded marketplace", async () => {
    const { code, stdout } = await run(["check", "--embedded", "--toolsets", "marketplace"])
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "marketplace")
  })
})

describe("the command", () => {
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })

  it.each([
    [["--toolsets", "engine,marketplace"], true],
    [[], false]
  ])("offers the tools only when asked for: %j", async (args, isOffered) => {
    const { child, ended } = start(["--embedded", ...args])
    child.stdin.end(`${list}\n`)
    const { stdout } = await ended
    assert.include(stdout, '"name":"list_workflows"')
    assert.strictEqual(stdout.includes('"name":"apply_plan"'), isOffered)
  })

  it("does not read the marketplace's configuration where its tools are off", async () => {
    const cwd = await directory({ ".config.json": { environments, marketplace: { gards: {} } } })
    assert.deepInclude(await run(["--config", ".config.json"], { cwd }), { code: 0, stderr: "" })
  })
})

describe("an advertiser without an engine", () => {
  const requests = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    .map((method, id) => JSON.stringify({ jsonrpc: "2.0", id, method }))
    .join("\n")

  it.each([
    ["a file", { marketplace: { apiKey: personal } }, ["--config", ".config.json", "--toolsets", "marketplace"], {}],
    [
      "a file that names the toolset",
      { marketplace: { apiKey: personal }, toolsets: ["marketplace"] },
      ["--config", ".config.json"],
      {}
    ],
    ["variables", undefined, ["--toolsets", "marketplace"], { MARKETPLACE_API_KEY: personal }]
  ])("needs only %s, and is offered no tool of the engine", async (_, file, args, env) => {
    const cwd = await directory(file === undefined ? {} : { ".config.json": file })
    const { child, ended } = start(args, { cwd, env })
    child.stdin.end(`${requests}\n`)
    const { code, stderr, stdout } = await ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(
      [...stdout.matchAll(/"name":"([a-z_-]+)"/g)].map(([, name]) => name).filter((name) => !name?.startsWith("ads_")),
      ["show_plan", "plan_rollback", "audit_log", "report"]
    )
    assert.include(stdout, '"name":"ads_check_key"')
    for (const empty of ['"prompts":[]', '"resources":[]', '"uriTemplate":"ads://report{?'])
      assert.include(stdout, empty)
  })

  it("gets a check of the marketplace alone", async () => {
    const baseUrl = await standIn(marketplace(personal))
    const cwd = await directory({ ".config.json": { marketplace: { baseUrl, apiKey: personal } } })
    const { code, stdout } = await run(["check", "--config", ".config.json", "--toolsets", "marketplace"], { cwd })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^marketplace: .* takes the key/)
  })

  it.each([
    [{ marketplace: { apiKey: personal } }, [], "environments: expected at least one instance"],
    [
      { marketplace: { apiKey: personal }, toolsets: ["marketplace"] },
      ["--toolsets", "engine"],
      "environments: expected at least one instance"
    ],
    [undefined, [], "Configuration file not found"],
    [undefined, ["--toolsets", "marketplace"], "marketplace.apiKey is required"]
  ])("gets told what is missing: %j with %j", async (file, args, words) => {
    const cwd = await directory(file === undefined ? {} : { ".config.json": file })
    const { code, stderr } = await run(args, { cwd })
    assert.strictEqual(code, 1)
    assert.include(stderr, words)
  })
})

describe("the marketplace's key in the environment", () => {
  /** The folder in which trust in the content of the configuration is kept: it does not make the file a named one. */
  const trustedIn = async (cwd: string) => {
    const XDG_STATE_HOME = await directory()
    await run(["check", "--trust"], { cwd, env: { XDG_STATE_HOME } })
    return XDG_STATE_HOME
  }

  it.each([
    ["proxy", "http://127.0.0.1:65535"],
    ["caFile", "authorities.pem"]
  ])("is not sent by a way that a file of the working folder names: %s", async (field, value) => {
    const cwd = await directory({ ".config.json": { environments, marketplace: { [field]: value } } })
    const env = { MARKETPLACE_API_KEY: personal, XDG_STATE_HOME: await trustedIn(cwd) }
    const { code, stderr } = await run(["--toolsets", "marketplace"], { cwd, env })
    assert.strictEqual(code, 1)
    assert.include(stderr, `marketplace.${field} may not decide where the key of MARKETPLACE_API_KEY goes`)
  })

  it("is not sent to a host that a file of the working folder names", async () => {
    const heard: Array<string | undefined> = []
    const baseUrl = await standIn(({ url }, response) => {
      heard.push(url)
      response.end()
    })
    const cwd = await directory({ ".config.json": { environments, marketplace: { baseUrl } } })
    const env = { MARKETPLACE_API_KEY: personal, XDG_STATE_HOME: await trustedIn(cwd) }
    const { code, stderr } = await run(["--toolsets", "marketplace"], { cwd, env })
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /^\.config\.json: marketplace\.baseUrl may not decide where the key of MARKETPLACE_API_KEY goes/
    )
    assert.include(stderr, "set MARKETPLACE_HOST in the environment too")
    const checked = await run(["check", "--toolsets", "marketplace"], { cwd, env })
    assert.include(checked.stdout, "marketplace.baseUrl may not decide")
    assert.deepStrictEqual(heard, [])
  })
})

describe("two servers over one journal", () => {
  it("apply one at a time, and both see what was planned and done", async () => {
    const shop = slowShop()
    const baseUrl = await standIn(shop.listener)
    const cwd = await directory({
      ".config.json": { environments, marketplace: { baseUrl, apiKey: personal, readOnly: false } }
    })
    const named = ["--config", ".config.json"]
    const [first, second, reader] = [
      command(cwd, {}, ...named),
      command(cwd, {}, ...named),
      command(cwd, {}, ...named, "--read-only")
    ]
    const planned = async ({ call }: typeof first, bid_rubles: number) => {
      const changes = [{ advert_id: 1001, nm_id: 5, bid_rubles }]
      return (await call("ads_plan_bids", { changes, check_floors: false }))["plan_id"]
    }
    const plan_id = await planned(first, 300)
    for (const { call } of [second, reader]) {
      assert.deepInclude(await call("show_plan", { plan_id }), { plan_id, state: "planned" })
    }
    assert.deepInclude(await second.call("ads_check_key", {}), { may_write: true })

    const applying = first.call("apply_plan", { plan_id, confirm: true })
    await shop.reached
    const meanwhile = await planned(second, 310)
    for (const { call } of [second, reader]) {
      assert.deepInclude(await call("show_plan", { plan_id }), { plan_id, state: "begun" })
      assert.include(JSON.stringify(await call("audit_log", { plan_id })), '"what":"begun"')
    }
    const busy = await second.fail("apply_plan", { plan_id: meanwhile, confirm: true })
    assert.include(busy, `is in use by process ${first.child.pid}`)
    assert.include(busy, "Another server works in it, as while it applies a plan: call again when that is done")
    shop.letGo()
    assert.deepInclude(await applying, { state: "applied", done: 1 })

    assert.deepInclude(await second.call("show_plan", { plan_id }), { state: "applied" })
    const third = await planned(second, 320)
    assert.deepInclude(await second.call("apply_plan", { plan_id: third, confirm: true }), { state: "applied" })
    assert.deepInclude(await first.call("show_plan", { plan_id: meanwhile }), { state: "planned" })
    for (const server of [first, second, reader]) server.child.stdin.end()
    for (const server of [first, second, reader]) assert.deepInclude(await server.ended, { code: 0 })
  })

  it.each([
    ["plans.jsonl", /^marketplace\.journal: line 1 of .*plans\.jsonl is no entry of this journal, and neither is any/],
    [
      "nowhere/plans.jsonl",
      /^marketplace\.journal: .*nowhere\/plans\.jsonl.* Is its folder there, and may this process/
    ]
  ])("read and plan without a usable journal (%s), and say why they apply nothing", async (journal, why) => {
    const baseUrl = await standIn(marketplace(personal))
    const cwd = await directory({
      ".config.json": { environments, marketplace: { baseUrl, apiKey: personal, readOnly: false, journal } },
      "plans.jsonl": '{"not":"an entry"}\n'
    })
    const { call, child, ended } = command(cwd, {}, "--config", ".config.json")
    const checked = await call("ads_check_key", {})
    assert.deepInclude(checked, { accepted: true, may_write: false })
    assert.match(String(checked["why_not"]), why)
    child.stdin.end()
    const { code, stderr } = await ended
    assert.strictEqual(code, 0)
    assert.include(stderr, "No marketplace plan can be applied here: marketplace.journal: ")
  })

  it("use the same journal wherever they are started", async () => {
    const shop = slowShop()
    const baseUrl = await standIn(shop.listener)
    const home = await directory({ "my.json": { marketplace: { baseUrl, apiKey: personal, readOnly: false } } })
    const anywhere = async () => command(await directory(), {}, "--config", path.join(home, "my.json"))
    const first = await anywhere()
    const phrases = { advert_id: 1001, phrases: ["a"], mode: "merge" }
    const { plan_id } = await first.call("ads_plan_minus_phrases", phrases)
    const second = await anywhere()
    assert.deepInclude(await second.call("show_plan", { plan_id }), { plan_id, state: "planned" })
  })
})

/** A marketplace with one campaign, which answers the first change of a bid only when it is let go. */
const slowShop = () => {
  const [reached, go] = [once<void>(), once<void>()]
  let search = 25_000
  const campaignNow = () => ({
    id: 1001,
    bid_type: "manual",
    status: 9,
    settings: { name: "Cups", payment_type: "cpm", placements: { search: true, recommendations: false } },
    nm_settings: [{ nm_id: 5, bids_kopecks: { search, recommendations: 0 } }]
  })
  const listener: RequestListener = ({ method, url = "" }, response) => {
    const answer = (json: unknown) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(json))
    }
    if (url.startsWith("/api/advert/v2/adverts")) return answer({ adverts: [campaignNow()] })
    if (method !== "PATCH") return answer(url.includes("count") ? { all: 1, adverts: [] } : {})
    const isFirst = search === 25_000
    search = isFirst ? 30_000 : 32_000
    reached.resolve()
    if (isFirst) void go.promise.then(() => answer({}))
    else answer({})
  }
  return { listener, reached: reached.promise, letGo: () => go.resolve() }
}
