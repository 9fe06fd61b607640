import { Effect } from "effect"

import { factsOf } from "../../mcp/ToolError.ts"
import type { Failure } from "../Driver.ts"
import type { CreatedId } from "../Journal.ts"
import { notice } from "../notice.ts"
import type { ApplyStopped, JournalFailed } from "../PlanError.ts"
import { isOpen, type PlanState, recordOf, valuesByStep, unconfirmedOf } from "../PlanState.ts"
import type { RemoteState } from "../RemoteState.ts"
import { recordDone } from "./outcomes.ts"
import { confirm, readBack } from "./readBack.ts"
import { bisect } from "./recover.ts"
import { type Run, stoppedBy, timeLeft } from "./Run.ts"

/** The progress of an apply. */
export interface Report {
  readonly plan_id: string
  /** `partly applied` and `refused`: every step has had its turn, and some or all were refused. */
  readonly state: "applied" | "in progress" | "partly applied" | "refused"
  readonly done: number
  readonly total: number
  /** Steps that were as wanted without being sent; in this call alone, while `done` is over all calls. */
  // oxlint-disable-next-line id-denylist -- a field of the answer
  readonly found: number
  /** Steps that the upstream refused, or that someone else has overtaken; applying the plan again tries them again. */
  readonly refused: ReadonlyArray<{ readonly step: string; readonly problem: string }>
  /** Steps that do not show yet when read back; a read model may take minutes. */
  readonly unconfirmed: ReadonlyArray<string>
  /** The changes that the upstream has made to what was sent, in its own terms; over all calls. */
  readonly adjusted: ReadonlyArray<{ readonly step: string; readonly detail: unknown }>
  /** The ids of created things, by the step that created them. */
  readonly created: Readonly<Record<string, CreatedId>>
  /** A note for a person before going on. */
  readonly notice?: string
}

/** Applies what is left of a plan, as long as there is time, and reports how far it has come. */
export const runPlan = <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  onProgress: (done: number, total: number) => Effect.Effect<void>
) =>
  applyRemaining(run, onProgress).pipe(
    Effect.tapError((error) => run.record({ type: "stopped", problem: factsOf(error) }))
  )

const applyRemaining = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(
  run: Run<C, S, E>,
  onProgress: (done: number, total: number) => Effect.Effect<void>
) {
  const { driver } = run
  const { steps } = run.state.plan
  const left = () => steps.filter(isOpen(run.state))
  const asStopped = (error: Failure | ApplyStopped | JournalFailed) =>
    error._tag === "ApplyStopped" || error._tag === "JournalFailed" ? error : stoppedBy(run, error)
  // What an earlier call has sent and could not read back.
  yield* Effect.mapError(readBack(run), asStopped)
  for (const batch of driver.batches(left())) {
    if ((yield* timeLeft(run)) <= 0) return report(run, "in progress")
    const places = batch.map(({ id }) => id)
    yield* Effect.mapError(bisect(run, batch), (error) =>
      error._tag === "ApplyStopped" || error._tag === "JournalFailed" ? error : stoppedBy(run, error, places)
    )
    yield* onProgress(run.state.done, steps.length)
  }
  if (left().length > 0) return report(run, "in progress")
  yield* recordDone(run, settled(run), { isUnsent: true })
  yield* Effect.mapError(confirm(run), asStopped)
  const refused = valuesByStep(run.state, (record) => record.refused).length
  yield* run.record({ type: "finished", ...(refused > 0 ? { refused } : {}) })
  return report(run, endOf(refused, run.state.done))
})

/** The refused steps that others of the plan have settled. */
const settled = <C, S extends RemoteState<C>, E>({ driver, state }: Run<C, S, E>): ReadonlyArray<string> =>
  state.plan.steps.flatMap(({ change, id }) => {
    const other = recordOf(state, id).refused === undefined ? undefined : driver.relations(change).settledBy
    return other === undefined || recordOf(state, other).doneAt === undefined ? [] : [id]
  })

const endOf = (refused: number, done: number): Report["state"] => {
  if (refused === 0) return "applied"
  return done > 0 ? "partly applied" : "refused"
}

const report = <C, S extends RemoteState<C>, E>(
  { caveats, state, unsent }: Run<C, S, E>,
  is: Report["state"]
): Report => ({
  plan_id: state.plan.id,
  state: is,
  done: state.done,
  total: state.plan.steps.length,
  // oxlint-disable-next-line id-denylist -- a field of the answer
  found: unsent,
  refused: refusedIn(state, is).map(([step, problem]) => ({ step, problem })),
  unconfirmed: unconfirmedOf(state),
  adjusted: valuesByStep(state, ({ observed }) => (observed?.open === undefined ? observed : undefined)).map(
    ([step, { detail }]) => ({ step, detail })
  ),
  created: Object.fromEntries(valuesByStep(state, ({ created }) => created)),
  ...notice(state, caveats)
})

/** The steps refused in this turn through all steps: a turn that has recorded nothing yet was refused nothing. */
const refusedIn = <C>(state: PlanState<C>, is: Report["state"]) =>
  is === "in progress" && state.isPartly ? [] : valuesByStep(state, ({ refused }) => refused)
