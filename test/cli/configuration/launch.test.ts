import { Effect, Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"

import { read } from "../../../src/cli/commandLine.ts"
import type { Settings } from "../../../src/cli/configuration/fileFields.ts"
import { readOptions } from "../../../src/cli/configuration/flags.ts"
import { resolve } from "../../../src/cli/configuration/Launch.ts"
import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"

const environment: Environment = {
  host: "https://engine.test",
  apiKey: Redacted.make("key"),
  readOnly: false,
  allowInsecureHttp: false,
  requestsPerSecond: 90,
  concurrency: 10,
  headers: {}
}

const settings = (given: Partial<Settings> = {}): Settings => ({
  engine: { defaultEnv: "default", environments: new Map([["default", environment]]) },
  http: { allowedHosts: [], allowedOrigins: [] },
  readOnly: false,
  toolsets: [],
  warnings: [],
  ...given
})

const launch = (words: ReadonlyArray<string>, given?: Partial<Settings>) => {
  const invocation = Effect.runSync(read(words)) ?? assert.fail("asks for no server")
  return resolve(Result.getOrThrow(readOptions(invocation.texts, {})), settings(given))
}
const resolved = (words: ReadonlyArray<string>, given?: Partial<Settings>) => Result.getOrThrow(launch(words, given))

const token = "0123456789abcdef"

describe("the settings that a server starts with", () => {
  it("listen on this machine at port 3456 unless a flag or the file says otherwise", () => {
    assert.isUndefined(resolved([]).http)
    assert.deepInclude(resolved(["--http"]).http, { host: "127.0.0.1", port: 3456 })
    const http = { port: 4000, host: "localhost", allowedHosts: ["a.test"], allowedOrigins: ["https://a.test"] }
    assert.deepInclude(resolved(["--http"], { http }).http, http)
    assert.deepInclude(resolved(["--http", "--port=5000"], { http }).http, { port: 5000, host: "localhost" })
  })

  it.each(["0.0.0.0", "::", "192.168.1.2", "tools.test"])("listen on %s only with a token", (host) => {
    assert.isTrue(Result.isFailure(launch(["--http", "--host", host])))
    const short = launch(["--http", "--host", host, "--auth-token", token.slice(1)])
    assert.isTrue(Result.isFailure(short) && short.failure.message.includes("at least 16 characters"))
    assert.deepInclude(resolved(["--http", "--host", host, "--auth-token", token]).http, { host })
  })

  it.each(["127.0.0.1", "localhost", "::1", "[::1]"])("need no token on %s", (host) => {
    assert.isTrue(Result.isSuccess(launch(["--http", "--host", host])))
    assert.isTrue(Result.isSuccess(launch(["--http", "--host", host, "--auth-token", "t"])))
  })

  it.each([
    ["tools.test", "tools.test"],
    ["fd00::1", "[fd00::1]"]
  ])("allow the host name that the server listens on: %s", (host, inHeader) => {
    const { http } = resolved(["--http", "--host", host, "--auth-token", token])
    assert.deepStrictEqual(http?.allowedHosts, [inHeader])
  })

  it("forbid changes when the command line or the file forbids them", () => {
    const isReadOnly = (words: ReadonlyArray<string>, readOnly: boolean) =>
      resolved(words, { readOnly }).engine?.environments.get("default")?.readOnly
    assert.isFalse(isReadOnly([], false))
    assert.isTrue(isReadOnly(["--read-only"], false))
    assert.isTrue(isReadOnly([], true))
    assert.isTrue(isReadOnly(["--read-only=false"], true))
  })

  it("always offer the engine's tools", () => {
    assert.deepStrictEqual(resolved([]).toolsets, ["engine"])
    assert.deepStrictEqual(resolved(["--toolsets", "marketplace"]).toolsets, ["engine", "marketplace"])
    assert.deepStrictEqual(resolved([], { toolsets: ["operator"] }).toolsets, ["engine", "operator"])
  })

  it("offer the tools that the command line selects, else the file, with the toolsets that a profile needs", () => {
    assert.isUndefined(resolved([]).selection)
    const { selection, toolsets } = resolved(["--tools", "daily,-run_workflow"], { tools: ["all"] })
    assert.deepInclude(selection, { isBrief: true })
    assert.strictEqual(selection?.names.at(-1), "-run_workflow")
    assert.deepStrictEqual(toolsets, ["engine", "operator"])
    assert.deepInclude(resolved([], { tools: ["list_*"] }), {
      toolsets: ["engine"],
      selection: { names: ["list_*"], isBrief: false, hidden: {} }
    })
  })

  it("leave the configured instances out beside the embedded engine", () => {
    assert.isUndefined(resolved(["--embedded"]).engine)
  })
})
