import { Effect, Result } from "effect"

import { Progress } from "../../mcp/callContext.ts"
import { Elicitation } from "../../mcp/Elicitation.ts"
import type { StoredEntry, ProgressEntry } from "../Journal.ts"
import { ApplyStopped, JournalFailed } from "../PlanError.ts"

/* Applying plans to their end, without a caller that waits. */

/** Seconds for which one turn works, after which other plans have theirs. */
const turnSeconds = 30

/** The longest pause that is waited for, and the number of turns in a row that may fail. */
const longestPause = 3600
const mostFailures = 20

/** Milliseconds after which a restart does not go on any more: much may have changed since. */
const staleMs = 86_400_000

/** The mark of a plan that goes on in the background: a step-less line about its sending, which other versions pass over. */
export const markOf = (plan_id: string, at: number, isProtectedConfirmed: boolean): ProgressEntry => ({
  type: "begun",
  at,
  plan_id,
  steps: [],
  background: { is_protected_confirmed: isProtectedConfirmed }
})

/** The parts of an entry by which it is known whether a plan goes on. */
export const signOf = <C>(entry: StoredEntry<C>) => ({
  at: entry.at,
  type: entry.type,
  plan: entry.type === "action" ? undefined : entry.plan_id,
  background: entry.type === "begun" ? entry.background : undefined
})

/** The plans that went on in the background when the journal ends, neither finished nor stopped. */
export const goingOn = (signs: ReadonlyArray<ReturnType<typeof signOf>>, now: number) => {
  const marks = new Map<string, { readonly isProtectedConfirmed: boolean }>()
  const last = new Map<string, { readonly type: string; readonly at: number }>()
  for (const sign of signs) {
    if (sign.plan === undefined) continue
    last.set(sign.plan, sign)
    if (sign.background !== undefined) {
      marks.set(sign.plan, { isProtectedConfirmed: sign.background.is_protected_confirmed })
    }
  }
  return [...marks].flatMap(([id, mark]) => {
    const { at = 0, type = "" } = last.get(id) ?? {}
    return type === "finished" || type === "stopped" || at < now - staleMs ? [] : [{ id, ...mark }]
  })
}

/** Seconds to wait after a failure; undefined where waiting does not settle it. */
const pauseAfter = (error: unknown): number | undefined => {
  if (error instanceof JournalFailed) return 10
  const seconds = error instanceof ApplyStopped ? error.retryAfterSeconds : undefined
  return seconds !== undefined && seconds <= longestPause ? seconds : undefined
}

/**
 * Applies a plan turn by turn until it is over. Where the upstream asks for a pause, or another server is at work, it waits; any
 * other failure ends it, and the journal says why.
 */
export const toTheEnd = <E, E2>(
  turn: (maxSeconds: number) => Effect.Effect<{ readonly state: string }, E>,
  mark: Effect.Effect<void, E2>
) =>
  Effect.gen(function* () {
    let failures = 0
    let isMarked = false
    while (true) {
      const marked: Effect.Effect<void, E2> = isMarked ? Effect.void : mark
      const outcome: Result.Result<{ readonly state: string }, E | E2> = yield* Effect.result(
        Effect.andThen(marked, turn(turnSeconds))
      )
      isMarked = Result.isSuccess(outcome)
      if (Result.isSuccess(outcome)) {
        if (outcome.success.state !== "in progress") return
        failures = 0
      } else {
        const seconds = pauseAfter(outcome.failure)
        if (seconds === undefined || ++failures > mostFailures) return
        yield* Effect.sleep(seconds * 1000)
      }
    }
  }).pipe(
    Effect.provideService(Elicitation, { ask: undefined }),
    Effect.provideService(Progress, () => Effect.void)
  )
