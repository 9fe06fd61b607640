import { Effect, type Semaphore } from "effect"

import type { Pacer } from "./Pacer.ts"
import { read, type Reply } from "./Reply.ts"
import { redirectRefusal, redirectTarget, type UpstreamRequest } from "./request.ts"
import type * as Transport from "./Transport.ts"
import { inWords, neverLeft, transportCode } from "./transportCode.ts"
import { type Phase, RedirectRefused, Unreachable, type UpstreamFailure } from "./UpstreamFailure.ts"
import type { Observation } from "./UpstreamObserver.ts"

/** The resources and limits of an exchange. */
interface Options {
  readonly transport: Transport.Transport
  readonly pacer: Pacer
  readonly maxReplyBytes: number
  /** Bytes that may be on their way from the upstream, of answers that are counted. */
  readonly underWay: Semaphore.Semaphore
  /** Whether the upstream is told which trace a request belongs to. */
  readonly isTold: boolean
}

/** The progress of a request. */
export interface Progress {
  /** Whether a request that counts may have reached the upstream. */
  sent: boolean
  /** Attempts before the one that is under way, where somebody observes them. */
  resends: number
  observation: Observation | undefined
}

/** One request and its reply, from wherever it is redirected to. */
export const make = ({ isTold, maxReplyBytes, pacer, transport, underWay }: Options) => {
  /** One request and its reply, or the address it redirects to. */
  const ask = (request: UpstreamRequest, url: URL, progress: Progress) => {
    const leaving = Effect.suspend(() => {
      progress.sent = true
      const { observation } = progress
      if (observation === undefined) return transport.execute(request, url)
      const traceHeaders = isTold ? observation.headers : {}
      const outgoing = { ...request, headers: { ...request.headers, ...traceHeaders } }
      return Effect.andThen(observation.left, transport.execute(outgoing, url))
    })
    const take = (answer: Transport.Answer): Effect.Effect<Elsewhere | Reply, UpstreamFailure> => {
      const target = redirectTarget(answer, url)
      if (target !== undefined) return Effect.succeed({ status: answer.status, target })
      const reading = { limit: maxReplyBytes, selection: request.selection, underWay }
      return Effect.catchTag(read(answer, reading), "TransportError", unreachable("reading"))
    }
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.catch(restore(pacer.run(leaving)), unreachable("waiting")), (answer) =>
        Effect.ensuring(restore(take(answer)), answer.close)
      )
    )
  }

  /** The reply, from wherever it is redirected to. */
  const follow = (
    request: UpstreamRequest,
    url: URL,
    progress: Progress,
    hops = 0
  ): Effect.Effect<Reply, UpstreamFailure> =>
    Effect.flatMap(ask(request, url, progress), (outcome) => {
      if (!("target" in outcome)) return Effect.succeed(outcome)
      const { status, target } = outcome
      const problem = redirectRefusal(request.method, url, target, hops)
      return problem === undefined
        ? follow(request, target, progress, hops + 1)
        : Effect.fail(new RedirectRefused({ status, problem }))
    })

  return follow
}

/** The target of a redirect. */
interface Elsewhere {
  readonly status: number
  readonly target: URL
}

const unreachable = (phase: Phase) => (error: unknown) => {
  const code = transportCode(error) ?? "NETWORK_ERROR"
  return Effect.fail(new Unreachable({ code, problem: inWords(code), phase: neverLeft(error) ? "connecting" : phase }))
}
