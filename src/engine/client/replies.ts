import { Option, Predicate } from "effect"
import { Headers } from "effect/http"

import { clipped } from "../../internal/foreignText.ts"
import type { Redactor } from "../../internal/http/redact.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { contentType, isStarting, json, kindOf, verdictOf } from "./verdict.ts"

/** Longest body that is quoted whole, in characters; longer ones are truncated. */
const longestQuote = 20_000
const longestBeginning = 500
const longestWords = 1000
const longestType = 100
const longestForeign = 200

/** A text of the engine as it is shown. */
export const cut = (text: string, most = longestWords): string => clipped(text, most)

const untouched: Redactor = { text: (text) => text, value: (value) => value }

/**
 * The problem in an error body: the engine's `message`, or, with the name of the instance, the kind of answer that came
 * instead.
 */
export const problemOf = (reply: Reply, instance: string, { text } = untouched): string => {
  if (isStarting(reply)) return `the engine of instance ${instance} is still starting, try again in a moment`
  const words = ownWords(reply)
  if (words !== undefined) return quoted(words, text)
  if (reply.status === 413) return tooLarge(instance)
  return Option.isSome(json(reply))
    ? `instance ${instance} answered status ${reply.status} without a message`
    : insteadOfJson(reply, instance, text)
}

const tooLarge = (instance: string): string =>
  `instance ${instance} takes no request of this size (status 413): its payload limit is 16 MB unless it is set otherwise, and a proxy before it may have its own`

const insteadOfJson = (reply: Reply, instance: string, redact: Redactor["text"]): string =>
  `the answer of instance ${instance} has status ${reply.status} and is ${quoted(contentType(reply), redact, longestType)} instead of the engine's JSON`

/** The kind of an answer that is not the engine's, and advice about it. */
export const foreignProblem = (reply: Reply, instance: string, { text } = untouched): string => {
  const gateway = gatewayProblem(reply, instance)
  if (gateway !== undefined) return gateway
  if (isStarting(reply)) return problemOf(reply, instance)
  if (reply.status === 413) return tooLarge(instance)
  const words = ownWords(reply)
  const kind = kindOf(reply)
  const than = kind === "other JSON" ? " than the engine's" : ""
  const what = Option.isSome(json(reply))
    ? `the answer of instance ${instance} has status ${reply.status}, and is ${kind}${than}${words === undefined ? "" : ` (${JSON.stringify(quoted(words, text, longestForeign))})`}`
    : `${insteadOfJson(reply, instance, text)} (${kind})`
  return `${what}: something else than the engine answered, and nothing is known of what was asked for${remedyFor(reply)}`
}

const remedyFor = ({ status }: Reply): string => {
  if (status === 429) return ". Something in front of the engine takes no more requests for now: try again in a moment"
  if (status === 404) return noPath
  return ". Try again in a moment; if it stays, look at what is in front of the engine, and at its engine_host"
}

/** An engine that has just begun to start knows no path for a moment. */
const noPath =
  ". If the engine is starting, try again in a moment; else its host is not that of an engine, or what is in front of it does not reach it"

/** A message of an upstream, redacted and truncated; only what could be shown is searched for secrets. */
const quoted = (words: string, redact: Redactor["text"], most = longestWords): string =>
  words.length > longestQuote ? cut(redact(words.slice(0, longestQuote)), most) : cut(redact(words), most)

const ownWords = (reply: Reply): string | undefined => {
  const body = Option.getOrUndefined(json(reply))
  return messageOf(body) ?? (Predicate.hasProperty(body, "error") ? messageOf(body.error) : undefined)
}

const messageOf = (body: unknown): string | undefined =>
  Predicate.hasProperty(body, "message") && Predicate.isString(body.message) ? body.message : undefined

/**
 * The demand of a proxy or gateway in front of the engine, where it was that which refused: engines never ask for a login in
 * a header, and never refuse a call of their API with a page.
 */
const gatewayProblem = (reply: Reply, instance: string): string | undefined => {
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
  const scheme = Option.match(login, {
    onNone: () => "",
    onSome: (challenge) => `, ${/^[\w-]{0,20}/.exec(challenge)?.[0]}`
  })
  return (
    `a proxy or gateway in front of instance ${instance} asks for a login of its own (status ${status}${scheme}). The engine was ` +
    "not reached, so that its API key is not what is wrong: configure `headers` or `proxy` of this instance as the " +
    "gateway wants it"
  )
}

/** The thing that the path of a call names: `workflow 12`. */
export const thingAt = (path: string): string | undefined => {
  const [, kind, id] = thing.exec(path) ?? []
  return kind === undefined || id === "schema" ? undefined : `${kind.replace("-", " ")} ${id}`
}

const thing =
  /^\/(?:projects\/[^/]+\/(?=folders\/))?(workflow|execution|credential|tag|data-table|variable|project|folder)s\/([^/]+)/

/** The id that the answer to a call bears: of the thing that the path names, unless it is about something of that. */
export const idAt = (path: string): string | undefined =>
  /^\/(?:workflows|executions|credentials|tags|data-tables)\/([^/]+)(?:\/(?:activate|deactivate|archive|unarchive))?$/.exec(
    path
  )?.[1]

/** The value of `apiResponse`: the engine's JSON; of other or very long texts, the beginning. */
export const apiResponse = (reply: Reply, { text, value } = untouched): unknown => {
  const body = reply.text.length > longestQuote ? Option.none() : json(reply)
  return Option.match(body, {
    onSome: value,
    onNone: () => text(reply.text.slice(0, longestQuote)).slice(0, longestBeginning)
  })
}

/** The answer that came instead of the engine's own, in words. */
export const cameInstead = (reply: Reply, { text } = untouched): string =>
  `status ${reply.status} came instead, as ${reply.text.trim() === "" ? "an empty answer" : quoted(contentType(reply), text, longestType)}`

/**
 * Whether the outcome of a change is unknown despite a reply: a gateway answered instead of the engine, or the engine's answer
 * to a change that it accepted cannot be read. A refusal is in the engine's own JSON.
 */
export const leavesOpen = (reply: Reply): boolean => {
  const { status, text } = reply
  if (status === 502 || status === 504) return true
  const isForeign = verdictOf(reply)._tag === "Foreign" || text.trim() === ""
  return isForeign && (status < 300 || status >= 500)
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
