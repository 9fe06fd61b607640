import { Duration, Effect } from "effect"

import { again } from "../../internal/http/resend.ts"
import type { Reply } from "../../internal/http/Upstream.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { Deadline } from "./Deadline.ts"
import { isStarting, knowsNoPath } from "./verdict.ts"

/** Longest wait for an engine that is still starting. */
const startUp = Duration.toMillis("25 seconds")

/** How often a change is sent again to an engine that has started meanwhile. */
const repeatedChanges = 2

/** Whether an engine has refused a request because it is starting. */
const isComingUp = (answer: Reply) => isStarting(answer) || knowsNoPath(answer)

/**
 * Waits for an engine that is starting. Only reads are repeated; a change is sent again when the `probe`, a read, shows that
 * the engine is up.
 */
export const onceStarted = <E>(ask: Effect.Effect<Reply, E>, probe?: Effect.Effect<Reply, E>) =>
  Effect.flatMap(ask, (first) => (isStarting(first) ? askedAgain(first, ask, probe) : Effect.succeed(first)))

const askedAgain = Effect.fnUntraced(function* <E>(
  first: Reply,
  ask: Effect.Effect<Reply, E>,
  probe?: Effect.Effect<Reply, E>
) {
  const until = Math.min(yield* Deadline, (yield* monotonicMillis) + startUp)
  const polled = Effect.repeat(Effect.delay(probe ?? ask, "250 millis"), {
    while: (answer) => Effect.map(monotonicMillis, (now) => now < until && isComingUp(answer))
  })
  if (probe === undefined) return yield* polled
  for (let sent = 0; sent < repeatedChanges; sent++) {
    if (isComingUp(yield* polled)) return first
    const answer = yield* again("engine starting", ask)
    if (!isStarting(answer)) return answer
  }
  return first
})
