import { Context, Effect, Random, References } from "effect"

import { withReference } from "../internal/withReference.ts"

/**
 * What the request under way is called: to its caller, in log lines, in the audit log and in traces. Nothing outside of
 * one.
 */
export const RequestId = Context.Reference<string | undefined>("workflow-tool-server/mcp/RequestId", {
  defaultValue: () => undefined
})

/** Two digits for each byte: `toString` takes longer than all else that a short answer needs. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const half = (random: number): string => {
  const bits = Math.floor(random * 2 ** 32)
  return byteOf(bits >>> 24) + byteOf(bits >>> 16) + byteOf(bits >>> 8) + byteOf(bits)
}

const byteOf = (bits: number): string => digits[bits & 0xff] ?? ""
const withFresh = <A, E, R>(then: (id: string) => Effect.Effect<A, E, R>) =>
  withReference(Random.Random, (random) => then(half(random.nextDoubleUnsafe()) + half(random.nextDoubleUnsafe())))

/** An id that came from elsewhere, where it is short and plain enough to be written everywhere. */
const plain = /^[\w.:-]{1,64}$/

/** The id that a request has come with, else a new one. */
export const requestIdOf = (given: string | undefined): Effect.Effect<string> =>
  given !== undefined && plain.test(given) ? Effect.succeed(given) : withFresh(Effect.succeed)

/** Serves a request under this id. */
export const named = <A, E, R>(serving: Effect.Effect<A, E, R>, id: string): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (context: Context.Context<R>) => {
    const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request: id }
    return Context.add(Context.add(context, References.CurrentLogAnnotations, annotations), RequestId, id)
  })

/** Serves a request under the id that it already has, or a new one. */
export const identified = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withReference(RequestId, (id) => (id === undefined ? withFresh((id) => named(serving, id)) : serving))
