import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { parseJson } from "../../../src/internal/json/values.ts"

export type Json = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly json: Json
}

interface More {
  /** `null` sends no key. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, instead of a body as JSON. */
  readonly raw?: string
}

const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** One request to the embedded engine, from its root. */
export const send = Effect.fnUntraced(function* (
  method: "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT",
  path: string,
  body?: unknown,
  more: More = {}
) {
  const { apiKey, host, httpClient } = yield* EmbeddedEngine
  const { headers = {}, key = Redacted.value(apiKey), raw } = more
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const bare = HttpClientRequest.make(method)(host + path)
  const filled = text === undefined ? bare : HttpClientRequest.bodyText(bare, text, "application/json")
  const request = HttpClientRequest.setHeaders(filled, {
    ...(key === null ? {} : { "X-N8N-API-KEY": key }),
    ...headers
  })
  const response = yield* httpClient.execute(request)
  const answered = yield* response.text
  const value = parseJson(answered)
  const json =
    value._tag === "Some" && typeof value.value === "object" && !Array.isArray(value.value) ? value.value : {}
  return {
    status: response.status,
    type: response.headers["content-type"] ?? "",
    text: answered,
    json: decode(json)
  } satisfies Answer
})

/** One call of the API. */
export const api = (...[method, path, body, more]: Parameters<typeof send>) =>
  send(method, `/api/v1${path}`, body, more)

/** The status and the message of a refusal. */
export const refusal = ({ json, status }: Answer) => [status, json.message] as const

/** The refusal of an API call. */
export const refused = (...call: Parameters<typeof send>) => Effect.map(api(...call), refusal)

/** The data of a list. */
export const listed = Effect.fnUntraced(function* (path: string) {
  return decodePage((yield* api("GET", path)).json)
})

const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    nextCursor: Schema.NullOr(Schema.String)
  })
)

export const node = (name: string, kind: string, parameters: Json = {}, more: Json = {}): Json => ({
  name,
  type: kind.includes(".") ? kind : `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more
})

export const manual = node("Start", "manualTrigger")

export const schedule = node(
  "Cron",
  "scheduleTrigger",
  { rule: { interval: [{ field: "hours" }] } },
  { typeVersion: 1.2 }
)

export const webhook = (path: string, responseMode = "lastNode", more: Json = {}): Json =>
  node("Webhook", "webhook", { path, httpMethod: "POST", responseMode, ...more }, { typeVersion: 2, webhookId: path })

/** An Edit Fields node that assigns these values. */
export const set = (name: string, assignments: Json): Json => {
  const list = Object.entries(assignments).map(([key, value]) => ({ id: key, name: key, value }))
  return node(name, "set", { assignments: { assignments: list }, options: {} }, { typeVersion: 3.4 })
}

/** Connections from each of these nodes to the next. */
export const chain = (...names: ReadonlyArray<string>): Json =>
  Object.fromEntries(
    names.slice(1).map((to, index) => [names[index], { main: [[{ node: to, type: "main", index: 0 }]] }])
  )

export const flow = (
  name: string,
  nodes: ReadonlyArray<unknown> = [manual],
  connections: Json = {},
  more: Json = {}
): Json => ({
  name,
  nodes,
  connections,
  settings: {},
  ...more
})

const Created = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

/** Creates a workflow and tells its id. */
export const created = (body: Json) => Effect.map(api("POST", "/workflows", body), ({ json }) => Created(json).id)

/** Creates and activates a workflow, and tells its id. */
export const running = Effect.fnUntraced(function* (body: Json) {
  const id = yield* created(body)
  yield* api("POST", `/workflows/${id}/activate`)
  return id
})

/** Calls a webhook as anybody may. */
export const visit = (path: string, body: unknown = {}) => send("POST", `/webhook/${path}`, body, { key: null })
