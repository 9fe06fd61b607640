import { chmod, readFile, writeFile } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { directory, run, standIn, useCommand } from "../built.ts"

useCommand()

const secret = "hidden-4711-of-the-vault"
const values = { user: "ann", password: secret }

const bodyOf = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text === "" ? {} : JSON.parse(text)
}

/** A folder with sources, and an engine that keeps what it is sent, and may repeat it in a refusal. */
const configured = async (credentialSources: object, { isRefusing = false } = {}) => {
  const sent: Array<unknown> = []
  const host = await standIn(async (request, response) => {
    const isCreation = request.method === "POST" && request.url === "/api/v1/credentials"
    const body = await bodyOf(request)
    if (isCreation) sent.push(body.data)
    const [status, answer] = isCreation
      ? isRefusing
        ? [400, { message: `cannot use ${JSON.stringify(body)}` }]
        : [200, { id: "1", name: body.name, type: body.type }]
      : [404, { message: "not found" }]
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
  })
  const cwd = await directory({
    ".config.json": {
      environments: { a: { engine_host: host, engine_api_key: "key-of-the-engine" } },
      audit: "audit.jsonl",
      credentialSources
    },
    "values.json": values,
    "token.txt": `${secret}\r\n`,
    "phrase.txt": ` ${secret} \n`,
    "vault.mjs": `console.error(${JSON.stringify(secret)})
const [, , way] = process.argv
if (way === "wrong") process.exit(7)
console.log(JSON.stringify({ user: "ann", password: ${JSON.stringify(secret)}, key: process.env.ENGINE_API_KEY ?? "none" }))`
  })
  const create = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await run(
      ["call", "create_credential", "--config", ".config.json", "--name", "A", "--type", "httpBasicAuth", ...words],
      { cwd, env: { MAIL_VALUES: JSON.stringify(values), ENGINE_API_KEY: "key-of-the-environment" } }
    )
    assert.notInclude(stdout + stderr, secret)
    return { code, stderr }
  }
  return { create, cwd, sent }
}

const vault = (...words: ReadonlyArray<string>) => ({ command: [process.execPath, "vault.mjs", ...words] })

describe("a configured source of a credential", () => {
  it("gives its values to the engine alone, from a variable, a file or a program", async () => {
    const { create, cwd, sent } = await configured({
      variable: { env: "MAIL_VALUES" },
      file: { file: "values.json" },
      token: { file: "token.txt", field: "password" },
      phrase: { file: "phrase.txt", field: "password" },
      vault: vault()
    })
    for (const name of ["variable", "file", "vault"]) {
      assert.deepInclude(await create("--source", name), { code: 0 }, name)
    }
    assert.deepInclude(await create("--source", "token", "--data", '{"user":"ann"}'), { code: 0 })
    assert.deepInclude(await create("--source", "phrase"), { code: 0 })
    assert.deepStrictEqual(sent, [values, values, { ...values, key: "none" }, values, { password: ` ${secret} ` }])
    const recorded = await readFile(path.join(cwd, "audit.jsonl"), "utf8")
    assert.lengthOf(recorded.trim().split("\n"), 5)
    assert.notInclude(recorded, secret)
  })

  it("says why it gives none, and shows nothing of what it has read", async () => {
    const { create, cwd, sent } = await configured({
      nothing: { env: "NO_SUCH_VARIABLE" },
      missing: { file: "missing.json" },
      folder: { file: "." },
      text: { file: "token.txt" },
      wrong: vault("wrong"),
      endless: { command: ["yes"] },
      noProgram: { command: ["no-such-program"] },
      noRight: { command: ["./vault.mjs"] }
    })
    await chmod(path.join(cwd, "vault.mjs"), 0o600)
    for (const [name, problem] of [
      ["nothing", "the variable NO_SUCH_VARIABLE is not set"],
      ["missing", "its file cannot be read (NotFound)"],
      ["folder", "is no file of at most 65536 bytes"],
      ["text", 'it holds no JSON object; if it is the text of one field, name that in "field"'],
      ["wrong", "ended with code 7: run it in a terminal to see why"],
      ["endless", "wrote more than 65536 bytes, and was stopped"],
      ["noProgram", "no-such-program ended with code 127"],
      ["noRight", "vault.mjs ended with code 126"],
      ["other", "is no name in credentialSources of the configuration: nothing, missing, folder"]
    ] as const) {
      const { code, stderr } = await create("--source", name)
      assert.strictEqual(code, name === "other" ? 2 : 1, name)
      assert.include(stderr, problem)
      assert.include(stderr, name === "other" ? "source" : `credentialSources.${name} cannot be read`)
    }
    assert.deepStrictEqual(sent, [])
  })

  it("shows nothing of its values where the engine repeats them in a refusal", async () => {
    const { create, sent } = await configured({ vault: vault() }, { isRefusing: true })
    const { code, stderr } = await create("--source", "vault")
    assert.strictEqual(code, 1)
    assert.include(stderr, "[redacted]")
    assert.lengthOf(sent, 1)
  })

  it.each([
    [{ a: {} }, 'credentialSources.a: expected an object with one of "env", "file" and "command"'],
    [{ a: { env: "A", file: "b" } }, 'expected an object with one of "env", "file" and "command"'],
    [{ a: { command: [] } }, 'expected an object with one of "env", "file" and "command"'],
    [{ a: { env: "A B" } }, "credentialSources.a.env: expected the name of an environment variable"],
    [{ a: { comand: ["vault"] } }, "credentialSources.a.comand is not a known setting: did you mean command?"]
  ])("is refused by name where it is written as %j", async (credentialSources, problem) => {
    const cwd = await directory()
    const environments = { a: { engine_host: "http://127.0.0.1:9", engine_api_key: "none" } }
    await writeFile(path.join(cwd, "c.json"), JSON.stringify({ environments, credentialSources }))
    const { code, stderr } = await run(["call", "list_workflows", "--config", "c.json"], { cwd })
    assert.strictEqual(code, 1)
    assert.include(stderr, problem)
  })
})
