import { DateTime } from "effect"
import { HttpServerResponse } from "effect/http"

import type { State } from "./State.ts"

/** An answer: JSON, plain text, or nothing but a status. */
export type Reply =
  | { readonly status: number; readonly json: unknown; readonly contentType?: string }
  | { readonly status: number; readonly text: string }
  | { readonly status: number }

export const ok = (json: unknown): Reply => ({ status: 200, json })
export const done: Reply = { status: 200 }
export const doneEmpty: Reply = { status: 204 }

const origin = "camp-api-public-cache"
const request_id = "00000000000000000000000000000000"

const problem = (status: number, title: string, said: object): Reply => ({
  status,
  json: { ...said, origin, request_id, status, title }
})

/** An error of the part for campaigns. */
export const invalid = (detail: string): Reply => problem(400, "invalid payload", { detail })

/** Its error for an invalid number, before the rules are checked. */
export const invalidNumber = (detail: string): Reply => problem(400, "validation request params error", { detail })

/** Its error for an operation that a campaign does not allow. */
export const forbidden = (detail: string): Reply => problem(403, "request forbidden", { detail })

/** An error of the part for statistics, which names the fields. */
export const invalidFields = (errors: ReadonlyArray<{ readonly detail: string; readonly field: string }>): Reply =>
  problem(400, "Invalid payload", { errors, type: "bad request" })

/** Errors of the part for keyword statistics. */
export const unwanted = (message: string): Reply => ({ status: 400, json: { message, type: "bad request" } })
export const missing = (message: string): Reply => ({ status: 404, json: { message, type: "not found" } })

/** An error of the part that starts, pauses and deletes campaigns. */
export const error = (text: string): Reply => ({ status: 400, json: { error: text } })

/** An error of the part that creates campaigns: a string, as JSON. */
const quoted = (text: string): Reply => ({ status: 400, json: text })

/** An error of the part for budgets. */
export const plain = (text: string): Reply => ({ status: 400, text })

/** An error of the gateway in front of all parts. */
const gateway =
  (status: number, title: string, statusText: string, detail: string) =>
  (now: DateTime.Utc): Reply => ({
    status,
    json: {
      title,
      detail,
      code: "embedded",
      requestId: request_id,
      origin: "s2s-api-auth-catalog",
      status,
      statusText,
      timestamp: DateTime.formatIso(now)
    },
    contentType: "application/problem+json"
  })

export const unauthorized = gateway(
  401,
  "unauthorized",
  "Unauthorized",
  "token problem; token is malformed: could not base64 decode signature: illegal base64 data at input byte 84"
)
export const tooMany = gateway(429, "too many requests", "Too Many Requests", "limited by embedded")
export const pathNotFound = gateway(
  404,
  "path not found",
  "Not Found",
  "Please consult the https://dev.wildberries.ru/openapi/api-information"
)

/** The errors of one part of the marketplace; each has its own format and texts. */
export interface ErrorFormat {
  readonly refuse: (text: string) => Reply
  /** For a query parameter that is missing or invalid. */
  readonly parameter: (name: string) => string
  /** For a body without the shape of the operation. */
  readonly body: string
}

const unreadable = "can not deserialize response body"
const incorrectBody = "Некорректное тело запроса"

const named = (name: string): string => `invalid ${name}`

export const errorFormats = {
  campaigns: { refuse: invalid, parameter: (name) => `invalid ${name} value`, body: unreadable },
  statistics: { refuse: invalid, parameter: named, body: unreadable },
  keywords: { refuse: unwanted, parameter: named, body: unreadable },
  moves: { refuse: error, parameter: () => "Invalid Advert: invalid advert", body: incorrectBody },
  deletion: { refuse: error, parameter: () => "Некорректный ID кампании", body: incorrectBody },
  creation: { refuse: quoted, parameter: named, body: incorrectBody },
  money: { refuse: plain, parameter: () => "кампания не принадлежит продавцу", body: incorrectBody },
  history: { refuse: plain, parameter: named, body: incorrectBody },
  names: { refuse: plain, parameter: () => "Некорректный ID РК", body: "Ошибка обработки тела запроса" },
  recommendations: { refuse: plain, parameter: named, body: incorrectBody },
  deposits: { refuse: error, parameter: () => "Invalid Advert: invalid advert", body: incorrectBody }
} as const satisfies Record<string, ErrorFormat>

/** The outcome of a write; if it is refused, the account is unchanged. */
export interface Written {
  readonly state: State
  readonly reply: Reply
}

export const refuse = (state: State, reply: Reply): Written => ({ state, reply })

export const toResponse = (reply: Reply, headers: Readonly<Record<string, string>> = {}) => {
  const { status } = reply
  if ("json" in reply) {
    const { contentType = "application/json", json } = reply
    return HttpServerResponse.jsonUnsafe(json, { status, headers, contentType })
  }
  return "text" in reply
    ? HttpServerResponse.text(reply.text, { status, headers })
    : HttpServerResponse.empty({ status, headers })
}
