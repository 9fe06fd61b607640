import { Context, Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpServerResponse } from "effect/http"

import type { Broken } from "./Machine.ts"
import { type Group, type Schedule, world } from "./schedule.ts"

/** The call of a tool of which a request is a part. */
export const CurrentCall = Context.Reference<{ readonly id: number; readonly tool: string } | undefined>(
  "test/simulation/CurrentCall",
  { defaultValue: () => undefined }
)

/** Who sends a request, as a part of which call of a tool, and when. */
export interface Sender {
  readonly by: string
  readonly call: number | undefined
  readonly sent: number
}

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A remote that answers at an address. */
export interface Remote {
  readonly name: string
  readonly host: string
  readonly deliver: (request: HttpClientRequest.HttpClientRequest, sender: Sender) => Effect.Effect<Reply>
  /** Answers as if it had done what it was asked for. */
  readonly pretend: (request: HttpClientRequest.HttpClientRequest, sender: Sender) => Effect.Effect<Reply>
}

const html = { "content-type": "text/html; charset=utf-8" }
const plain = { "content-type": "text/plain" }
const json = { "content-type": "application/json" }

/** A fault that comes in place of an answer, and whether the request may have had its effect then. */
interface Fault {
  readonly mayArrive: boolean
  /** Undefined where nothing comes, a code where the connection breaks. */
  readonly answer: Reply | string | undefined
  /** The requests that meet it; by default all of them. */
  readonly meets?: (request: HttpClientRequest.HttpClientRequest) => boolean
}

const misleading = "an engine's 404"
const notFound = '{"message":"Not Found"}'

/** The faults of networks, proxies and gateways. Only who stands behind an engine, or has waited for it, can have let it act. */
const faults: Readonly<Record<string, Fault>> = {
  "refused connection": { mayArrive: false, answer: "ECONNREFUSED" },
  reset: { mayArrive: true, answer: "ECONNRESET" },
  "no answer": { mayArrive: true, answer: undefined },
  "ingress without a backend": {
    mayArrive: false,
    answer: { status: 404, headers: plain, text: "404 page not found\n" }
  },
  "starting engine": { mayArrive: false, answer: { status: 404, headers: html, text: "<pre>Cannot GET /api</pre>" } },
  "login page": { mayArrive: false, answer: { status: 200, headers: html, text: "<title>Sign in</title>" } },
  "too many requests": {
    mayArrive: false,
    answer: { status: 429, headers: { ...plain, "retry-after": "1" }, text: "Too many requests" }
  },
  "bad gateway": { mayArrive: true, answer: { status: 502, headers: html, text: "<h1>502 Bad Gateway</h1>" } },
  "gateway timeout": { mayArrive: true, answer: { status: 504, headers: html, text: "<h1>504</h1>" } },
  "another service": { mayArrive: false, answer: { status: 404, headers: json, text: '{"message":"not found"}' } },
  // Some changes of a marketplace are answered like that.
  "empty answer": {
    mayArrive: true,
    answer: { status: 200, headers: json, text: "" },
    meets: ({ url }) => !url.includes("/adv/v0/")
  },
  "half an answer": { mayArrive: true, answer: "half" },
  // What stands in front of engines, such as one that caches, may know less than they, in their very words.
  [misleading]: {
    mayArrive: false,
    answer: { status: 404, headers: json, text: notFound },
    meets: ({ method, url }) => method === "GET" && /\/workflows\/\w+$/.test(url)
  }
}
export const faultNames: ReadonlyArray<string> = Object.keys(faults)
const names = faultNames.map((name) => [1, name] as const)

/** The faults that let a creation arrive, and lose its answer. */
const lost = ["reset", "no answer", "bad gateway", "gateway timeout", "half an answer"].map(
  (name) => [1, name] as const
)
const isCreation = ({ method, url }: HttpClientRequest.HttpClientRequest): boolean =>
  method === "POST" && /\/(tags|workflows)$/.test(url)

/** Whether something may have been done by a request that met this fault. */
export const mayArrive = (name: string): boolean => faults[name]?.mayArrive === true

/** The one fault of a schedule that has no other. */
export interface OneFault {
  readonly name: string
  /** The requests before it. */
  readonly after: number
  readonly arrives: boolean
  /** The methods of all requests since then. */
  readonly methods: Array<string>
}

/** How bad the network is during a schedule. */
export interface Weather {
  /** The share of requests that meet a fault. */
  faulty: number
  /** The share of creations that arrive, and whose answer is lost. */
  lossy: number
  /** The share of requests that take seconds. */
  slow: number
  /** The share of changes by plans that do not happen, though they are answered as if they had. */
  lying: number
  one?: OneFault
}

/** Told of every request as it leaves, and as it has arrived; a server can be killed then. */
export type Watch = (server: Group, moment: string) => void

/** The network between servers and what they call. */
export interface Surroundings {
  readonly schedule: Schedule
  readonly remotes: ReadonlyArray<Remote>
  readonly weather: Weather
  readonly watch: Watch
  /** The calls that were told in an engine's very words that something is not there. */
  readonly misled: Set<number>
  readonly broken: Broken
}

/** The network around one server. */
export const network = (
  server: Group,
  { broken, misled, remotes, schedule, watch, weather }: Surroundings
): HttpClient.HttpClient => {
  const { random } = schedule
  const deliver = (
    remote: Remote,
    request: HttpClientRequest.HttpClientRequest,
    sender: Sender,
    isPlanned: boolean
  ) => {
    const isWrite = request.method !== "GET"
    const isOdd = isWrite && random.below(8) === 0
    const lies = (broken.lies === true && isOdd) || (isWrite && isPlanned && random.next() < weather.lying)
    if (lies) return remote.pretend(request, sender)
    const delivered = remote.deliver(request, sender)
    return broken.repeats === true && isOdd ? Effect.andThen(delivered, delivered) : delivered
  }
  const latency = () => (random.next() < weather.slow ? random.below(45_000) : 1 + random.below(40))
  const faultFor = (request: HttpClientRequest.HttpClientRequest) => {
    const { one } = weather
    const isLost = isCreation(request) && random.next() < weather.lossy
    if (isLost) {
      const name = random.pick(lost)
      const fault = faults[name]
      return fault === undefined ? undefined : { ...fault, name, isLost }
    }
    if (one?.methods.push(request.method) !== (one?.after ?? -1) + 1 && random.next() >= weather.faulty)
      return undefined
    const name = one?.name ?? random.pick(names)
    const fault = faults[name]
    return fault === undefined || fault.meets?.(request) === false ? undefined : { ...fault, name, isLost }
  }

  /** The answer as it is where a rule is broken. */
  const asBroken = (reply: Reply, { pathname, searchParams }: URL, isPlanned: boolean): Reply => {
    if (broken.takesAny404 === true && reply.status === 404) return { ...reply, headers: json, text: notFound }
    const isSearch = isPlanned && pathname.endsWith("/workflows") && searchParams.has("name")
    if (broken.findsNothingNew !== true || !isSearch) return reply
    return reply.status === 200 ? { ...reply, text: '{"data":[],"nextCursor":null}' } : reply
  }

  return HttpClient.make((request, url) =>
    Effect.withFiber((fiber) => {
      const remote = remotes.find(({ host }) => host === url.origin)
      if (remote === undefined) return Effect.die(new Error(`nothing is at ${url.origin}`))
      const call = fiber.getRef(CurrentCall)
      const sender = { by: server.name, call: call?.id, sent: schedule.now }
      return Effect.callback<Reply, HttpClientError.HttpClientError>((resume) => {
        const words = `${request.method} ${url.pathname.replace("/api/v1", "")} of ${remote.name}`
        const fault = faultFor(request)
        const arrives =
          fault === undefined || (weather.one?.arrives ?? (fault.mayArrive && (fault.isLost || random.below(2) === 0)))
        const noted = fault === undefined ? "" : ` (${fault.name}${arrives ? ", arrives" : ""})`
        schedule.note(`${server.name} ${sender.call ?? "-"}: ${words}${noted}`)
        if (fault?.name === misleading) misled.add(sender.call ?? 0)
        const answer = (reply: Reply | undefined) => {
          const given = fault === undefined ? reply : fault.answer === "half" ? half(reply) : fault.answer
          if (given === undefined) return
          const come = typeof given === "string" ? given : asBroken(given, url, call?.tool === "apply_plan")
          schedule.after(server, latency(), () =>
            resume(typeof come === "string" ? brokenOff(request, come) : Effect.succeed(come))
          )
        }
        watch(server, `before ${request.method}`)
        const stop = schedule.after(world, latency(), () => {
          if (!arrives) return answer(undefined)
          schedule.fork(world, deliver(remote, request, sender, call?.tool === "apply_plan"), (exit) => {
            if (exit._tag === "Failure") throw new Error(`${remote.name} has failed at ${words}: ${String(exit.cause)}`)
            schedule.note(`${remote.name} answers ${exit.value.status} to ${words}`)
            watch(server, `after ${request.method}`)
            answer(exit.value)
          })
        })
        // What has left may arrive all the same.
        return Effect.sync(() => {
          if (random.below(2) === 0) stop()
        })
      }).pipe(Effect.map((reply) => responseOf(request, reply)))
    })
  )
}

const half = (reply: Reply | undefined): Reply | string =>
  reply === undefined ? "ECONNRESET" : { ...reply, text: reply.text.slice(0, reply.text.length / 2) }

const brokenOff = (request: HttpClientRequest.HttpClientRequest, code: string) => {
  const cause = Object.assign(new Error(code), { code })
  return Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
  )
}

const responseOf = (request: HttpClientRequest.HttpClientRequest, { headers, status, text }: Reply) => {
  const { "content-type": contentType = "", ...others } = headers
  const response =
    status === 204 || text === ""
      ? HttpServerResponse.empty({ status, headers })
      : HttpServerResponse.text(text, { status, contentType, headers: others })
  return HttpServerResponse.toClientResponse(response, { request })
}
