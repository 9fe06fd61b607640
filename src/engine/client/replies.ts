import { Option, Predicate } from "effect"
import { Headers } from "effect/http"

import type { Redactor } from "../../internal/http/redact.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { parseJson } from "../../internal/json/parseJson.ts"
import { startingUp } from "./naming.ts"

/** Longest body that is quoted whole, in characters; longer ones are truncated. */
const longestQuote = 20_000
const longestBeginning = 500
const longestWords = 1000
const longestType = 100

/** A text of the engine as it is shown: truncated, with a note that there was more. */
export const cut = (text: string, most = longestWords): string =>
  text.length > most ? `${text.slice(0, most)}... (cut, ${text.length} characters)` : text

const untouched: Redactor = { text: (text) => text, value: (value) => value }

/** The body of a reply as JSON; an empty body counts as `{}`. */
export const json = ({ text }: Pick<Reply, "text">): Option.Option<unknown> =>
  text === "" ? Option.some({}) : parseJson(text)

/** What the engine says in an error body: its `message`, or, with the name of the instance, what kind of answer came instead. */
export const problemOf = (reply: Reply, instance: string, { text } = untouched): string => {
  if (isStarting(reply)) return `the engine of instance ${instance} is still starting, try again in a moment`
  const words = ownWords(reply)
  if (words !== undefined) return shown(words, text)
  return Option.isSome(json(reply))
    ? `instance ${instance} answered status ${reply.status} without a message`
    : `the answer of instance ${instance} has status ${reply.status} and is ${shown(contentType(reply), text, longestType)} instead of the engine's JSON${reply.status === 404 ? noPath : ""}`
}

/** An engine that has just begun to start knows no path for a moment. */
const noPath = ". If the engine is starting, try again in a moment; else its host is not that of an engine"

/** A message of an upstream, redacted and truncated; only what could be shown is searched for secrets. */
const shown = (words: string, redact: Redactor["text"], most = longestWords): string =>
  words.length > longestQuote ? cut(redact(words.slice(0, longestQuote)), most) : cut(redact(words), most)

const ownWords = (reply: Reply): string | undefined => {
  const body = Option.getOrUndefined(json(reply))
  return messageOf(body) ?? (Predicate.hasProperty(body, "error") ? messageOf(body.error) : undefined)
}

const messageOf = (body: unknown): string | undefined =>
  Predicate.hasProperty(body, "message") && Predicate.isString(body.message) ? body.message : undefined

/**
 * What a proxy or gateway in front of the engine wants, where it was that which refused: engines never ask for a login in
 * a header, and never refuse a call of their API with a page.
 */
export const gatewayProblem = (reply: Reply, instance: string): string | undefined => {
  const { headers, status } = reply
  const login = Option.orElse(Headers.get(headers, "proxy-authenticate"), () =>
    Headers.get(headers, "www-authenticate")
  )
  const isPage = /^\s*</.test(reply.text) || /html/i.test(contentType(reply))
  if (status === 403 && isPage) {
    return (
      `a proxy or gateway in front of instance ${instance} refuses the request with a page of its own (status 403). The engine was ` +
      "not reached, so that its API key is not what is wrong: allow this server there, or configure `headers` of this instance"
    )
  }
  if (status !== 407 && !(status === 401 && (Option.isSome(login) || isPage))) return undefined
  const scheme = Option.match(login, { onNone: () => "", onSome: (asked) => `, ${/^[\w-]{0,20}/.exec(asked)?.[0]}` })
  return (
    `a proxy or gateway in front of instance ${instance} asks for a login of its own (status ${status}${scheme}). The engine was ` +
    "not reached, so that its API key is not what is wrong: configure `headers` or `proxy` of this instance as the " +
    "gateway wants it"
  )
}

/** The thing that the path of a call names: `workflow 12`. */
export const thingAt = (path: string): string | undefined => {
  const [, kind, id] = /^\/(workflow|execution|credential|tag)s\/([^/]+)/.exec(path) ?? []
  return kind === undefined || id === "schema" ? undefined : `${kind} ${id}`
}

/** The value of `apiResponse`: the engine's JSON; of other or very long texts, the beginning. */
export const apiResponse = (reply: Reply, { text, value } = untouched): unknown => {
  const body = reply.text.length > longestQuote ? Option.none() : json(reply)
  return Option.match(body, {
    onSome: value,
    onNone: () => text(reply.text.slice(0, longestQuote)).slice(0, longestBeginning)
  })
}

/** What came instead of the engine's own answer. */
export const cameInstead = (reply: Reply, { text } = untouched): string =>
  `status ${reply.status} came instead, as ${reply.text.trim() === "" ? "an empty answer" : shown(contentType(reply), text, longestType)}`

/**
 * Whether the outcome of a change is unknown despite a reply: a gateway answered instead of the engine, or the engine's answer
 * to a change that it accepted cannot be read. A refusal is in the engine's own JSON.
 */
export const leavesOpen = (reply: Reply): boolean => {
  if (reply.status === 502 || reply.status === 504) return true
  if (reply.status === 204 || isStarting(reply)) return false
  const isPlain = reply.text.trim() === "" || Option.isNone(json(reply))
  return isPlain && (reply.status < 300 || reply.status >= 500)
}

/** Whether a starting engine has refused the request: by its exact text, which is never JSON. */
export const isStarting = (reply: Reply): boolean =>
  reply.status === 200 && reply.text.trim() === startingUp && !/json/i.test(contentType(reply))

/** Whether an engine knows no path, as for a moment after it said that it is starting. */
export const knowsNoPath = (reply: Reply): boolean => reply.status === 404 && Option.isNone(json(reply))

/** Whether the engine lacks the route itself: if only the thing does not exist, it refuses in its own words. */
export const isNotOffered = (reply: Reply): boolean => {
  if (reply.status === 405) return true
  return reply.status === 404 && ["not found", undefined].includes(ownWords(reply))
}

/**
 * Whether a production address answers with the engine's own message that nothing listens there yet. A workflow can return the
 * same text, so this alone does not prove that no run has begun. For forms, the message is an HTML page.
 */
export const isNotListening = (reply: Reply): boolean => {
  if (reply.status !== 404) return false
  if (/<title>Problem loading form/.test(reply.text)) return true
  const body = Option.getOrUndefined(json(reply))
  return (
    Predicate.hasProperty(body, "code") &&
    body.code === 404 &&
    Object.keys(body).every((key) => ownKeys.includes(key)) &&
    notListening.test(messageOf(body) ?? "")
  )
}

/** The fields of such a refusal, `stacktrace` only in a development build of the engine. */
const ownKeys = ["code", "message", "hint", "stacktrace"]

const notListening = new RegExp(
  `^(${[
    'The requested webhook ".*" is not registered\\.',
    "This webhook is not registered for [A-Z]+ requests\\. Did you mean to make a .* request\\?",
    // Between removing the published version of a workflow and publishing the next one.
    '(Published|Active) version not found for workflow with id ".*"'
  ].join("|")})$`
)

const contentType = ({ headers }: Reply): string =>
  Option.getOrElse(Headers.get(headers, "content-type"), () => "without a content type")
