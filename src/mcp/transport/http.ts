import { Effect, Option, Predicate, Result } from "effect"
import { decodeString } from "effect/encoding/Base64"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Headers } from "effect/http/Headers"

import { makeMemory, type Share } from "../../internal/http/MemoryBudget.ts"
import { CurrentAccess, underRequestId, withRequestId } from "../callContext.ts"
import { headerMismatch, type ProtocolError, unsupportedVersion } from "../protocol/errors.ts"
import { makeInFlightRequests } from "../protocol/InFlightRequests.ts"
import { type Message, type Notification, refused, type Request } from "../protocol/Message.ts"
import { assumed, claimed, dates, find, ofRequest, type ProtocolVersion } from "../protocol/ProtocolVersion.ts"
import { ServerInfo } from "../protocol/ServerInfo.ts"
import { Sessions } from "../protocol/Session.ts"
import { DefaultSelection } from "../selection.ts"
import type { Tool } from "../Tool.ts"
import { Tools } from "../Tools.ts"
import { Gauges, HealthFacts } from "../Toolset.ts"
import { makeReader } from "./body.ts"
import { answer, type Conversations, exchange } from "./exchange.ts"
import { type Handler, isLoopback, makeMiddleware, type Options, problem } from "./middleware.ts"
import { readMessage } from "./readMessage.ts"
import { metadata, metadataPaths } from "./tokens.ts"

export type { Options } from "./middleware.ts"
export { TokenRefused, TokenUnverifiable } from "./tokens.ts"

/**
 * Adds `POST /mcp`, `GET /health` and, where they are asked for, `GET /metrics` and what there is to know of tokens to the
 * router around it.
 */
export const layer = (options: Options = {}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { authorized, open } = yield* makeMiddleware(options)
      const sessions = yield* Sessions
      const inFlightRequests = makeInFlightRequests()
      if (options.until !== undefined) yield* Effect.forkScoped(Effect.andThen(options.until, inFlightRequests.stop))
      const conversations: Conversations = {
        open: (protocolVersion, send, sessionOptions) =>
          sessions.open(protocolVersion, send, { ...sessionOptions, inFlightRequests }),
        pageOf: options.hasPage === true ? pageOf(options) : () => undefined,
        isImmediate: sessions.isImmediate
      }
      const facts = yield* HealthFacts
      const { version } = yield* ServerInfo
      const standard = yield* DefaultSelection
      const headersOf = new Map((yield* Tools).map((tool) => [tool.name, tool]))
      const scope = yield* Effect.scope
      const readBody = yield* makeReader(options.bodies)
      const { memory = makeMemory(), together = Effect.void } = options
      // The first request starts the look-up, so that the first caller of /health need not wait for it.
      yield* facts

      const serve = (request: HttpServerRequest.HttpServerRequest, share: Share) =>
        Effect.matchEffect(Effect.all([readBody(request, share), CurrentAccess]), {
          onFailure: ({ message, status }) =>
            Effect.succeed(
              problem(status, message, { connection: "close", ...(status === 503 ? { "retry-after": "1" } : {}) })
            ),
          onSuccess: ([bytes, access]) => {
            const read = readMessage(bytes)
            if (Result.isFailure(read)) return Effect.succeed(answer(refused(null, read.failure)))
            const message = read.success
            const isBrief = (access.selection ?? standard).isBrief === true
            const protocolVersion = readHeaders(message, request.headers, isBrief ? noHeaders : headersOf)
            return Result.isSuccess(protocolVersion)
              ? exchange(conversations, {
                  request,
                  message,
                  protocolVersion: protocolVersion.success,
                  scope,
                  share,
                  together
                })
              : Effect.succeed(answer(refused("id" in message ? message.id : null, protocolVersion.failure)))
          }
        })
      const inShare: Handler = (request) =>
        Effect.suspend(() => {
          const share = memory.open()
          return Effect.ensuring(serve(request, share), Effect.sync(share.close))
        })
      const post: Handler = (request) =>
        withRequestId(request.headers[requestIdHeader], (id) =>
          Effect.map(underRequestId(inShare(request), id), HttpServerResponse.setHeader(requestIdHeader, id))
        )
      const refuse = authorized(() => Effect.succeed(notAllowed))
      const health = open(() =>
        Effect.map(facts, (values) => HttpServerResponse.jsonUnsafe({ status: "ok", version, ...values }))
      )

      const { healthPath = "/health", path = "/mcp" } = options
      yield* router.add("POST", path, authorized(post))
      yield* Effect.forEach(otherMethods, (method) => router.add(method, path, refuse))
      yield* router.add("GET", healthPath, health)
      const { metrics } = options
      if (metrics !== undefined) {
        const gauges = yield* Gauges
        const page = Effect.map(gauges, (values) =>
          HttpServerResponse.text(metrics(values), { contentType: prometheus })
        )
        yield* router.add(
          "GET",
          "/metrics",
          authorized(() => page)
        )
      }
      const { protectedResource } = options
      if (protectedResource === undefined) return
      const described = open(() => Effect.succeed(metadata(protectedResource)))
      yield* Effect.forEach(metadataPaths(protectedResource), (path) => router.add("GET", path, described))
    })
  )

/** The address of the page: that of the resource that tokens are for, or the one by which the caller has reached this server. */
const pageOf =
  ({ protectedResource }: Options): Conversations["pageOf"] =>
  ({ headers: { host = "", "x-forwarded-proto": scheme } }) => {
    if (protectedResource !== undefined) return new URL(".", protectedResource.resource).href
    if (scheme === "https") return `https://${host}/`
    return isLoopback(host) ? `http://${host}/` : undefined
  }

/** Answers 404 to every other path, behind the same checks; for a server that has only our routes. */
export const fallback = (options: Options = {}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { open } = yield* makeMiddleware(options)
      const refuse = open(() => Effect.succeed(problem(404, "There is nothing here")))
      yield* Effect.forEach(["POST", ...otherMethods] as const, (method) => router.add(method, "/*", refuse))
    })
  )

/** Without HEAD, which is routed like GET. */
const otherMethods = ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"] as const

/** The id of a request in its headers and in those of its answer. */
const requestIdHeader = "x-request-id"

const prometheus = "text/plain; version=0.0.4; charset=utf-8"

const notAllowed = problem(405, "Messages are POSTed here", { allow: "POST" })

const versionHeader = "mcp-protocol-version"

/** The revision in which a message is to be answered, by its headers; or how they contradict it. */
const readHeaders = (
  message: Message,
  headers: Headers,
  headersOf: HeadersOfTools
): Result.Result<ProtocolVersion, ProtocolError> => {
  const version = headers[versionHeader]
  const isHandshake = message._tag === "Request" && message.method === "initialize"
  const params = message._tag === "Request" ? message.params : undefined
  const claimedVersion = claimed(params)
  if (Option.isSome(claimedVersion) && version !== claimedVersion.value && Predicate.isString(claimedVersion.value)) {
    return Result.fail(headerMismatch(`${versionHeader} is ${version ?? "absent"}, _meta says ${claimedVersion.value}`))
  }
  const protocolVersion = find(version)
  if (version !== undefined && protocolVersion === undefined && !isHandshake) {
    return Result.fail(unsupportedVersion(version, dates))
  }
  const isModern = ofRequest(params, protocolVersion ?? assumed).era === "modern"
  const problem = isModern && "method" in message ? mismatch(message, headers, headersOf) : undefined
  return problem === undefined ? Result.succeed(protocolVersion ?? assumed) : Result.fail(headerMismatch(problem))
}

/** The param of a method that the `Mcp-Name` header repeats. */
const repeated: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri"
}

/** The headers that repeat arguments, by tool and argument. */
type HeadersOfTools = ReadonlyMap<string, Pick<Tool, "areHeadersOptional" | "headers">>

const noHeaders: HeadersOfTools = new Map()

const mismatch = (
  { method, params }: Notification | Request,
  headers: Headers,
  headersOf: HeadersOfTools
): string | undefined => {
  if (headers["mcp-method"] !== method) return `mcp-method is ${headers["mcp-method"] ?? "absent"}, not ${method}`
  const field = repeated[method]
  if (field === undefined || !Predicate.hasProperty(params, field) || !Predicate.isString(params[field]))
    return undefined
  const name = headers["mcp-name"]
  if (name === undefined) return "mcp-name is absent"
  if (readValue(name) !== params[field]) return `mcp-name is not the ${field} of the params`
  const args = method === "tools/call" && Predicate.hasProperty(params, "arguments") ? params.arguments : undefined
  const { areHeadersOptional = false, headers: repeatedIn = {} } = headersOf.get(params[field]) ?? {}
  for (const [argument, suffix] of Object.entries(repeatedIn)) {
    const value = Predicate.hasProperty(args, argument) ? (args[argument] ?? undefined) : undefined
    const header = `mcp-param-${suffix.toLowerCase()}`
    const repeatedValue = headers[header]
    if (repeatedValue === undefined && (value === undefined || areHeadersOptional)) continue
    if (repeatedValue === undefined) return `${header} is absent`
    if (value === undefined || readValue(repeatedValue) !== value) return `${header} is not arguments.${argument}`
  }
  return undefined
}

/** A header value: visible ASCII as it is, anything else as `=?base64?...?=`. */
const readValue = (value: string): string | undefined => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded !== undefined) return Result.getOrUndefined(decodeString(encoded))
  return /^[\t\x20-\x7e]*$/.test(value) ? value : undefined
}
