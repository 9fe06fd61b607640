// Node's own events and callbacks: every call of an upstream goes through here, and a layer less is a third of its cost.
import type { IncomingMessage } from "node:http"
import { pipeline, type Readable } from "node:stream"

import { Effect, Result } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

import type { ConnectionOptions } from "../internal/http/HttpClients.ts"
import { NotConnected } from "../internal/http/transportCode.ts"
import { NodeResponse } from "./NodeResponse.ts"
import { makeWays, type Way } from "./ways.ts"

/**
 * Longest wait for a connection and its handshake. Three attempts fit into the time of a call, so that a connection that
 * never comes about is known as such. Node's own time-outs count silence, and once more where a body is waiting.
 */
const connectTimeout = "8 seconds"

/** A client with connections of its own until the scope ends. It follows no redirects, and unpacks answers of every status. */
export const nodeHttpClient = Effect.fnUntraced(function* (options: ConnectionOptions) {
  const ways = yield* makeWays(options)
  return HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const way: Way = yield* url.protocol === "https:" ? ways.secure : ways.plain
      const { bytes, headers } = yield* outgoing(request)
      const answer = yield* exchange(way, { request, url, headers, bytes, signal })
      return new NodeResponse(request, url, answer, yield* unpacked(answer))
    })
  )
})

interface Outgoing {
  readonly bytes: Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The bytes of a body, and the headers that go with it. */
const outgoing = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Outgoing, HttpClientError.HttpClientError> => {
  const { body, headers } = request
  if (body._tag === "Empty") return Effect.succeed({ bytes: undefined, headers })
  if (body._tag === "Uint8Array") return Effect.succeed({ bytes: body.body, headers })
  return Effect.flatMap(HttpClientRequest.toWeb(request), (web) =>
    Effect.map(
      Effect.tryPromise(() => web.arrayBuffer()),
      (bytes) => ({ bytes: new Uint8Array(bytes), headers: Object.fromEntries(web.headers) })
    )
  ).pipe(Effect.mapError((cause) => failed(request, cause)))
}

const failed = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

interface Exchange extends Outgoing {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
  readonly signal: AbortSignal
}

/** Sends a request and waits for the head of its answer; where a connection has to be made first, not without end. */
const exchange = (way: Way, { bytes, headers, request, signal, url }: Exchange) =>
  Effect.suspend(() => {
    const opened = Result.try(() => way.open(url, { method: request.method, headers }))
    if (Result.isFailure(opened)) return Effect.fail(failed(request, new NotConnected({ cause: opened.failure })))
    const going = opened.success
    const progress = { isConnected: going.reusedSocket }
    const head = Effect.callback<IncomingMessage, HttpClientError.HttpClientError>((resume) => {
      signal.addEventListener("abort", () => going.destroy(), { once: true })
      going.on("error", (cause) =>
        resume(Effect.fail(failed(request, progress.isConnected ? cause : new NotConnected({ cause }))))
      )
      going.on("socket", (socket) => {
        if (!progress.isConnected) socket.once(way.connected, () => (progress.isConnected = true))
      })
      going.on("response", (answer) => {
        // It may break before it is read, which then finds out.
        answer.on("error", () => {})
        resume(Effect.succeed(answer))
      })
      going.end(bytes)
      return Effect.sync(() => going.destroy())
    })
    if (progress.isConnected) return head
    const tooLate = Effect.suspend(() =>
      progress.isConnected ? Effect.never : Effect.fail(failed(request, new NotConnected({ cause: noConnection })))
    )
    return Effect.raceFirst(head, Effect.andThen(Effect.sleep(connectTimeout), tooLate))
  })

const noConnection = { code: "ETIMEDOUT" }

const packing = /^(?:(?:x-)?gzip|deflate|br)$/

/** The body of an answer, unpacked as far as it is packed. */
const unpacked = (answer: IncomingMessage): Effect.Effect<Readable> => {
  const { "content-encoding": coding = "", "content-length": length } = answer.headers
  if (coding === "" || length === "0" || answer.statusCode === 204 || answer.statusCode === 304) {
    return Effect.succeed(answer)
  }
  return Effect.map(
    Effect.promise(() => import("node:zlib")),
    ({ createBrotliDecompress, createUnzip }) =>
      coding
        .toLowerCase()
        .split(",")
        .map((name) => name.trim())
        .filter((name) => packing.test(name))
        .reduceRight<Readable>(
          (packed, name) => pipeline(packed, name === "br" ? createBrotliDecompress() : createUnzip(), () => {}),
          answer
        )
  )
}
