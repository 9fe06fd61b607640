import { Option, Predicate, Schema } from "effect"
import { Headers } from "effect/http"

import type { Reply } from "../../internal/http/Upstream.ts"
import { startingUp } from "./naming.ts"

const longestQuote = 20_000
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The body of a reply as JSON; an empty body counts as `{}`. */
export const json = ({ text }: Reply): Option.Option<unknown> => (text === "" ? Option.some({}) : parse(text))

/** What the engine says in an error body: its `message`, or what kind of answer came instead. */
export const problemOf = (reply: Reply): string => {
  if (isStarting(reply)) return "the engine is still starting, try again in a moment"
  const words = ownWords(reply)
  if (words !== undefined) return words
  return Option.isSome(json(reply))
    ? `status ${reply.status} without a message`
    : `the answer has status ${reply.status} and is ${contentType(reply)} instead of the engine's JSON`
}

const ownWords = (reply: Reply): string | undefined => {
  const body = Option.getOrUndefined(json(reply))
  return messageOf(body) ?? (Predicate.hasProperty(body, "error") ? messageOf(body.error) : undefined)
}

const messageOf = (body: unknown): string | undefined =>
  Predicate.hasProperty(body, "message") && Predicate.isString(body.message) ? body.message : undefined

/**
 * What a proxy or gateway in front of the engine wants, where it was that which refused: engines never ask for a login in
 * a header, and never refuse a key with a page.
 */
export const gatewayProblem = (reply: Reply): string | undefined => {
  const { headers, status } = reply
  const login = Option.orElse(Headers.get(headers, "proxy-authenticate"), () =>
    Headers.get(headers, "www-authenticate")
  )
  const isPage = /^\s*</.test(reply.text) || /html/i.test(contentType(reply))
  if (status !== 407 && !(status === 401 && (Option.isSome(login) || isPage))) return undefined
  const scheme = Option.match(login, { onNone: () => "", onSome: (asked) => `, ${/^[\w-]{0,20}/.exec(asked)?.[0]}` })
  return (
    `a proxy or gateway in front of the engine asks for a login of its own (status ${status}${scheme}). The engine was ` +
    "not reached, so that its API key is not what is wrong: configure `headers` or `proxy` of this instance as the " +
    "gateway wants it"
  )
}

/** The thing that the path of a call names: `workflow 12`. */
export const thingAt = (path: string): string | undefined => {
  const [, kind, id] = /^\/(workflow|execution|credential|tag)s\/([^/]+)/.exec(path) ?? []
  return kind === undefined || id === "schema" ? undefined : `${kind} ${id}`
}

/** The engine's own words for `apiResponse`: its JSON; of a text that is none, or is very long, the beginning. */
export const apiResponse = (reply: Reply): unknown => {
  const body = reply.text.length > longestQuote ? Option.none() : json(reply)
  return Option.getOrElse(body, () => reply.text.slice(0, 500))
}

/** An engine that is starting answers every path with a text, and then for a moment knows no path. */
export const isStarting = (reply: Reply): boolean => reply.status === 200 && startingUp.test(reply.text.slice(0, 200))

/** Whether the engine lacks the route itself: the refusal of a thing with that id is in the engine's own words. */
export const isNotOffered = (reply: Reply): boolean => {
  if (reply.status === 405) return true
  return reply.status === 404 && ["not found", undefined].includes(ownWords(reply))
}

/**
 * Whether nothing listens at a production address yet, in the engine's own words: no run has begun. A workflow can
 * answer 404 itself, so the words must be the engine's to the letter. That of a form is a page.
 */
export const isNotListening = (reply: Reply): boolean => {
  if (reply.status !== 404) return false
  if (/<title>Problem loading form/.test(reply.text)) return true
  const body = Option.getOrUndefined(json(reply))
  return Predicate.hasProperty(body, "code") && body.code === 404 && notListening.test(messageOf(body) ?? "")
}

const notListening = new RegExp(
  `^(${[
    'The requested webhook ".*" is not registered\\.',
    "This webhook is not registered for [A-Z]+ requests\\. Did you mean to make a .* request\\?",
    // Between taking a workflow's last version down and putting the next one up.
    '(Published|Active) version not found for workflow with id ".*"'
  ].join("|")})$`
)

const contentType = ({ headers }: Reply): string =>
  Option.getOrElse(Headers.get(headers, "content-type"), () => "without a content type")
