import { Effect, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"

import { ServerInfo } from "../protocol/eras.ts"
import * as InFlightRequests from "../protocol/InFlightRequests.ts"
import { refused } from "../protocol/Response.ts"
import { Sessions } from "../protocol/Session.ts"
import { named, withRequestId } from "../RequestId.ts"
import { Gauges, HealthFacts } from "../Toolset.ts"
import { makeReader } from "./body.ts"
import { answer, type Conversations, exchange } from "./exchange.ts"
import { readHeaders } from "./headers.ts"
import * as Memory from "./memory.ts"
import { type Handler, makeMiddleware, type Options, problem } from "./middleware.ts"
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
      const inFlightRequests = InFlightRequests.make()
      if (options.until !== undefined) yield* Effect.forkScoped(Effect.andThen(options.until, inFlightRequests.stop))
      const conversations: Conversations = {
        open: (protocolVersion, send, circumstances) =>
          sessions.open(protocolVersion, send, { ...circumstances, inFlightRequests }),
        isImmediate: sessions.isImmediate
      }
      const facts = yield* HealthFacts
      const { version } = yield* ServerInfo
      const scope = yield* Effect.scope
      const readBody = yield* makeReader(options.bodies)
      const { memory = Memory.make(), together = Effect.void } = options
      // The first request starts the look-up, so that the first caller of /health need not wait for it.
      yield* facts

      const serve = (request: HttpServerRequest.HttpServerRequest, share: Memory.Share) =>
        Effect.matchEffect(readBody(request, share), {
          onFailure: ({ message, status }) =>
            Effect.succeed(
              problem(status, message, { connection: "close", ...(status === 503 ? { "retry-after": "1" } : {}) })
            ),
          onSuccess: (bytes) => {
            const read = readMessage(bytes)
            if (Result.isFailure(read)) return Effect.succeed(answer(refused(null, read.failure)))
            const message = read.success
            const protocolVersion = readHeaders(message, request.headers)
            return Result.isSuccess(protocolVersion)
              ? exchange(conversations, request, message, protocolVersion.success, { scope, share, together })
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
          Effect.map(named(inShare(request), id), HttpServerResponse.setHeader(requestIdHeader, id))
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
