import { chmod, mkdir, readdir, readFile, rmdir, stat } from "node:fs/promises"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Logger } from "effect"
import { assert, describe, it } from "vitest"

import { auditFile } from "../../../src/cli/audit/auditLog.ts"
import { directory, start, startHttp, useCommand } from "../built.ts"

useCommand()

const secret = "sk-NEVER-RECORDED-1234567890"
const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
const call = (id: number, name: string, args: object) => message(id, "tools/call", { name, arguments: args })
const introduction = message(0, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "tester\u0007", version: "1.2" }
})

const read = async (cwd: string, name = "audit.jsonl") => {
  const text = await readFile(path.join(cwd, name), "utf8")
  assert.notInclude(text, "NEVER-RECORDED")
  assert.isTrue(text.endsWith("\n"))
  return text
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line))
}
const settings = (audit: unknown) => ({ ".config.json": { environments: {}, audit } })
const embedded = ["--embedded", "--config", ".config.json"]

/** Sends the messages over stdio and waits for the end. */
const say = async (cwd: string, args: ReadonlyArray<string>, ...messages: ReadonlyArray<string>) => {
  const { child, ended } = start(args, { cwd })
  child.stdin.end(messages.join(""))
  return ended
}

describe("the audit log", () => {
  it("records who made every call that may change something and how it ended, without arguments and answers", async () => {
    const cwd = await directory(settings("audit.jsonl"))
    const answers = await say(
      cwd,
      embedded,
      introduction,
      call(1, "create_tag", { name: "sk-NEVER-RECORDED" }),
      call(2, "delete_workflow", { id: "no-such-id" }),
      call(3, "update_tag", { id: `../${secret}`, name: "x" }),
      call(4, "get_tags", {}),
      call(5, "create_workflow", { instance: secret, name: secret, nodes: [], connections: [] })
    )
    assert.deepInclude(answers, { code: 0 })
    const entries = (await read(cwd)).toSorted((a, b) => String(a["tool"]).localeCompare(String(b["tool"])))
    const who = { transport: "stdio", client: "tester\\u{7}/1.2" }
    for (const entry of entries) {
      assert.deepInclude(entry, who)
      assert.match(String(entry["time"]), /^\d{4}-\d\d-\d\dT.*Z$/)
      assert.isAtLeast(Number(entry["durationMs"]), 0)
    }
    assert.containSubset(entries, [
      { tool: "create_tag", instance: "embedded", outcome: "succeeded" },
      { tool: "create_workflow", outcome: "failed", error: "INSTANCE_NOT_FOUND", ids: [] },
      { tool: "delete_workflow", instance: "embedded", outcome: "failed", error: "API_ERROR", ids: ["no-such-id"] },
      { tool: "update_tag", instance: "embedded", outcome: "failed", error: "API_ERROR", ids: [] }
    ])
    assert.lengthOf(entries, 4)
    const created = /\\"id\\":\\"(\w+)\\"/.exec(answers.stdout)
    assert.deepStrictEqual(entries[0]?.["ids"], [created?.[1]])
    assert.strictEqual((await stat(path.join(cwd, "audit.jsonl"))).mode & 0o777, 0o600)
  })

  it("records the caller over HTTP, and holds every call when the server is told to stop", async () => {
    const cwd = await directory(settings({ file: "logs.jsonl" }))
    const { child, ended, url } = await startHttp([...embedded, "--audit", "audit.jsonl"], { cwd })
    const post = (body: string) => fetch(`${url}/mcp`, { method: "POST", body, headers: { "user-agent": "curl/9" } })
    const calls = Array.from({ length: 20 }, (_, index) => call(index, "create_tag", { name: `t${index}` }))
    await Promise.all(calls.map(async (body) => (await post(body)).text()))
    child.kill("SIGTERM")
    assert.deepInclude(await ended, { code: 0 })
    const entries = await read(cwd)
    assert.lengthOf(entries, 20)
    for (const entry of entries) {
      assert.deepInclude(entry, { transport: "http", client: "curl/9", outcome: "succeeded" })
      assert.match(String(entry["address"]), /127\.0\.0\.1/)
    }
    assert.notInclude(await readdir(cwd), "logs.jsonl")
  })

  it("begins a new file when one is full, and keeps as many as are wanted", async () => {
    const cwd = await directory(settings({ file: "audit.jsonl", maxBytes: 1000, keep: 2 }))
    for (let life = 0; life < 4; life += 1) {
      const names = Array.from({ length: 5 }, (_, index) => call(index, "create_tag", { name: `t${life}-${index}` }))
      await say(cwd, embedded, ...names)
    }
    const files = (await readdir(cwd)).filter((name) => name.startsWith("audit"))
    assert.sameMembers(files, ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"])
    for (const name of files) assert.lengthOf(await read(cwd, name), 5)
  })

  it("reports a file that cannot be written as an error, stops no call, and goes on once it can", async () => {
    const cwd = await directory(settings("audit.jsonl"))
    await mkdir(path.join(cwd, "audit.jsonl"))
    const { child, ended, says } = start(embedded, { cwd })
    await says("stderr", "The audit log cannot be written, calls go on without it")
    child.stdin.write(call(1, "create_tag", { name: "first" }))
    await says("stdout", "first")
    await rmdir(path.join(cwd, "audit.jsonl"))
    child.stdin.end(call(2, "create_tag", { name: "second" }))
    assert.deepInclude(await ended, { code: 0 })
    assert.lengthOf(await read(cwd), 2)
  })

  it("counts the entries that a full disk has cost, in errors and in its own lines", async () => {
    const cwd = await directory({ "logs.jsonl": "" })
    const file = path.join(cwd, "audit.jsonl")
    await mkdir(file, { mode: 0o700 })
    const errors: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void errors.push(String(message)))
    await Effect.runPromise(
      Effect.gen(function* () {
        const append = yield* auditFile({ file, maxBytes: 10_000, keep: 1, maxWaiting: 2 })
        for (const entry of ["1", "2", "3", "4", "5"]) yield* append([`{"entry":${entry}}\n`])
        yield* Effect.promise(() => rmdir(file))
        yield* append([`{"entry":6}\n`])
      }).pipe(Effect.scoped, Effect.provide([NodeFileSystem.layer, Logger.layer([logger])]))
    )
    assert.match(errors[0] ?? "", /The audit log cannot be written, calls go on without it/)
    assert.deepStrictEqual(
      errors.slice(1),
      [1, 2, 3, 4].map(
        (count) => `The audit log ${file} still takes no lines: its ${count} oldest entries since then are lost`
      )
    )
    const [gap, ...entries] = await read(cwd)
    assert.deepInclude(gap, { lostEntries: 4 })
    assert.deepStrictEqual(entries, [{ entry: 5 }, { entry: 6 }])
  })

  it("loses no entry when two servers share it, and warns when others can change it", async () => {
    const cwd = await directory(settings({ file: "audit.jsonl", maxBytes: 2000, keep: 100 }))
    await say(cwd, embedded, call(0, "create_tag", { name: "first" }))
    await chmod(path.join(cwd, "audit.jsonl"), 0o622)
    const lives = await Promise.all(
      ["a", "b"].map(async (server) => {
        const { child, ended, says } = start(embedded, { cwd })
        for (let index = 0; index < 30; index += 1) {
          child.stdin.write(call(index, "create_tag", { name: `${server}${index}.` }))
          await says("stdout", `${server}${index}.`)
        }
        child.stdin.end()
        return ended
      })
    )
    // Whoever comes first: who starts when the other one has already begun a new file finds that one, which nobody can change.
    assert.match(lives.map(({ stderr }) => stderr).join(""), /audit\.jsonl can be changed by other users/)
    const files = (await readdir(cwd)).filter((name) => name.startsWith("audit.jsonl"))
    assert.isAbove(files.length, 2)
    const entries = await Promise.all(files.map((name) => read(cwd, name)))
    assert.lengthOf(entries.flat(), 61)
  })
})
