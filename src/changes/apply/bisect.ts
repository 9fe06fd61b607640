import { Effect } from "effect"

import { halves } from "../bisectReads.ts"
import type { Failure } from "../Driver.ts"
import type { Step } from "../Plan.ts"
import type { ApplyStopped, JournalFailed } from "../PlanError.ts"
import { isOpen } from "../PlanState.ts"
import type { RemoteState } from "../RemoteState.ts"
import { recordRefusedCall } from "./outcomes.ts"
import { applyAndRecover } from "./recover.ts"
import type { Run } from "./Run.ts"

type Applied = Effect.Effect<void, ApplyStopped | Failure | JournalFailed>

/**
 * Applies a batch of a plan. Where the upstream refuses it, its halves, and so down to the changes that are to blame;
 * whatever was taken is seen when it is read again.
 */
export const bisect = <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, steps: ReadonlyArray<Step<C>>): Applied =>
  Effect.catchTag(applyAndRecover(run, steps), "Refused", ({ isWhole, problem }): Applied => {
    const open = steps.filter(isOpen(run.state))
    return open.length <= 1 || isWhole
      ? recordRefusedCall(
          run,
          open.map(({ id }) => id),
          problem
        )
      : Effect.forEach(halves(open), (half) => bisect(run, half), { discard: true })
  })
