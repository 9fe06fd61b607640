import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { commandFile, directory, run, start, useCommand } from "./built.ts"

useCommand()

const env = { ENGINE_HOST: "http://127.0.0.1:9", ENGINE_API_KEY: "canary" }
const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`
const pong = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`
const ids = (count: number) => Array.from({ length: count }, (_, id) => id)

/** The command with an input of its own, what it first answered and what it said until its end. */
const withInput = async (input: number | Socket) => {
  const child = spawn(process.execPath, [commandFile()], {
    cwd: await directory(),
    env,
    stdio: [input, "pipe", "pipe"]
  })
  const { stderr, stdout } = child
  assert(stdout !== null && stderr !== null)
  const output = { stdout: "", stderr: "" }
  stdout.on("data", (text) => (output.stdout += String(text)))
  stderr.on("data", (text) => (output.stderr += String(text)))
  const ended = once(child, "close").then(([code]: ReadonlyArray<unknown>) => ({ code, ...output }))
  return { answered: once(stdout, "data"), ended }
}

describe("standard input", () => {
  it("may come in pieces of any size", async () => {
    const { child, ended } = start([], { env, cwd: await directory() })
    child.stdin.setDefaultEncoding("latin1")
    for (const byte of ids(3).map(ping).join("")) await new Promise((written) => child.stdin.write(byte, written))
    const many = ids(5000).map((id) => id + 3)
    child.stdin.end(many.map(ping).join(""))
    const { code, stdout } = await ended
    assert.strictEqual(stdout, [...ids(3), ...many].map(pong).join(""))
    assert.strictEqual(code, 0)
  })

  it("may be a file", async () => {
    const folder = await directory({ "input.jsonl": ids(2000).map(ping).join("") })
    const file = openSync(path.join(folder, "input.jsonl"), "r")
    const { ended } = await withInput(file)
    closeSync(file)
    const { code, stdout } = await ended
    assert.strictEqual(stdout, ids(2000).map(pong).join(""))
    assert.strictEqual(code, 0)
  })

  it("may be empty", async () => {
    assert.deepEqual(await run([], { env, cwd: await directory() }), { code: 0, stdout: "", stderr: "" })
  })

  it("that breaks is told of, and ends the server", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve))
    const address = server.address()
    const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
    const input = await accepted
    const { answered, ended } = await withInput(input)
    input.destroy()
    server.close()
    client.write(ping(1))
    await answered
    client.resetAndDestroy()
    const { code, stderr, stdout } = await ended
    assert.strictEqual(stdout, pong(1))
    assert.include(stderr, "Standard input broke")
    assert.strictEqual(code, 0)
  })
})
