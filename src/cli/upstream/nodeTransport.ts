import type { IncomingMessage } from "node:http"
import { type Readable, pipeline } from "node:stream"

// Node's own events and callbacks: every call of an upstream goes through here, and a layer less is a third of its cost.
// Node's own events and callbacks, as in nodeTransport.
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Result } from "effect"
import { Headers } from "effect/http"

import {
  type Answer,
  openHeaders,
  type Transport,
  TransportError,
  type UpstreamRequest
} from "../../internal/http/Transport.ts"
import { NotConnected, systemError } from "../../internal/http/transportCode.ts"
import type { Route, Routes } from "./routes.ts"

export type Body = string | Uint8Array | undefined

/** A request as it leaves. */
export interface Outgoing {
  readonly body: Body
  readonly headers: Readonly<Record<string, string>>
}

interface Exchange extends Outgoing {
  readonly method: string
  readonly url: URL
}

/**
 * Longest wait for a connection and its handshake. Three attempts fit into the time of a call, so that a connection that
 * never comes about is known as such. Node's own time-outs count silence, and once more where a body is waiting.
 */
const connectTimeout = "8 seconds"

/** Requests over these routes; `formOf` writes the forms among them. */
export const nodeTransport = (
  routes: Routes,
  formOf: (request: UpstreamRequest, url: URL) => Effect.Effect<Outgoing, unknown>
): Transport => {
  const outgoing = (request: UpstreamRequest, url: URL): Effect.Effect<Outgoing, TransportError> => {
    const headers = openHeaders(request)
    if (request.body === undefined && request.form === undefined) return Effect.succeed({ body: undefined, headers })
    if (request.body === undefined) return Effect.mapError(formOf(request, url), failed)
    const body = JSON.stringify(request.body)
    headers["content-type"] = "application/json"
    headers["content-length"] = String(Buffer.byteLength(body))
    return Effect.succeed({ body, headers })
  }
  return {
    execute: (request, url) =>
      Effect.flatMap(outgoing(request, url), (leaving) =>
        Effect.flatMap(routes.to(url), (route) =>
          Effect.flatMap(exchange(route, { ...leaving, method: request.method, url }), toAnswer)
        )
      )
  }
}

/** Sends a request and waits for the head of its answer; where a connection has to be made first, not without end. */
export const exchange = (route: Route, { body, headers, method, url }: Exchange) =>
  Effect.suspend(() => {
    const opened = Result.try(() => route.open(url, { method, headers }))
    if (Result.isFailure(opened)) return Effect.fail(failed(new NotConnected({ cause: opened.failure })))
    const going = opened.success
    const cut = () => void going.destroy()
    const progress = { isConnected: going.reusedSocket, isSent: false }
    const head = Effect.callback<Received, TransportError>((resume) => {
      const fail = (cause: unknown) =>
        resume(Effect.fail(failed(progress.isConnected && progress.isSent ? cause : new NotConnected({ cause }))))
      going.on("error", fail)
      going.on("socket", (socket) => {
        if (!progress.isConnected) socket.once(route.connected, () => (progress.isConnected = true))
      })
      going.on("response", (answer) => {
        // It may break before it is read, which then finds out.
        answer.on("error", () => {})
        if (progress.isSent) return resume(Effect.succeed({ answer, cut }))
        // Whatever was asked over this connection before, it has got more than its answer.
        cut()
        fail(systemError("ECONNRESET"))
      })
      // Node says nothing more of what ends like this.
      going.on("upgrade", (_, socket) => {
        socket.destroy()
        fail(systemError("HPE_PAUSED_UPGRADE"))
      })
      const leave = () => {
        progress.isSent = !going.destroyed
        going.end(body)
      }
      // Not before all that has come is looked at: each write wakes the process at the other end, many in a row wake it once.
      // The end of a kept connection may be among what comes next; a change that was not sent is no change of unknown outcome.
      setImmediate(going.reusedSocket && method !== "GET" ? () => setImmediate(leave) : leave)
      return Effect.sync(cut)
    })
    if (progress.isConnected) return head
    const tooLate = Effect.suspend(() =>
      progress.isConnected ? Effect.never : Effect.fail(failed(new NotConnected({ cause: systemError("ETIMEDOUT") })))
    )
    return Effect.raceFirst(head, Effect.andThen(Effect.sleep(connectTimeout), tooLate))
  })

interface Received {
  readonly answer: IncomingMessage
  /** Breaks the connection off, unless the answer has been read to its end. */
  readonly cut: () => void
}

const failed = (cause: unknown) => new TransportError({ cause })

const toAnswer = ({ answer, cut }: Received): Effect.Effect<Answer> =>
  Effect.map(bodyStream(answer), (body) => new NodeAnswer(answer, body, cut))

/**
 * A class, as its getters belong to all answers: a getter of an object of its own makes it a shape of its own, which
 * lives in old space, and the whole call with it, until all of the heap is looked through.
 */
class NodeAnswer implements Answer {
  readonly status: number
  readonly headers: Headers.Headers
  readonly close: Effect.Effect<void>
  private readonly body: Readable

  constructor(answer: IncomingMessage, body: Readable, cut: () => void) {
    this.status = answer.statusCode ?? 0
    this.headers = Headers.fromInput(answer.headers)
    this.close = Effect.sync(cut)
    this.body = body
  }

  get text() {
    return textOf(this.body, failed)
  }

  get stream() {
    const { body } = this
    return NodeStream.fromReadable({ evaluate: () => body, onError: failed })
  }
}

/** The text of a body, read in one piece. */
export const textOf = <E>(body: Readable, failed: (cause: unknown) => E): Effect.Effect<string, E> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    let isWhole = false
    const end = () => {
      const [first] = chunks
      const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
      resume(Effect.succeed(decoder.decode(bytes)))
    }
    // An error is made only where it is one: every body that was read closes, too.
    const fail = () => (isWhole ? undefined : resume(Effect.fail(failed(body.errored))))
    if (body.destroyed) return fail()
    body
      .on("data", (chunk: Uint8Array) => chunks.push(chunk))
      .on("error", fail)
      .on("close", fail)
    // One moment later the connection is free, so that what follows goes over it.
    body.on("end", () => {
      isWhole = true
      process.nextTick(end)
    })
  })

const decoder = new TextDecoder()

const packing = /^(?:(?:x-)?gzip|deflate|br)$/

/** The body of an answer, unpacked as far as it is packed. */
export const bodyStream = (answer: IncomingMessage): Effect.Effect<Readable> => {
  const { "content-encoding": coding = "", "content-length": length } = answer.headers
  if (coding === "" || length === "0" || answer.statusCode === 204 || answer.statusCode === 304) {
    return Effect.succeed(answer)
  }
  const codings = coding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => packing.test(name))
  if (codings.length > mostCodings) return Effect.sync(() => answer.destroy(systemError("Z_BUF_ERROR")))
  // Nobody has it yet who would break it off.
  const loaded = Effect.onInterrupt(
    Effect.promise(() => import("node:zlib")),
    () => Effect.sync(() => answer.destroy())
  )
  return Effect.map(loaded, ({ createBrotliDecompress, createUnzip }) =>
    codings.reduceRight<Readable>(
      (packed, name) => pipeline(packed, name === "br" ? createBrotliDecompress() : createUnzip(), () => {}),
      answer
    )
  )
}

/** Each layer takes memory before a byte of it is unpacked; nobody packs twice. */
const mostCodings = 5
