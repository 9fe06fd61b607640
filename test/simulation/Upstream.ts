import { Context, Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

import { type Instance, type Reply, type Sender, world } from "./Instance.ts"
import type { Broken } from "./Machine.ts"
import type { Group, Schedule } from "./schedule.ts"

/** The call of a tool of which a request is a part. */
export const CurrentCall = Context.Reference<number | undefined>("test/simulation/CurrentCall", {
  defaultValue: () => undefined
})

const html = { "content-type": "text/html; charset=utf-8" }
const plain = { "content-type": "text/plain" }

/** What comes in place of an answer, and whether the engine may have had the request then. */
interface Fault {
  readonly mayArrive: boolean
  /** Undefined where nothing comes, a code where the connection breaks. */
  readonly answer: Reply | string | undefined
}

/** What networks, proxies and gateways do. Only who stands behind an engine, or has waited for it, can have let it act. */
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
  "another service": {
    mayArrive: false,
    answer: { status: 404, headers: { "content-type": "application/json" }, text: '{"message":"not found"}' }
  },
  "half an answer": { mayArrive: true, answer: "half" }
}
const names = Object.keys(faults).map((name) => [1, name] as const)

/** How bad the network is during a schedule. */
export interface Weather {
  /** The share of requests that meet a fault. */
  faulty: number
  /** The share of requests that take seconds. */
  slow: number
}

/** Told of every request as it leaves, and as it has arrived; a server can be killed then. */
export type Watch = (server: Group, moment: string) => void

/** What is between servers and the instances. */
export interface Surroundings {
  readonly schedule: Schedule
  readonly instances: ReadonlyArray<Instance>
  readonly weather: Weather
  readonly watch: Watch
  readonly broken: Broken
}

/** The network between one server and the instances. */
export const network = (
  server: Group,
  { broken, instances, schedule, watch, weather }: Surroundings
): HttpClient.HttpClient => {
  const { random } = schedule
  const deliver = (instance: Instance, request: HttpClientRequest.HttpClientRequest, sender: Sender) => {
    const isOdd = request.method !== "GET" && random.below(8) === 0
    if (broken.lies === true && isOdd) return instance.pretend(request)
    const delivered = instance.deliver(request, sender)
    return broken.repeats === true && isOdd ? Effect.andThen(delivered, delivered) : delivered
  }
  const latency = () => (random.next() < weather.slow ? random.below(45_000) : 1 + random.below(40))

  return HttpClient.make((request, url) =>
    Effect.withFiber((fiber) => {
      const instance = instances.find(({ host }) => host === url.origin)
      if (instance === undefined) return Effect.die(new Error(`no instance at ${url.origin}`))
      const sender = { by: server.name, call: fiber.getRef(CurrentCall) }
      return Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
        const words = `${request.method} ${url.pathname.replace("/api/v1", "")} of ${instance.name}`
        const name = random.next() < weather.faulty ? random.pick(names) : undefined
        const fault = name === undefined ? undefined : faults[name]
        const arrives = fault === undefined || (fault.mayArrive && random.below(2) === 0)
        const noted = name === undefined ? "" : ` (${name}${arrives ? ", arrives" : ""})`
        schedule.note(`${server.name} ${sender.call ?? "-"}: ${words}${noted}`)
        const answer = (reply: Reply | undefined) => {
          const come = fault === undefined ? reply : fault.answer === "half" ? half(reply) : fault.answer
          if (come === undefined) return
          schedule.after(server, latency(), () => resume(answered(request, come)))
        }
        watch(server, `before ${request.method}`)
        const stop = schedule.after(world, latency(), () => {
          if (!arrives) return answer(undefined)
          schedule.fork(world, deliver(instance, request, sender), (exit) => {
            if (exit._tag === "Failure") throw new Error(`the engine has failed at ${words}: ${String(exit.cause)}`)
            schedule.note(`${instance.name} answers ${exit.value.status} to ${words}`)
            watch(server, `after ${request.method}`)
            answer(exit.value)
          })
        })
        // What has left may arrive all the same.
        return Effect.sync(() => {
          if (random.below(2) === 0) stop()
        })
      })
    })
  )
}

const half = (reply: Reply | undefined): Reply | string =>
  reply === undefined ? "ECONNRESET" : { ...reply, text: reply.text.slice(0, reply.text.length / 2) }

const answered = (request: HttpClientRequest.HttpClientRequest, come: Reply | string) => {
  if (typeof come === "string") {
    const cause = Object.assign(new Error(come), { code: come })
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    )
  }
  const { headers, status, text } = come
  const body = status === 204 ? null : text
  return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, headers })))
}
