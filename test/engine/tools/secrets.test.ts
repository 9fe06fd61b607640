import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { HttpClientError } from "effect/http"

import { answers, type Step } from "../../internal/http/standIn.ts"
import { callTool, type Json } from "../../support/harness.ts"
import { engineThat, json, key, serving } from "./standIn.ts"

const password = 'pass"word/with+traps='

const everyForm = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  btoa(secret),
  JSON.stringify(secret).slice(1, -1)
]

const echo = (secret: string) => everyForm(secret).join(" ")

/** Answers of hostile or broken engines, which repeat a secret that they were sent. */
const hostile: Readonly<Record<string, (secret: string) => Step>> = {
  "a message": (secret) => json({ message: `bad request: ${echo(secret)}` }, 400),
  "a nested error": (secret) => json({ error: { code: "E", message: echo(secret), details: [secret] } }, 422),
  "a refusal of the key": (secret) => json({ message: `unknown key ${echo(secret)}`, [secret]: [secret] }, 401),
  "a page": (secret) => answers(500, { "content-type": "text/html" }, `<h1>${echo(secret)}</h1>`),
  "an answer of another shape": (secret) => json([echo(secret), { id: secret }]),
  "a redirect": (secret) =>
    answers(302, { location: `https://elsewhere.test/?key=${encodeURIComponent(secret)}` }, null),
  "a broken connection": (secret) => (request) => {
    const cause = Object.assign(new Error(`connect ${echo(secret)}`), { code: "ECONNRESET" })
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    )
  }
}

const calls: ReadonlyArray<readonly [string, Json]> = [
  ["list_workflows", {}],
  ["get_execution", { id: 1 }],
  ["create_tag", { name: "red" }],
  ["create_credential", { name: "Shop", type: "httpBasicAuth", data: { user: "ann", password, more: [password] } }],
  ["update_credential", { id: "1", data: { user: "ann", password } }]
]

describe("secrets in what upstreams say", () => {
  for (const [way, step] of Object.entries(hostile)) {
    it.live(`an error and the log hide a key that comes back in ${way}`, () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, message }) => {
        lines.push(JSON.stringify([message, cause]))
      })
      const { client } = engineThat(() => step(`${key} ${password}`))
      const { client: keyOnly } = engineThat(() => step(key))
      return Effect.gen(function* () {
        for (const [tool, args] of calls) {
          const answers = [
            yield* callTool(tool, args).pipe(Effect.provide(serving(keyOnly))),
            ...(tool.endsWith("credential") ? [yield* callTool(tool, args).pipe(Effect.provide(serving(client)))] : [])
          ]
          assert.isDefined(answers[0]?.error, tool)
          for (const secret of tool.endsWith("credential") ? [key, password] : [key]) {
            for (const form of everyForm(secret))
              assert.notInclude(JSON.stringify([answers, lines]), form, `${tool} ${way}`)
          }
        }
      }).pipe(Effect.provide(Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))))
    })
  }

  const escaped = (secret: string) =>
    `{"message":"got ${Array.from(secret, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`
  const disguises: Readonly<Record<string, (secret: string) => Step>> = {
    "JSON escapes": (secret) => answers(400, { "content-type": "application/json" }, escaped(secret)),
    "half a JSON with escapes": (secret) => answers(400, {}, escaped(secret).slice(0, -2)),
    "escaped slashes": (secret) =>
      answers(400, {}, JSON.stringify({ message: secret }).replaceAll("/", String.raw`\/`)),
    "a content type": (secret) =>
      answers(400, { "content-type": `text/html; key=${encodeURIComponent(secret)}` }, "<p>"),
    "the host of a redirect": (secret) => answers(302, { location: `https://${secret}.evil.test/` }, null),
    "Base64 of a longer text": (secret) => json({ message: btoa(`user:${secret}:x`) }, 400)
  }
  for (const [way, step] of Object.entries(disguises)) {
    it.live(`errors do not repeat a secret behind ${way}`, () => {
      const secret = way.startsWith("the host") ? "Canary-Host-77" : "canary+77/key-of-ours"
      const { client } = engineThat(() => step(secret))
      const args = { name: "Shop", type: "httpBasicAuth", data: { password: secret } }
      return Effect.gen(function* () {
        const { error } = yield* callTool("create_credential", args)
        const errorText = JSON.stringify(error ?? assert.fail("no error")).toLowerCase()
        assert.notInclude(errorText, secret.toLowerCase())
        assert.notInclude(errorText, String.raw`\u0063`)
        assert.notMatch(errorText, /canary|77.{0,3}key/)
        assert.notInclude(errorText, btoa(`user:${secret}:x`).toLowerCase())
      }).pipe(Effect.provide(serving(client)))
    })
  }

  it.live("errors do not repeat a number of a credential", () => {
    const { client } = engineThat(() => json({ message: "pin 739154", pin: 739_154 }, 400))
    return Effect.gen(function* () {
      const args = { name: "Shop", type: "httpBasicAuth", data: { pin: 739_154 } }
      const { error } = yield* callTool("create_credential", args)
      assert.notInclude(JSON.stringify(error ?? assert.fail("no error")), "739154")
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("error texts of megabytes are cut", () =>
    Effect.gen(function* () {
      const long = "x".repeat(3_000_000)
      const steps = [json({ message: long }, 400), answers(400, { "content-type": `text/${"x".repeat(9000)}` }, long)]
      for (const step of steps) {
        const { error } = yield* callTool("create_tag", { name: "red" }).pipe(
          Effect.provide(serving(engineThat(() => step).client))
        )
        assert.isBelow(JSON.stringify(error ?? assert.fail("no error")).length, 4000)
      }
    })
  )

  it.live("answers about credentials leave out the values that an engine repeats", () => {
    const record = { id: "1", name: "Shop", type: "httpBasicAuth", data: { password }, password, values: [password] }
    const { client } = engineThat(({ method, path }) =>
      json(method === "GET" && path.startsWith("/api/v1/credentials?") ? { data: [record] } : record)
    )
    return Effect.gen(function* () {
      const answers = [
        yield* callTool("list_credentials"),
        yield* callTool("get_credential", { id: "1" }),
        yield* callTool("create_credential", { name: "Shop", type: "httpBasicAuth", data: { password } }),
        yield* callTool("update_credential", { id: "1", data: { password } }),
        yield* callTool("delete_credential", { id: "1" })
      ]
      for (const { error, result } of answers) {
        assert.isUndefined(error)
        assert.include(JSON.stringify(result), "Shop")
        assert.notInclude(JSON.stringify(result), "pass")
      }
    }).pipe(Effect.provide(serving(client)))
  })
})
