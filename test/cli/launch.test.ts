import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"

import { read } from "../../src/cli/Invocation.ts"
import { settle } from "../../src/cli/Launch.ts"
import type { ServerSettings, Settings } from "../../src/cli/settings/Settings.ts"
import type { Environment } from "../../src/engine/config/EngineConfig.ts"

const environment: Environment = {
  host: "https://engine.test",
  apiKey: Redacted.make("key"),
  readOnly: false,
  allowInsecureHttp: false,
  requestsPerSecond: 90,
  concurrency: 10,
  headers: {}
}

const settings = (server: Partial<ServerSettings> = {}): Settings => ({
  engine: { defaultEnv: "default", environments: new Map([["default", environment]]) },
  server: { http: { allowedHosts: [], allowedOrigins: [] }, readOnly: false, toolsets: [], ...server },
  marketplace: undefined,
  warnings: []
})

const launch = (words: ReadonlyArray<string>, server?: Partial<ServerSettings>) => {
  const invocation = Result.getOrThrow(read(words, {}))
  if (!("options" in invocation)) return assert.fail("asks for no server")
  return settle(invocation.options, settings(server))
}
const settled = (words: ReadonlyArray<string>, server?: Partial<ServerSettings>) =>
  Result.getOrThrow(launch(words, server))

const token = "0123456789abcdef"

describe("a launch", () => {
  it("listens on this machine at the contract's port, unless somebody says otherwise", () => {
    assert.isUndefined(settled([]).http)
    assert.deepInclude(settled(["--http"]).http, { host: "127.0.0.1", port: 3456 })
    const http = { port: 4000, host: "localhost", allowedHosts: ["a.test"], allowedOrigins: ["https://a.test"] }
    assert.deepInclude(settled(["--http"], { http }).http, http)
    assert.deepInclude(settled(["--http", "--port=5000"], { http }).http, { port: 5000, host: "localhost" })
  })

  it.each(["0.0.0.0", "::", "192.168.1.2", "tools.test"])("opens %s to others only with a token", (host) => {
    assert.isTrue(Result.isFailure(launch(["--http", "--host", host])))
    const short = launch(["--http", "--host", host, "--auth-token", token.slice(1)])
    assert.isTrue(Result.isFailure(short) && short.failure.message.includes("at least 16 characters"))
    assert.deepInclude(settled(["--http", "--host", host, "--auth-token", token]).http, { host })
  })

  it.each(["127.0.0.1", "localhost", "::1", "[::1]"])("needs no token on %s", (host) => {
    assert.isTrue(Result.isSuccess(launch(["--http", "--host", host])))
    assert.isTrue(Result.isSuccess(launch(["--http", "--host", host, "--auth-token", "t"])))
  })

  it.each([
    ["tools.test", "tools.test"],
    ["fd00::1", "[fd00::1]"]
  ])("answers to the name that it listens on: %s", (host, inHeader) => {
    const { http } = settled(["--http", "--host", host, "--auth-token", token])
    assert.deepStrictEqual(http?.allowedHosts, [inHeader])
  })

  it("lets the command line and the file both forbid changes, and neither allow what the other forbids", () => {
    const isReadOnly = (words: ReadonlyArray<string>, readOnly: boolean) =>
      settled(words, { readOnly }).engine?.environments.get("default")?.readOnly
    assert.isFalse(isReadOnly([], false))
    assert.isTrue(isReadOnly(["--read-only"], false))
    assert.isTrue(isReadOnly([], true))
    assert.isTrue(isReadOnly(["--read-only=false"], true))
  })

  it("always offers the engine's tools", () => {
    assert.deepStrictEqual(settled([]).toolsets, ["engine"])
    assert.deepStrictEqual(settled(["--toolsets", "marketplace"]).toolsets, ["engine", "marketplace"])
    assert.deepStrictEqual(settled([], { toolsets: ["operator"] }).toolsets, ["engine", "operator"])
  })

  it("leaves the configured instances alone beside the embedded engine", () => {
    assert.isUndefined(settled(["--embedded"]).engine)
  })
})
