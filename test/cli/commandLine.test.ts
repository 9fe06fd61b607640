import { Effect, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { read } from "../../src/cli/commandLine.ts"
import { flag, flagNames, type Options, readOptions } from "../../src/cli/configuration/flags.ts"

/** The configuration for which the words and the variables ask; nothing where they asked for a text, which is printed. */
const invocation = (words: ReadonlyArray<string>, environment: Record<string, string> = {}) =>
  Effect.runSync(
    Effect.result(
      Effect.gen(function* () {
        const invocation = yield* read(words)
        if (invocation === undefined) return undefined
        return { task: invocation.task, options: yield* Effect.fromResult(readOptions(invocation.texts, environment)) }
      })
    )
  )
const options = (words: ReadonlyArray<string>, environment?: Record<string, string>): Options =>
  Result.getOrThrow(invocation(words, environment))?.options ?? assert.fail(`${words.join(" ")} asks for no server`)
const refusal = (words: ReadonlyArray<string>, environment?: Record<string, string>) =>
  Result.match(invocation(words, environment), { onFailure: ({ message }) => message, onSuccess: () => "" })
const task = (words: ReadonlyArray<string>) => Result.getOrThrow(invocation(words))?.task

describe("the command line", () => {
  it("serves stdio when nothing is said", () => {
    assert.strictEqual(task([]), "serve")
    assert.deepStrictEqual(options([]), {
      http: false,
      port: undefined,
      host: undefined,
      "auth-token": undefined,
      "auth-token-file": undefined,
      "oauth-client-secret": undefined,
      page: undefined,
      metrics: undefined,
      config: undefined,
      embedded: undefined,
      demo: false,
      "read-only": false,
      toolsets: undefined,
      tools: undefined,
      audit: undefined,
      history: undefined,
      redis: undefined,
      tests: undefined,
      "log-level": "Warn"
    })
  })

  it("tells help, version and check from serving, wherever the flags stand", () => {
    assert.isUndefined(task(["--http", "--help"]))
    assert.isUndefined(task(["-v"]))
    assert.strictEqual(task(["check", "--config", "x.json"]), "check")
    assert.strictEqual(task(["--config", "x.json", "check"]), "check")
  })

  it("takes values behind a space or an equals sign, and the last of equal flags", () => {
    assert.strictEqual(options(["--port", "1", "--port=2"]).port, 2)
    assert.strictEqual(options(["--config=a=b.json"]).config, "a=b.json")
  })

  it("keeps the embedded engine in memory unless a file is named", () => {
    assert.deepStrictEqual(options(["--embedded", "--http"]).embedded, { file: undefined })
    assert.deepStrictEqual(options(["--embedded=store.jsonl"]).embedded, { file: "store.jsonl" })
    assert.deepStrictEqual(options([], { WORKFLOW_TOOL_SERVER_EMBEDDED: "true" }).embedded, { file: undefined })
    assert.isUndefined(options([], { WORKFLOW_TOOL_SERVER_EMBEDDED: "false" }).embedded)
  })

  it("reads every flag from its variable, and prefers the flag", () => {
    const samples = {
      http: "true",
      port: "4000",
      host: "::1",
      "auth-token": "sesame",
      "auth-token-file": "token.txt",
      "oauth-client-secret": "of the page",
      page: "off",
      metrics: "true",
      config: "my.json",
      embedded: "file.jsonl",
      demo: "1",
      "read-only": "1",
      toolsets: "marketplace, engine",
      tools: "daily, -run_workflow, list_*",
      audit: "audit.jsonl",
      history: "history",
      redis: "redis://:hidden@redis.test",
      tests: "tests",
      "log-level": "DEBUG"
    }
    const byVariable = Object.fromEntries(flagNames.map((name) => [flag(name).variable, samples[name]]))
    const byFlag = flagNames.map((name) => `--${name}=${samples[name]}`)
    const { "auth-token": authToken, "oauth-client-secret": secret, redis, ...others } = options([], byVariable)
    assert.deepStrictEqual(others, {
      http: true,
      port: 4000,
      host: "::1",
      "auth-token-file": "token.txt",
      page: false,
      metrics: true,
      config: "my.json",
      embedded: { file: "file.jsonl" },
      demo: true,
      "read-only": true,
      toolsets: ["engine", "marketplace"],
      tools: ["daily", "-run_workflow", "list_*"],
      audit: "audit.jsonl",
      history: "history",
      tests: "tests",
      "log-level": "Debug"
    })
    assert.strictEqual(authToken && Redacted.value(authToken), "sesame")
    assert.strictEqual(secret && Redacted.value(secret), "of the page")
    assert.strictEqual(redis && Redacted.value(redis), "redis://:hidden@redis.test")
    assert.deepStrictEqual(options(byFlag).toolsets, others.toolsets)
    assert.strictEqual(options(["--port", "5000"], byVariable).port, 5000)
    assert.isFalse(options(["--http=false"], byVariable).http)
  })

  it.each([
    [["--port", "65536"], "--port: expected a port number from 0 to 65535"],
    [
      ["--toolsets", "engine,all"],
      "--toolsets: expected names from engine, operator, api, marketplace, with commas between"
    ],
    [
      ["--tools", "daily,delete workflow"],
      "--tools: expected names from daily, all, of toolsets and tools, or patterns of such names, with commas between"
    ],
    [["--log-level", "loud"], "--log-level: expected one of debug, info, warn, error, none"],
    [["--http=maybe"], "--http: expected true or false"],
    [["--config"], "--config needs a value: --config FILE"],
    [["--config="], "--config: expected the name of a file"],
    [["-x"], "Unknown option -x. --help lists all options"],
    [
      ["check", "now"],
      "Unknown command now. Commands: init, check, call, backup, nodes, watch, promote, upgrade, ads, test, table"
    ]
  ])("refuses %j", (words, message) => {
    assert.strictEqual(refusal(words), message)
  })

  it("names the variable in the error when the value came from there", () => {
    assert.strictEqual(
      refusal([], { WORKFLOW_TOOL_SERVER_PORT: "http" }),
      "WORKFLOW_TOOL_SERVER_PORT: expected a port number from 0 to 65535"
    )
  })

  it("accepts or refuses any words, and never repeats a value in the error", () => {
    const word = fc.oneof(fc.string(), fc.constantFrom(...flagNames.map((name) => `--${name}`)))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        assert.notInclude(refusal([...words, "--port=s3cret-v4lue"]), "s3cret-v4lue")
      })
    )
  })
})
