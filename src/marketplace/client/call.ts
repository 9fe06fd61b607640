import { Clock, Effect, Option, Random, Redacted, Result, Schema } from "effect"
import type { HttpClient } from "effect/http"

import { Coordination } from "../../internal/http/Coordination.ts"
import { redactor } from "../../internal/http/redact.ts"
import { addressOf } from "../../internal/http/Transport.ts"
import * as Upstream from "../../internal/http/Upstream.ts"
import { parseJson } from "../../internal/json/values.ts"
import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { fingerprint } from "../../internal/sha256.ts"
import { limitOf, readOnlyReason } from "./keyRules.ts"
import type { MarketplaceSettings } from "./MarketplaceConfig.ts"
import { AdsReadOnly, AdsUnreadable, MarketplaceError, type Reason } from "./MarketplaceError.ts"
import { type Operation, operations, roundOf } from "./operations.ts"
import { nextOf, usedUp } from "./outcome.ts"
import { cameAsPage, isPage } from "./refusal.ts"

/** Query and body of one call. */
interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

const maxRetries = 2

/** Characters that are read of a refusal, or of an answer that is not JSON. */
const longestRefusal = 20_000
const maxPauses = 5

/** One call to the marketplace: validated, rate-limited, retried only if that is safe, and with typed errors. */
export const make = Effect.fnUntraced(function* (client: HttpClient.HttpClient, settings: MarketplaceSettings) {
  // Every operation has its own rate limit, and retries only what is safe.
  const upstream = Upstream.make(client, {
    baseUrl: settings.baseUrl,
    retries: 0,
    requestsPerSecond: Infinity,
    // Paths of operations contain no ids. The marketplace is not told which trace a request belongs to.
    observed: { name: "marketplace", route: (path) => path, isTold: false }
  })
  const address = addressOf(settings.baseUrl, settings.proxy) ?? settings.baseUrl
  const maxWaitMs = settings.maxWaitSeconds * 1000
  const key = Redacted.value(settings.apiKey)
  // Servers with the same key share its limits, under a name that does not tell the key.
  const owner = (yield* fingerprint(key)).slice(0, 16)
  const { limiter: limiterOf } = yield* Coordination
  const limiters = new Map<string, ReturnType<typeof limiterOf>>(
    Object.values(operations).map(({ name }) => [
      name,
      limiterOf(`${owner}:${name}`, { ...roundOf(limitOf(settings, name)), maxWaitMs })
    ])
  )
  const authorization = settings.authScheme === "raw" ? key : `Bearer ${key}`
  const headers = { authorization: Redacted.make(authorization) }

  /** Redacts the key in answers that repeat it, as some error pages do. */
  const redact = redactor([key, authorization])
  const redactData = redactor([key, authorization], { parts: false })
  const ask = (request: Upstream.UpstreamRequest) =>
    Effect.map(upstream.send(request), (reply) =>
      reply.status < 300 ? reply : { ...reply, text: redact.text(reply.text.slice(0, longestRefusal)) }
    )

  const send = Effect.fnUntraced(function* (operation: Operation, options: CallOptions) {
    const { kind, method, name, path } = operation
    const limiter = limiters.get(name)
    if (limiter === undefined) return yield* Effect.die(`no limiter for ${name}`)
    const request = { method, path, ...options, effect: kind, headers }
    let failures = 0
    let pauses = 0
    while (true) {
      const outcome = yield* Effect.result(limiter.run(ask(request)))
      const next = nextOf(operation, outcome, failures < maxRetries, address)
      switch (next.is) {
        case "answer":
          return next.text
        case "over":
          return yield* next.error
        case "pause":
          yield* limiter.pause(next.ms)
          if (++pauses > maxPauses || next.ms > maxWaitMs) return yield* usedUp(name, next.ms)
          break
        case "again":
          yield* Effect.sleep((yield* Random.nextBetween(0.5, 1)) * 500 * 2 ** failures++)
      }
    }
  })

  /** Sends one request and decodes the answer; an empty answer counts as null, a page as none of the marketplace's. */
  const call = Effect.fn("MarketplaceAds.call")(function* <S extends Schema.Codec<unknown, unknown>>(
    operation: Operation,
    options: CallOptions,
    reply: S
  ): Effect.fn.Return<S["Type"], MarketplaceError> {
    const now = yield* Clock.currentTimeMillis
    const forbidden = operation.kind === "write" ? readOnlyReason(settings, now) : undefined
    const failed = (reason: Reason) => new MarketplaceError({ operation: operation.name, reason })
    if (forbidden !== undefined) return yield* failed(new AdsReadOnly({ detail: forbidden }))
    const text = yield* send(operation, options)
    const unreadable = (detail: string) =>
      failed(
        new AdsUnreadable({
          kind: operation.kind,
          detail,
          body: redact.text(text.slice(0, longestRefusal)).slice(0, 200)
        })
      )
    if (isPage(text)) return yield* unreadable(`${cameAsPage} from ${address}`)
    const json = text.trim() === "" ? null : Option.getOrElse(parseJson(text), () => text.slice(0, longestRefusal))
    const decoded = Schema.decodeUnknownResult(reply)(redactData.value(json))
    if (Result.isSuccess(decoded)) return decoded.success
    return yield* unreadable(`the answer cannot be read: ${firstIssueOf(decoded.failure)}`)
  })

  return { call }
})

export type Calls = Effect.Success<ReturnType<typeof make>>
