// Node's own events and callbacks: every call of an upstream goes through here, and a layer less is a third of its cost.
import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import { pipeline, type Readable } from "node:stream"

import { NodeHttpIncomingMessage } from "@effect/platform-node/NodeHttpIncomingMessage"
import { Effect, Pipeable, Result, Scope } from "effect"
import {
  Cookies,
  Headers,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse,
  HttpIncomingMessage
} from "effect/http"

import type { ConnectionOptions } from "../internal/http/HttpClients.ts"
import { NotConnected } from "../internal/http/transportCode.ts"
import { readCertificates, trusting } from "./certificates.ts"

/**
 * Longest wait for a connection and its handshake. Three attempts fit into the time of a call, so that a connection that
 * never comes about is known as such. Node's own time-outs count silence, and once more where a body is waiting.
 */
const connectTimeout = "8 seconds"

/** An idle connection is closed before its upstream does that, mostly after five seconds, under a request just leaving. */
const kept: AgentOptions = { keepAlive: true, timeout: 4000 }

/** How requests of one scheme go out. */
interface Way {
  readonly agent: Agent
  readonly request: (url: URL, options: RequestOptions) => ClientRequest
  /** The event of a new connection from which on requests leave. */
  readonly connected: "connect" | "secureConnect"
}

/**
 * A client with connections of its own, kept for the next request until the scope ends. What it needs of Node is loaded
 * by the first request that needs it. It follows no redirects, and unpacks answers of every status.
 */
export const nodeHttpClient = Effect.fnUntraced(function* ({ caFile }: Pick<ConnectionOptions, "caFile">) {
  const pem = caFile === undefined ? undefined : yield* readCertificates(caFile)
  const scope = yield* Effect.scope
  const owned = (agent: Agent) =>
    Scope.addFinalizer(
      scope,
      Effect.sync(() => agent.destroy())
    )

  const plain = yield* Effect.cached(
    Effect.gen(function* () {
      const { Agent, request } = yield* Effect.promise(() => import("node:http"))
      const agent = new Agent(kept)
      yield* owned(agent)
      return { agent, request, connected: "connect" } satisfies Way
    })
  )
  const secure = yield* Effect.cached(
    Effect.gen(function* () {
      const { Agent, request } = yield* Effect.promise(() => import("node:https"))
      const agent = new Agent(pem === undefined ? kept : { ...kept, secureContext: yield* trusting(pem) })
      yield* owned(agent)
      return { agent, request, connected: "secureConnect" } satisfies Way
    })
  )

  return HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const way: Way = yield* url.protocol === "https:" ? secure : plain
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

/** Sends a request and waits for the head of its answer. */
const exchange = (way: Way, outgoing: Exchange) =>
  Effect.suspend(() => {
    const progress = { isConnected: false }
    const { request } = outgoing
    const tooLate = Effect.suspend(() =>
      progress.isConnected ? Effect.never : Effect.fail(failed(request, new NotConnected({ cause: noConnection })))
    )
    return Effect.raceFirst(converse(way, outgoing, progress), Effect.andThen(Effect.sleep(connectTimeout), tooLate))
  })

const noConnection = { code: "ETIMEDOUT" }

const converse = (
  { agent, connected, request: open }: Way,
  { bytes, headers, request, signal, url }: Exchange,
  progress: { isConnected: boolean }
) =>
  Effect.callback<IncomingMessage, HttpClientError.HttpClientError>((resume) => {
    const fail = (cause: unknown) =>
      resume(Effect.fail(failed(request, progress.isConnected ? cause : new NotConnected({ cause }))))
    const opened = Result.try(() => open(url, { agent, method: request.method, headers }))
    if (Result.isFailure(opened)) return fail(opened.failure)

    const going = opened.success
    signal.addEventListener("abort", () => going.destroy(), { once: true })
    going.on("error", fail)
    going.on("socket", (socket) => {
      progress.isConnected = going.reusedSocket
      if (!progress.isConnected) socket.once(connected, () => (progress.isConnected = true))
    })
    going.on("response", (answer) => {
      // It may break before it is read, which then finds out.
      answer.on("error", () => {})
      resume(Effect.succeed(answer))
    })
    going.end(bytes)
    return Effect.sync(() => going.destroy())
  })

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

/** An answer whose body is read once: as a text in one piece, or as a stream. */
class NodeResponse
  extends NodeHttpIncomingMessage<HttpClientError.HttpClientError>
  implements HttpClientResponse.HttpClientResponse
{
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  readonly body: Readable
  private readonly known: Headers.Headers

  constructor(request: HttpClientRequest.HttpClientRequest, url: URL, answer: IncomingMessage, body: Readable) {
    super(
      answer,
      (cause) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({ request, response: this, cause })
        })
    )
    this[HttpClientResponse.TypeId] = HttpClientResponse.TypeId
    this.request = request
    this.url = url.href
    this.body = body
    this.known = Headers.fromInput(answer.headers)
  }

  get status() {
    return this.source.statusCode ?? 0
  }

  override get headers() {
    return this.known
  }

  get cookies() {
    return Cookies.fromSetCookie(this.source.headers["set-cookie"] ?? [])
  }

  protected override get bodySource() {
    return this.body
  }

  override get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.callback((resume) => {
      const { body } = this
      const chunks: Array<Uint8Array> = []
      const end = () => {
        const [first] = chunks
        const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
        resume(Effect.succeed(new TextDecoder().decode(bytes)))
      }
      const fail = () => resume(Effect.fail(this.onError(body.errored)))
      if (body.destroyed) return fail()
      body
        .on("data", (chunk: Uint8Array) => chunks.push(chunk))
        .on("error", fail)
        .on("close", fail)
      // One moment later the connection is free, so that what follows goes over it.
      body.on("end", () => process.nextTick(end))
    })
  }

  get formData() {
    return Effect.flatMap(this.arrayBuffer, (bytes) =>
      Effect.tryPromise({
        try: () => new Response(bytes, { headers: this.headers }).formData(),
        catch: this.onError
      })
    )
  }

  get upgrade(): Effect.Effect<never, HttpClientError.HttpClientError> {
    const { request } = this
    const description = "this client makes no upgrades"
    return Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.StatusCodeError({ request, response: this, description })
      })
    )
  }

  pipe() {
    return Pipeable.pipeArguments(this, arguments)
  }

  toJSON(): unknown {
    const { request, status } = this
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: request.toJSON(), status })
  }
}
