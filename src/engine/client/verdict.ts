import { Option, Predicate } from "effect"
import { Headers } from "effect/http"

import type { Reply } from "../../internal/http/Reply.ts"
import { parseJson } from "../../internal/json/values.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { startingUp } from "../workflow/naming.ts"

/**
 * The meaning of a reply to a call of the engine's API. Everything that is said of an engine follows from it: only what the engine
 * itself has answered says that something is missing, refused or not offered.
 */
export type Verdict =
  /** A success, in JSON. */
  | { readonly _tag: "Answered"; readonly body: unknown }
  /** The engine does not know the id. */
  | { readonly _tag: "Missing"; readonly words: string }
  /** The engine knows no such path, or not with this method. */
  | { readonly _tag: "NotOffered"; readonly words: string }
  | { readonly _tag: "Refused"; readonly words: string }
  /** The engine is starting, and has not looked at the request. */
  | { readonly _tag: "Starting" }
  /** Something else has answered, such as a proxy, a login page or another service. */
  | { readonly _tag: "Foreign"; readonly kind: ForeignKind }

/** The kind of text that came instead of the engine's answer. */
type ForeignKind = "an empty answer" | "an HTML page" | "other JSON" | "plain text"

/** The body of a reply as JSON; an empty body counts as `{}`. */
export const json = ({ text }: Pick<Reply, "text">): Option.Option<unknown> =>
  text === "" ? Option.some({}) : parseJson(text)

export const verdictOf = (reply: Reply): Verdict => {
  const { status } = reply
  if (isStarting(reply)) return { _tag: "Starting" }
  const body = json(reply)
  if (status >= 200 && status < 300) {
    return Option.match(body, { onNone: () => foreign(reply), onSome: (body): Verdict => ({ _tag: "Answered", body }) })
  }
  const words = Option.getOrUndefined(Option.map(body, (body) => wordsOfRefusal(body, status)))
  if (words === undefined || asksForLogin(reply) || neverOfEngines.has(status) || status < 400) return foreign(reply)
  if (status === 404 && words === noRoute) return { _tag: "NotOffered", words }
  if (status === 404 && isMissingThing(words)) return { _tag: "Missing", words }
  return status === 405 && noMethod.test(words) ? { _tag: "NotOffered", words } : { _tag: "Refused", words }
}

/** Whether the engine itself refuses the key: before it looks at anything else. */
export const isKeyRefused = (reply: Reply): boolean => reply.status === 401 && verdictOf(reply)._tag === "Refused"

/** Engines limit no rates and log in at no proxy. */
const neverOfEngines = new Set([407, 429])

/** Said of a path, in all versions; of an id it is written otherwise. */
const noRoute = "not found"
const noMethod = /^[A-Z]+ method not allowed$/

/** The fields of a refusal; most other services have others beside `message`. */
const fields = new Set("message hint issues violations conflicts reason workflowReviewRequestId versionId".split(" "))

/** The fields of a refusal in the other form that the contract names. */
const innerFields = new Set(["code", "message", "details"])

/**
 * The engine's words in the body of a refusal, `{ message }` or `{ error: { code, message } }`; undefined for any other shape. Of
 * arguments that older engines refuse, the first finding of their schema is the whole body.
 */
const wordsOfRefusal = (body: unknown, status?: number): string | undefined => {
  if (!isJsonObject(body)) return undefined
  const isInner = isJsonObject(body.error) && Object.keys(body).length === 1
  const refusal = isInner ? body.error : body
  if (!isJsonObject(refusal)) return undefined
  const { code, message } = refusal
  if (!Predicate.isString(message) || message === "") return undefined
  if (status === 400 && Predicate.isString(code) && Array.isArray(refusal.path)) return message
  const hasCode = code === undefined || (isInner && Predicate.isString(code))
  return hasCode && Object.keys(refusal).every((field) => (isInner ? innerFields : fields).has(field))
    ? message
    : undefined
}

/** Whether the body of a 404 is about a thing, and not about a path that whoever answered does not know. */
export const saysMissing = (body: unknown): boolean => {
  const words = wordsOfRefusal(body)
  return words !== undefined && isMissingThing(words)
}

/**
 * Whether a refusal has an engine's form and no engine's words: a status that none uses, the name of the status alone, or a 404
 * about something else than its things. It may be of something in front of the engine.
 */
export const isDoubtful = (status: number, body: unknown): boolean => {
  const words = wordsOfRefusal(body)
  if (words === undefined) return false
  if (status === 404) return !isMissingThing(words)
  return !statuses.has(status) || words.toLowerCase() === phrases[status]
}

const statuses = new Set([400, 401, 402, 403, 405, 409, 413, 415, 422, 423, 500, 501, 503])

/** The names of statuses with which gateways refuse, and engines never without a word more. */
const phrases: Readonly<Record<number, string>> = {
  400: "bad request",
  402: "payment required",
  405: "method not allowed",
  409: "conflict",
  413: "payload too large",
  415: "unsupported media type",
  422: "unprocessable entity",
  423: "locked",
  501: "not implemented",
  503: "service unavailable"
}

const isMissingThing = (words: string): boolean =>
  words === "Not Found" || (missing.test(words) && things.test(words) && !ofPath.test(words))

const missing =
  /not found|not be found|could not (find|load)|does not exist|failed to find|do not have permission to|unavailable/i
/** Other services miss things of their own: a tenant, a page. */
const things = /\b(workflow|execution|credential|tag|version|project|folder|user|variable|data table|column)s?\b/i
const ofPath = /\broute\b|\bendpoint\b|\bcannot (get|post|put|patch|delete)\b/i

/** Whether a starting engine has refused the request: by its exact text, which is never JSON. */
export const isStarting = (reply: Reply): boolean =>
  reply.status === 200 && reply.text.trim() === startingUp && !/json/i.test(contentType(reply))

/** Whether an engine knows no path, as for a moment after it said that it is starting. */
export const knowsNoPath = (reply: Reply): boolean => reply.status === 404 && Option.isNone(json(reply))

/** Engines never ask for a login in a header. */
const asksForLogin = ({ headers, status }: Reply): boolean =>
  status === 401 && (Headers.has(headers, "www-authenticate") || Headers.has(headers, "proxy-authenticate"))

const foreign = (reply: Reply): Verdict => ({ _tag: "Foreign", kind: kindOf(reply) })

export const kindOf = (reply: Reply): ForeignKind => {
  const text = reply.text.trim()
  if (text === "") return "an empty answer"
  if (text.startsWith("<") || /html/i.test(contentType(reply))) return "an HTML page"
  return Option.isSome(json(reply)) ? "other JSON" : "plain text"
}

export const contentType = ({ headers }: Reply): string =>
  Option.getOrElse(Headers.get(headers, "content-type"), () => "without a content type")
