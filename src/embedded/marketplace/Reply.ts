import { HttpServerResponse } from "effect/http"

/** An answer: JSON, plain text, or nothing but a status. */
export type Reply =
  | { readonly status: number; readonly json: unknown }
  | { readonly status: number; readonly text: string }
  | { readonly status: number }

export const ok = (json: unknown): Reply => ({ status: 200, json })
export const done: Reply = { status: 200 }

const origin = "camp-api-public-cache"
const request_id = "00000000000000000000000000000000"

/** A refusal by the part that knows campaigns. */
export const invalid = (detail: string): Reply => ({
  status: 400,
  json: { detail, origin, request_id, status: 400, title: "invalid payload" }
})

/** A refusal by the part that starts and pauses them. */
export const error = (text: string): Reply => ({ status: 400, json: { error: text } })

/** A refusal by the gateway before them all. */
export const gateway = (status: number, title: string, statusText: string, detail: string): Reply => ({
  status,
  json: { title, detail, code: "embedded", requestId: request_id, origin: "s2s-api-auth-catalog", status, statusText }
})

export const toResponse = (reply: Reply, headers: Readonly<Record<string, string>> = {}) => {
  const { status } = reply
  if ("json" in reply) return HttpServerResponse.jsonUnsafe(reply.json, { status, headers })
  return "text" in reply
    ? HttpServerResponse.text(reply.text, { status, headers })
    : HttpServerResponse.empty({ status, headers })
}
