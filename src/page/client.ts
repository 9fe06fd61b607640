import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { type Args, numberOf, textOf } from "./json.ts"
import { readJson } from "./readJson.ts"

/** The outcome of a request: the answer, or words for whoever made it. */
export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly problem: string; readonly details: unknown; readonly needsToken: boolean }

interface Listening {
  readonly signal?: AbortSignal
  /** Hears how far a call has come. */
  readonly onProgress?: (progress: number, total: number) => void
}

const failure = (problem: string, details?: unknown, needsToken = false) =>
  ({ ok: false, problem, details, needsToken }) as const

const tokenKey = "workflow-tool-server-token"

/** The token is known to this tab alone, until it is closed; it never stands in an address. */
export const token = {
  get: () => sessionStorage.getItem(tokenKey) ?? "",
  set: (text: string) => sessionStorage.setItem(tokenKey, text),
  clear: () => sessionStorage.removeItem(tokenKey)
}

interface Headed {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends JSON to the server that this page came from. */
const post = (path: string, body: object, more: Headed = {}) => {
  const currentToken = token.get()
  return fetch(path, {
    method: "POST",
    body: JSON.stringify(body),
    credentials: "omit",
    cache: "no-store",
    ...more,
    headers: {
      "content-type": "application/json",
      ...(currentToken === "" ? {} : { authorization: `Bearer ${currentToken}` }),
      ...more.headers
    }
  })
}

/** The refusal of a request without a token that is accepted. */
const tokenProblem = ({ status }: Response) =>
  status === 401 || status === 429
    ? failure(
        status === 401 ? "This server asks for a token." : "Too many wrong tokens. Wait ten seconds.",
        undefined,
        true
      )
    : undefined

const unreachable = failure("The server cannot be reached. Is it still running?")

/** Reads a form for secrets, or sends it; neither goes through the tools. */
export const secretForm = (body: Args): Promise<Outcome<JsonObject>> =>
  post("secrets", body).then(
    (response) =>
      response.text().then((text) => {
        const value = objectOf(readJson(text)?.value)
        return response.ok ? { ok: true, value } : (tokenProblem(response) ?? failure(textOf(value.error)))
      }),
    () => unreachable
  )

/** One request to the server that this page came from, at the endpoint that every client uses. */
export const request = (
  method: string,
  params: Args,
  { onProgress, signal }: Listening = {}
): Promise<Outcome<JsonObject>> =>
  post(
    "mcp",
    { jsonrpc: "2.0", id: 1, method, params },
    {
      headers: {
        accept: onProgress === undefined ? "application/json" : "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25"
      },
      ...(signal === undefined ? {} : { signal })
    }
  ).then(
    (response) =>
      tokenProblem(response) ??
      (response.body !== null && textOf(response.headers.get("content-type")).startsWith("text/event-stream")
        ? events(response.body, onProgress)
        : response.text().then(read, () => brokenOff)),
    () => unreachable
  )

const brokenOff = failure("The answer of the server broke off. What was asked for may have been done.")

const dataOf = "data: "

/** Progress as it comes, and at last the answer. */
const events = (body: ReadableStream<Uint8Array<ArrayBuffer>>, onProgress: Listening["onProgress"]) => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const next = (rest: string): Promise<Outcome<JsonObject>> =>
    reader.read().then(
      ({ done, value = "" }) => {
        const parts = `${rest}${value}`.split("\n\n")
        const left = parts.pop() ?? ""
        for (const part of parts) {
          const data = (part.split("\n").find((line) => line.startsWith(dataOf)) ?? "").slice(dataOf.length)
          const { method, params } = objectOf(readJson(data)?.value)
          if (method === undefined && data !== "") return read(data)
          const { progress, total } = objectOf(params)
          if (method === "notifications/progress") onProgress?.(numberOf(progress), numberOf(total))
        }
        return done ? brokenOff : next(left)
      },
      () => brokenOff
    )
  return next("")
}

const read = (text: string): Outcome<JsonObject> => {
  const answer = objectOf(readJson(text)?.value)
  if (isJsonObject(answer.result)) return { ok: true, value: answer.result }
  const { data, message } = objectOf(answer.error)
  const refusal = Predicate.isString(answer.error) ? answer.error : textOf(message)
  return failure(refusal === "" ? "The server answered something that is no answer." : refusal, data)
}

/** Calls a tool; what it answers is one JSON object. */
export const callTool = (name: string, args: Args, listening: Listening = {}): Promise<Outcome<JsonObject>> =>
  request("tools/call", { name, arguments: args, _meta: metaOf(listening) }, listening).then((outcome) => {
    if (!outcome.ok) return outcome
    const { structuredContent } = outcome.value
    return isJsonObject(structuredContent)
      ? { ok: true, value: structuredContent }
      : failure("The tool answered something that is no object.")
  })

const metaOf = ({ onProgress }: Listening) => ({
  ...wholeSelection,
  ...forPerson,
  [clientInfo]: pageInfo,
  ...(onProgress === undefined ? {} : { progressToken: "page" })
})

/** The page shows people all tools, whichever of them models are offered. */
export const wholeSelection = { "workflow-tool-server/tools": "all" }

/** Answers leave out the advice of which tool a model should call next: the page has buttons. */
const forPerson = { "workflow-tool-server/audience": "person" }

/** The field by which the audit log names the caller. */
const clientInfo = "io.modelcontextprotocol/clientInfo"
const pageInfo = { name: "page", version: "1" }
