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

/** What hostile or broken engines do with what they were sent. */
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
          const told = [
            yield* callTool(tool, args).pipe(Effect.provide(serving(keyOnly))),
            ...(tool.endsWith("credential") ? [yield* callTool(tool, args).pipe(Effect.provide(serving(client)))] : [])
          ]
          assert.isDefined(told[0]?.error, tool)
          for (const secret of tool.endsWith("credential") ? [key, password] : [key]) {
            for (const form of everyForm(secret))
              assert.notInclude(JSON.stringify([told, lines]), form, `${tool} ${way}`)
          }
        }
      }).pipe(Effect.provide(Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))))
    })
  }

  it.live("answers about credentials leave out the values that an engine repeats", () => {
    const record = { id: "1", name: "Shop", type: "httpBasicAuth", data: { password }, password, values: [password] }
    const { client } = engineThat(({ method, path }) =>
      json(method === "GET" && path.startsWith("/api/v1/credentials?") ? { data: [record] } : record)
    )
    return Effect.gen(function* () {
      const told = [
        yield* callTool("list_credentials"),
        yield* callTool("get_credential", { id: "1" }),
        yield* callTool("create_credential", { name: "Shop", type: "httpBasicAuth", data: { password } }),
        yield* callTool("update_credential", { id: "1", data: { password } }),
        yield* callTool("delete_credential", { id: "1" })
      ]
      for (const { error, result } of told) {
        assert.isUndefined(error)
        assert.include(JSON.stringify(result), "Shop")
        assert.notInclude(JSON.stringify(result), "pass")
      }
    }).pipe(Effect.provide(serving(client)))
  })
})
