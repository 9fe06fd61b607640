import { assert } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, Schedule, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"

import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"
import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import type { WorkflowJournal } from "../../../src/engine/plans/Plans.ts"
import { type JsonObject, objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import type { Selection } from "../../../src/mcp/selection.ts"
import { ask, environment, type Json } from "../../support/harness.ts"
import { planServer, type PlanSettings } from "../../support/planServer.ts"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The hands of somebody on the engines past our server, as in the editor. */
export class Beside extends Context.Service<
  Beside,
  {
    readonly send: (
      instance: string,
      method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT",
      path: string,
      body?: unknown
    ) => Effect.Effect<Json>
    /** Calls the address of a trigger, as soon as it is there after an activation, and answers its status. */
    readonly trigger: (instance: string, path: string) => Effect.Effect<number>
    /** Looks at every request of the server; one that it answers with a defect never arrives. */
    readonly meddle: (look: Meddling | undefined) => Effect.Effect<void>
  }
>()("test/engine/plans/Beside") {}

export type Meddling = (
  request: HttpClientRequest.HttpClientRequest,
  proceed: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Settings of plans and of instances in a configuration. */
export interface Given extends PlanSettings {
  readonly instances?: Readonly<Record<string, Partial<Environment>>>
  /** The key of both engines. */
  readonly apiKey?: string
  /** The tools that are offered; all of them when left out. */
  readonly selection?: Selection
}

export interface Place {
  readonly host: string
  readonly apiKey: string
}

/** How often an engine is asked again for what it does in the background. */
const often = { schedule: Schedule.spaced("20 millis"), times: 250 }

const prefix = "Temporary run of "

/** Changes the nodes of the temporary copies that are made on `production`, by the names of their workflows. */
export const mutateCopies = (
  mutate: (workflow: string, nodes: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>
) =>
  Effect.gen(function* () {
    const { meddle, send } = yield* Beside
    yield* meddle((request, proceed) => {
      const isCopied = request.method === "POST" && new URL(request.url).pathname === "/api/v1/workflows"
      if (!isCopied || request.body._tag !== "Uint8Array") return proceed
      const body = readJson(new TextDecoder().decode(request.body.body))
      const name = String(body["name"])
      if (!name.startsWith(prefix)) return proceed
      const nodes = mutate(name.slice(prefix.length), objectsOf(body["nodes"]))
      return send("production", "POST", "/workflows", { ...body, nodes }).pipe(
        Effect.map((copy) => HttpClientResponse.fromWeb(request, Response.json(copy))),
        // The server learns from an engine that refuses some setting of a copy.
        Effect.catchDefect(() => proceed)
      )
    })
  })

/** The server with its tools of plans over these places, all reached by one client. */
export const serverWithPlans = (
  places: Readonly<Record<string, Place>>,
  client: HttpClient.HttpClient,
  given: Given = {},
  journal?: Layer.Layer<WorkflowJournal>
) => {
  let meddling: Meddling | undefined
  const meddled = HttpClient.transform(client, (proceed, request) =>
    Effect.suspend(() => (meddling === undefined ? proceed : meddling(request, proceed)))
  )
  const environments = Object.fromEntries(
    Object.entries(places).map(([name, { apiKey, host }]) => [
      name,
      environment(host, apiKey, { requestsPerSecond: 5000, ...given.instances?.[name] })
    ])
  )
  const server = planServer(
    environments,
    Layer.succeed(HttpClient.HttpClient, meddled),
    given,
    journal,
    given.selection
  )
  const send = Effect.fnUntraced(function* (
    instance: string,
    method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT",
    path: string,
    body?: unknown
  ) {
    const { apiKey = "", host = "" } = places[instance] ?? {}
    const bare = HttpClientRequest.make(method)(`${host}/api/v1${path}`, { headers: { "X-N8N-API-KEY": apiKey } })
    const request = body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body)
    // Engines of generation 2 delete nothing that is still being unpublished.
    const isBusy = ({ status }: HttpClientResponse.HttpClientResponse) => method === "DELETE" && status === 409
    const reply = yield* Effect.repeat(client.execute(request), { while: isBusy, ...often })
    const text = yield* reply.text
    if (reply.status >= 300) return yield* Effect.die(`${method} ${path}: ${reply.status} ${text}`)
    if (text === "") return {}
    return text.startsWith("[") ? { data: JSON.parse(text) } : readJson(text)
  }, Effect.orDie)
  const trigger = (instance: string, path: string) =>
    client.execute(HttpClientRequest.post(`${places[instance]?.host}/webhook/${path}`)).pipe(
      Effect.map(({ status }) => status),
      Effect.repeat({ while: (status) => status === 404, ...often }),
      Effect.orDie
    )
  const beside = Layer.succeed(Beside, {
    send,
    trigger,
    meddle: (look) =>
      Effect.sync(() => {
        meddling = look
      })
  })
  return Layer.merge(server, beside)
}

/** Two embedded engines, `staging` and `production`, behind one server. */
export const twoEmbedded = (
  [staging, production]: readonly [Version, Version],
  given: Given = {},
  journal?: Layer.Layer<WorkflowJournal>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const engineOf = (version: Version) =>
        Effect.map(
          Layer.build(
            EmbeddedEngine.layer({ version, ...(given.apiKey === undefined ? {} : { apiKey: given.apiKey }) })
          ),
          (context) => Context.get(context, EmbeddedEngine)
        )
      const [first, second] = [yield* engineOf(staging), yield* engineOf(production)]
      const client = HttpClient.make((request, url) =>
        (url.port === "5001" ? first : second).httpClient.execute(request)
      )
      const places = {
        staging: { host: "http://127.0.0.1:5001", apiKey: Redacted.value(first.apiKey) },
        production: { host: "http://127.0.0.1:5002", apiKey: Redacted.value(second.apiKey) }
      }
      return serverWithPlans(places, client, given, journal)
    })
  )

const lostAnswer = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: new Error("socket hang up") })
  })

/** Applies a plan while every one of its writes that does something loses its answer, the server with it; answers how many there were. */
export const appliedDespiteLosses = Effect.fnUntraced(function* (planned: Json) {
  const { meddle } = yield* Beside
  for (let losses = 0; ; losses++) {
    const lost = yield* Deferred.make<"lost">()
    yield* meddle((request, proceed) => {
      if (request.method === "GET") return proceed
      // The lock of a workflow waits for the end of a write of it.
      const isLocked = request.url.includes("/workflows/")
      const end = isLocked
        ? Effect.fail(lostAnswer(request))
        : Effect.andThen(Deferred.succeed(lost, "lost"), Effect.never)
      return Effect.flatMap(proceed, (response) => (response.status === 404 ? Effect.succeed(response) : end))
    })
    const running = yield* Effect.forkChild(ask("apply_plan", { plan_id: planned["plan_id"], confirm: true }))
    const end = yield* Effect.raceFirst(Deferred.await(lost), Fiber.join(running))
    yield* meddle(undefined)
    if (end !== "lost") {
      assert.deepInclude(end, { state: "applied" })
      return losses
    }
    yield* Fiber.interrupt(running)
  }
})

/** A webhook at this path. */
export const hook = (path: string) => ({
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path, options: {} },
  webhookId: path
})

/** A workflow of one webhook, at a path of the same name. */
export const workflow = (name: string) => ({ name, nodes: [hook(name)], connections: {}, settings: {} })

/** A workflow whose one node uses a credential called Mail. */
export const workflowUsing = (name: string, id: string) => ({
  name,
  nodes: [
    {
      id: "a",
      name: "Get",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [0, 0],
      parameters: {
        url: "https://example.com",
        authentication: "genericCredentialType",
        genericAuthType: "httpBasicAuth"
      },
      credentials: { httpBasicAuth: { id, name: "Mail" } }
    }
  ],
  connections: {},
  settings: {}
})
