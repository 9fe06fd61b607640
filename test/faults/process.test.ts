import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"

import { assert, describe, it } from "vitest"

import { commandFile } from "../cli/built.ts"
import { staysSilent } from "../support/loopback.ts"
import { faultyEngine, healthy, held, useEngines } from "./FaultyEngine.ts"
import { peakBytes, residentBytes } from "./processes.ts"
import {
  configurationOf,
  directory,
  key,
  moment,
  overHttp,
  overStdio,
  read,
  run,
  textOf,
  transports,
  useCommand
} from "./servers.ts"

useCommand()
useEngines()

const MiB = 1024 * 1024
const list = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`

/** A stdio server over a healthy engine. */
const serving = async () => {
  const engine = await faultyEngine()
  const server = await overStdio(configurationOf({ main: engine.host }))
  await server.call(...read)
  return { engine, server }
}

describe.concurrent("the end of a client", () => {
  it("that no longer listens ends the server without a stack", async ({ expect }) => {
    const { server } = await serving()
    server.child.stdout.destroy()
    server.child.stdin.on("error", () => {})
    for (let id = 0; id < 20; id++) server.child.stdin.write(list(id))
    const { code, stderr } = await server.ended
    expect([0, 1]).toContain(code)
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/)
  })

  it("whose output has no room left is told so in the log", async ({ expect }) => {
    const toFull = `printf '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$0" "$1" --embedded > /dev/full`
    const { status, stderr } = spawnSync("sh", ["-c", toFull, process.execPath, commandFile()], { encoding: "utf8" })
    expect(stderr).toContain("Standard output broke (ENOSPC)")
    expect(status).toBe(0)
  })

  it("whose log is closed does no harm", async ({ expect }) => {
    const { engine, server } = await serving()
    server.child.stderr.destroy()
    engine.does((socket) => socket.resetAndDestroy())
    for (let call = 0; call < 5; call++) expect((await server.call(...read)).error).toBeDefined()
    engine.heals()
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    server.child.stdin.end()
    expect((await server.ended).code).toBe(0)
  })

  it("that leaves while nothing goes on ends the server with 0", async ({ expect }) => {
    const { server } = await serving()
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
  })

  it("that leaves gets the answers that are under way", async ({ expect }) => {
    const { engine, server } = await serving()
    const hold = held()
    engine.plays(hold.act)
    const answer = server.call(...read)
    await hold.arrived
    server.child.stdin.end()
    hold.answer()
    expect(textOf(await answer)).toContain("Workflow 1")
    expect((await server.ended).code).toBe(0)
  })

  for (const [transport, open] of transports) {
    it.for(["SIGTERM", "SIGINT"] as const)(
      `over ${transport} waits five seconds at most for a call that never ends, after %s`,
      async (signal, { expect }) => {
        const engine = await faultyEngine()
        const server = await open(configurationOf({ main: engine.host }))
        await server.call(...read)
        engine.does(staysSilent)
        const answer = server.call(...read).catch(String)
        await engine.untilAsked(1)
        const before = performance.now()
        server.child.kill(signal)
        expect((await server.ended).code).toBe(0)
        // Long before the call's own time is over, which is 30 seconds.
        expect(performance.now() - before).toBeLessThan(20_000)
        if (transport === "stdio") expect((await answer) instanceof Object).toBe(true)
      }
    )

    it(`over ${transport} is not waited for at the second signal`, async ({ expect }) => {
      const engine = await faultyEngine()
      const server = await open(configurationOf({ main: engine.host }))
      await server.call(...read)
      engine.does(staysSilent)
      void server.call(...read).catch(String)
      await engine.untilAsked(1)
      // Two signals of one kind at once arrive as one.
      server.child.kill("SIGTERM")
      server.child.kill("SIGINT")
      // With 0 where it was waited for.
      expect((await server.ended).code).toBe(130)
    })
  }
})

describe("a client that reads slowly", () => {
  it("makes the server wait, not grow, and gets every answer in the end", async () => {
    const { server } = await serving()
    const requests = 3000
    server.child.stdout.pause()
    const all = moment<void>()
    let answered = 0
    let last = 0
    server.child.stdout.on("data", (text: string) => {
      for (const _ of text.matchAll(/"jsonrpc"/g)) if (++answered === requests) all.resolve()
      last = residentBytes(server.child.pid)
    })
    for (let id = 0; id < requests; id++) {
      if (!server.child.stdin.write(list(id))) {
        // What the pipe does not take now, it takes when the client reads.
        server.child.stdout.resume()
        await once(server.child.stdin, "drain")
        server.child.stdout.pause()
      }
    }
    server.child.stdout.resume()
    await all.promise
    assert.strictEqual(answered, requests)
    assert.isBelow(peakBytes(server.child.pid), 500 * MiB)
    assert.isBelow(last, 500 * MiB)
  })
})

describe.concurrent("a start that cannot be", () => {
  it("names the port that is taken, in one line", async ({ expect }) => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const address = taken.address()
    const port = typeof address === "object" ? address?.port : undefined
    const { code, stderr, stdout } = await run(["--http", "--embedded", "--port", `${port}`])
    taken.close()
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^Port \d+ on 127\.0\.0\.1 is already in use\. .+\n$/)
  })

  const instance = { engine_host: "https://a.test", engine_api_key: key }
  const broken: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, RegExp]> = [
    ["nothing at all", {}, /^Configuration file not found/],
    ["an empty file", { ".config.json": "" }, /^\.config\.json: /],
    ["half a file", { ".config.json": `{"environments":{"a":{"engine_api_key":"${key}` }, /^\.config\.json: line 1/],
    ["a list", { ".config.json": [instance] }, /^\.config\.json: /],
    [
      "no environments",
      { ".config.json": { defaultEnv: "a" } },
      /^(\.config\.json: environments|Instance a not found)/
    ],
    [
      "a key that is a number",
      { ".config.json": { environments: { a: { ...instance, engine_api_key: 7 } }, defaultEnv: "a" } },
      /engine_api_key/
    ],
    [
      "a key over two lines",
      { ".config.json": { environments: { a: { ...instance, engine_api_key: `${key}\nx` } }, defaultEnv: "a" } },
      /engine_api_key/
    ],
    [
      "an instance without a host",
      { ".config.json": { environments: { a: { engine_api_key: key } }, defaultEnv: "a" } },
      /engine_host/
    ],
    [
      "a host with /api/v1",
      {
        ".config.json": { environments: { a: { ...instance, engine_host: "https://a.test/api/v1" } }, defaultEnv: "a" }
      },
      /base URL only/
    ],
    [
      "a host without a scheme",
      { ".config.json": { environments: { a: { ...instance, engine_host: "a.test" } }, defaultEnv: "a" } },
      /engine_host/
    ],
    [
      "plain HTTP to another machine",
      { ".config.json": { environments: { a: { ...instance, engine_host: "http://a.test" } }, defaultEnv: "a" } },
      /https|allowInsecureHttp/
    ],
    [
      "a default that is not there",
      { ".config.json": { environments: { a: instance }, defaultEnv: "b" } },
      /^Instance b not found in configuration\. Available: a/
    ],
    [
      "a default named like a part of every object",
      { ".config.json": { environments: { a: instance }, defaultEnv: "constructor" } },
      /^Instance constructor not found/
    ],
    ["an .env without a key", { ".env": "ENGINE_HOST=https://a.test\n" }, /ENGINE_API_KEY/]
  ]
  it.for(broken)("says what is wrong with %s, and shows no key", async ([, files, expected], { expect }) => {
    const { code, stderr, stdout } = await run([], { cwd: await directory(files) })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(expected)
    expect(stderr).not.toContain(key)
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/)
  })

  it.for(["", "/", "///", "/api/v1/"])("is none for a host that ends in %j", async (suffix, { expect }) => {
    const engine = await faultyEngine()
    engine.does(healthy)
    const server = await overHttp(configurationOf({ main: `${engine.host}${suffix}` }))
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    expect(engine.asked()).toContain("GET /api/v1/workflows/1")
  })

  it("takes the host and the key of the environment before those of the file", async ({ expect }) => {
    const engine = await faultyEngine()
    const env = { ENGINE_HOST: engine.host, ENGINE_API_KEY: "from-the-environment" }
    const server = await overStdio(configurationOf({ main: "https://a.test" }), { env })
    expect(textOf(await server.call(...read))).toContain("Workflow 1")
    expect(engine.requests()[0]?.head).toContain("from-the-environment")
  })
})
