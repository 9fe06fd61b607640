import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import type { Scope } from "effect"
import { HttpEffect, HttpRouter, type HttpServerRequest } from "effect/http"

import * as McpHttp from "../../../src/mcp/transport/http.ts"
import * as Page from "../../../src/mcp/transport/page.ts"
import { FixtureServer } from "../../support/fixtures/FixtureServer.ts"

const files: Readonly<Record<string, string>> = {
  "index.html": "<!doctype html>",
  "page.js": "1",
  "page.css": "*{}",
  "page.svg": "<svg/>"
}

/** The page beside `/mcp`, and how often a file of it was read. */
const connect = Effect.fnUntraced(function* (options: McpHttp.Options = {}, has = files) {
  const reads = yield* Ref.make(0)
  const read = (name: string) =>
    Effect.as(
      Ref.update(reads, (count) => count + 1),
      has[name]
    )
  const routes = Layer.mergeAll(McpHttp.layer(options), Page.layer(options, read), McpHttp.fallback(options))
  const app = yield* HttpRouter.toHttpEffect(routes)
  const serve = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>
  const handle = serve(yield* Effect.context())(app)
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    Effect.promise(() =>
      handle(new Request(`http://127.0.0.1:3456${path}`, { method, headers: { host: "127.0.0.1:3456", ...headers } }))
    )
  return { get, reads: Ref.get(reads) }
})

layer(FixtureServer)("GET /", (it) => {
  it.effect("answers a page that may load and call nothing but this server", () =>
    Effect.gen(function* () {
      const { get } = yield* connect()
      for (const [path, type] of [
        ["/", "text/html; charset=utf-8"],
        ["/page.js", "text/javascript; charset=utf-8"],
        ["/page.css", "text/css; charset=utf-8"],
        ["/page.svg", "image/svg+xml"]
      ] as const) {
        const { headers, status } = yield* get(path)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(headers.get("content-type"), type)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.isNull(headers.get("access-control-allow-origin"))
        const policy = (headers.get("content-security-policy") ?? "").split("; ")
        assert.includeMembers(policy, ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
        assert.notInclude(policy.join(), "unsafe")
      }
    })
  )

  it.effect("answers HEAD as GET, without the page, and other methods with 404", () =>
    Effect.gen(function* () {
      const { get } = yield* connect()
      const head = yield* get("/", {}, "HEAD")
      assert.strictEqual(head.status, 200)
      assert.strictEqual(yield* Effect.promise(() => head.text()), "")
      for (const method of ["POST", "PUT", "DELETE"]) {
        assert.strictEqual((yield* get("/", {}, method)).status, 404, method)
      }
    })
  )

  it.effect("lets in who is let in to /mcp, by Host and Origin", () =>
    Effect.gen(function* () {
      const { get } = yield* connect({ allowedHosts: ["tools.test"] })
      const statuses = (headers: Readonly<Record<string, string>>) =>
        Effect.forEach(["/", "/page.js"], (path) => Effect.map(get(path, headers), ({ status }) => status))
      for (const headers of [
        { host: "evil.test" },
        { host: "127.0.0.1.evil.test:3456" },
        { origin: "http://evil.test" },
        { origin: "null" },
        { host: "tools.test:8443", origin: "https://tools.test" },
        { host: "tools.test", origin: "https://tools.test.evil.test" }
      ]) {
        assert.deepStrictEqual(yield* statuses(headers), [403, 403], JSON.stringify(headers))
      }
      for (const headers of [
        {},
        { origin: "http://127.0.0.1:3456" },
        { host: "tools.test:8443", origin: "https://tools.test:8443" }
      ]) {
        assert.deepStrictEqual(yield* statuses(headers), [200, 200], JSON.stringify(headers))
      }
    })
  )

  it.effect("needs no token, for it holds no data, while /mcp needs one", () =>
    Effect.gen(function* () {
      const { get } = yield* connect({ verify: () => Effect.succeed(false) })
      assert.strictEqual((yield* get("/")).status, 200)
      assert.strictEqual((yield* get("/mcp", {}, "POST")).status, 401)
    })
  )

  it.effect("reads nothing of the page before it is asked for", () =>
    Effect.gen(function* () {
      const { get, reads } = yield* connect()
      yield* get("/health")
      assert.strictEqual(yield* reads, 0)
      yield* get("/")
      assert.strictEqual(yield* reads, 1)
    })
  )

  it.effect("says so where this build has no page", () =>
    Effect.gen(function* () {
      const { get } = yield* connect({}, {})
      const { status } = yield* get("/")
      assert.strictEqual(status, 404)
    })
  )
})
