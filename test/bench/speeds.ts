import { performance } from "node:perf_hooks"

import { Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"

import { EmbeddedEngine } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { keyHeaders } from "../../src/engine/workflow/naming.ts"
import { inspectJson } from "../../src/internal/json/values.ts"
import { slowTexts } from "../mcp/transport/slowTexts.ts"
import { callTool, serverOverEmbedded } from "../support/harness.ts"

interface Ratio {
  readonly what: string
  readonly ratio: number
  readonly detail: string
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = performance.now()
    yield* self
    return performance.now() - before
  })

const rounds = 300

/** The time that protocol, tool and client add to the engine's own answer, both in this process. */
const overhead = Effect.gen(function* () {
  const { apiKey, host, httpClient } = yield* EmbeddedEngine
  const direct = httpClient
    .execute(
      HttpClientRequest.get(`${host}/api/v1/tags?limit=100`, { headers: { [keyHeaders[1]]: Redacted.value(apiKey) } })
    )
    .pipe(Effect.flatMap((response) => response.text))
  const through = callTool("get_tags")
  const pairs: Array<readonly [number, number]> = []
  for (let round = 0; round < rounds; round++) pairs.push([yield* timed(direct), yield* timed(through)])
  const warm = pairs.slice(rounds / 3)
  const [engine, tool] = [median(warm.map(([a]) => a)), median(warm.map(([, b]) => b))]
  return {
    what: "get_tags through the whole server / the engine's answer alone",
    ratio: tool / engine,
    detail: `${(tool * 1000).toFixed(0)} µs / ${(engine * 1000).toFixed(0)} µs`
  } satisfies Ratio
}).pipe(Effect.provide(serverOverEmbedded()))

/** Milliseconds of CPU time that a program takes at the least, of several times. */
const cost = (program: () => unknown) =>
  Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      program()
      const { system, user } = process.cpuUsage(before)
      // Only their sum is exact: the share of each is estimated from ticks.
      return (system + user) / 1000
    })
  )

/** How much longer messages take to be looked through that are eight times as long and made to be slow. */
const looks = Effect.sync(() => {
  const costs = Object.entries(slowTexts).map(([what, make]) => {
    const [short, long] = [make(50_000), make(400_000)]
    return { what, short: cost(() => inspectJson(short)), long: cost(() => inspectJson(long)) }
  })
  const ratioOf = ({ long, short }: (typeof costs)[number]) => long / Math.max(short, 0.5)
  const [worst] = costs.toSorted((a, b) => ratioOf(b) - ratioOf(a))
  return {
    what: `a slow message 8 times as long / the message (${worst?.what})`,
    ratio: worst === undefined ? 0 : ratioOf(worst),
    detail: `${worst?.long.toFixed(1)} ms / ${worst?.short.toFixed(1)} ms`
  } satisfies Ratio
})

/** Speeds as ratios of two things measured in turn, so that a slow machine changes both. */
export const speeds = Effect.all([overhead, looks])
