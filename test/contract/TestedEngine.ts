import { assert } from "@effect/vitest"
import { Context, type Duration, Effect, Layer, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"

import { readFolder } from "../../src/cli/nodes/folder.ts"
import type { Environment } from "../../src/engine/client/config/EngineConfig.ts"
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { nodeTypes } from "../../src/engine/embedded/nodes/nodeTypes.ts"
import { NodePackages } from "../../src/engine/nodes/NodePackages.ts"
import { compareVersions } from "../../src/engine/workflow/releases.ts"
import { parseJson } from "../../src/internal/json/values.ts"
import { engineFolder } from "../engines/install.ts"
import { environment, type Json } from "../support/harness.ts"
import { planServer } from "../support/planServer.ts"

/** Where an engine of this version answers, and with which key. */
export interface Place {
  readonly version: string
  readonly host: string
  readonly apiKey: string
}

export interface RawReply {
  readonly status: number
  readonly body: unknown
}

/** Something that happens to the engine in the middle of one of our tool calls. */
interface Interruption {
  readonly method: string
  readonly path: RegExp | string
  /** Requests of that method and path that go past before it happens. */
  readonly after: number
  readonly happen: Effect.Effect<void>
}

/** The engine behind the server under test, as somebody else sees it: past all of our code. */
export class TestedEngine extends Context.Service<
  TestedEngine,
  {
    readonly version: string
    readonly isV2: boolean
    /** Whether it is of this version or a later one. */
    readonly isFrom: (version: string) => boolean
    readonly apiKey: string
    /** One call of its REST API, as it is answered. */
    readonly send: (method: "DELETE" | "GET" | "POST" | "PUT", path: string, body?: unknown) => Effect.Effect<RawReply>
    /** One call past its REST API, as whoever knows an address makes it. */
    readonly call: (method: "GET" | "POST", path: string, body?: Json) => Effect.Effect<RawReply>
    /** Lets something happen once, just before one of the server's requests reaches the engine. */
    readonly interrupt: (interruption: Interruption) => Effect.Effect<void>
    /** Lets the engine take this long for each of the server's requests, as long as the effect runs. */
    readonly slowly: (latency: Duration.Input) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("test/contract/TestedEngine") {}

const make = ({ apiKey, host, version }: Place, client: HttpClient.HttpClient, pace: Partial<Environment> = {}) => {
  let planned: Interruption | undefined
  let passed = 0
  let latency: Duration.Input | undefined

  const meddled = HttpClient.transform(client, (prompt, { method, url }) =>
    Effect.suspend(() => {
      const execution = latency === undefined ? prompt : Effect.delay(prompt, latency)
      if (planned === undefined || planned.method !== method) return execution
      const { pathname } = new URL(url)
      if (typeof planned.path === "string" ? planned.path !== pathname : !planned.path.test(pathname)) return execution
      if (passed++ < planned.after) return execution
      const { happen } = planned
      planned = undefined
      return Effect.andThen(happen, execution)
    })
  )

  const reply = Effect.fnUntraced(function* (asked: HttpClientRequest.HttpClientRequest) {
    const answered = yield* client.execute(asked)
    const text = yield* answered.text
    const body = parseJson(text).pipe((found) => (found._tag === "Some" ? found.value : text))
    return { status: answered.status, body }
  }, Effect.orDie)
  const send = (method: "DELETE" | "GET" | "POST" | "PUT", path: string, body?: unknown) => {
    const bare = HttpClientRequest.make(method)(`${host}/api/v1${path}`, { headers: { "X-N8N-API-KEY": apiKey } })
    return reply(body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body))
  }

  const tested = TestedEngine.of({
    version,
    isV2: version.startsWith("2."),
    isFrom: (other) => compareVersions(version, other) >= 0,
    apiKey,
    send,
    call: (method, path, body) => {
      const bare = HttpClientRequest.make(method)(`${host}${path}`)
      return reply(body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body))
    },
    interrupt: (interruption) =>
      Effect.sync(() => {
        planned = interruption
        passed = 0
      }),
    slowly: (asked) => (self) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (latency = asked)),
        () => self,
        () => Effect.sync(() => (latency = undefined))
      )
  })
  const instance = environment(host, apiKey, pace)
  const server = planServer(
    { production: instance, staging: instance, locked: environment(host, "not-the-key", pace) },
    Layer.succeed(HttpClient.HttpClient, meddled)
  )
  return Layer.merge(Layer.succeed(TestedEngine, tested), server)
}

/** The whole server over an engine inside this process. */
export const overEmbedded = (version: NonNullable<EmbeddedEngineOptions["version"]>) =>
  Layer.unwrap(
    Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) =>
      make({ version, host, apiKey: Redacted.value(apiKey) }, httpClient, { requestsPerSecond: 5000 })
    )
  ).pipe(
    Layer.provide(EmbeddedEngine.layer({ version })),
    Layer.provideMerge(
      Layer.succeed(NodePackages, {
        policy: "folder",
        read: () => Effect.succeed([{ name: "", version, nodes: nodeTypes(2) }])
      })
    )
  )

/** The whole server over an engine that runs somewhere; nothing on it is taken for granted. */
export const overReal = (place: Place) =>
  Layer.unwrap(Effect.map(HttpClient.HttpClient, (client) => make(place, client))).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
    Layer.provideMerge(Layer.succeed(NodePackages, { policy: "folder", read: readFolder(engineFolder(place.version)) }))
  )

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** The answer of the engine at a path of its REST API; a refusal fails the test. */
export const shown = Effect.fnUntraced(function* (path: string) {
  const { body, status } = yield* (yield* TestedEngine).send("GET", path)
  assert.strictEqual(status, 200, `GET ${path}: ${JSON.stringify(body)}`)
  return decodeObject(body)
})

/** The answer of the engine to a body; a refusal fails the test. */
export const sent = Effect.fnUntraced(function* (
  method: "POST" | "PUT",
  path: string,
  body: Json | ReadonlyArray<Json>
) {
  const reply = yield* (yield* TestedEngine).send(method, path, body)
  assert.isBelow(reply.status, 300, `${method} ${path}: ${JSON.stringify(reply.body)}`)
  return reply.body
})
