import { Context, Effect, Random, References } from "effect"

import { withReference } from "../internal/effects.ts"

/** The id of the current request: in its answer, in log lines, in the audit log and in traces. Undefined outside of requests. */
export const RequestId = Context.Reference<string | undefined>("workflow-tool-server/mcp/RequestId", {
  defaultValue: () => undefined
})

/** Precomputed hex digits of each byte: `toString` takes longer than everything else in a short answer. */
const digits: Array<string> = []

const half = (random: number): string => {
  const bits = Math.floor(random * 2 ** 32)
  return byteOf(bits >>> 24) + byteOf(bits >>> 16) + byteOf(bits >>> 8) + byteOf(bits)
}

const byteOf = (bits: number): string => {
  const byte = bits & 0xff
  return (digits[byte] ??= byte.toString(16).padStart(2, "0"))
}

const fresh = (random: (typeof Random.Random)["Service"]) =>
  half(random.nextDoubleUnsafe()) + half(random.nextDoubleUnsafe())

/** An id from elsewhere, if it is short and plain enough to be written anywhere. */
const plain = /^[\w.:-]{1,64}$/

/** Runs something with the id that a request came with, or else a new one. */
export const withRequestId = <A, E, R>(
  given: string | undefined,
  then: (id: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  withReference(Random.Random, (random) => then(given !== undefined && plain.test(given) ? given : fresh(random)))

const withId = <R>(context: Context.Context<R>, id: string): Context.Context<R> => {
  const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request: id }
  return Context.add(Context.add(context, References.CurrentLogAnnotations, annotations), RequestId, id)
}

/** Serves a request under this id. */
export const named = <A, E, R>(serving: Effect.Effect<A, E, R>, id: string): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (context: Context.Context<R>) => withId(context, id))

/** Serves a request under its id, or a new one. */
export const identified = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(serving, (context: Context.Context<R>) =>
    Context.get(context, RequestId) === undefined
      ? withId(context, fresh(Context.get(context, Random.Random)))
      : context
  )
