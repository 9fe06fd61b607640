import { Clock, Effect, HashMap, Semaphore } from "effect"

import { elapsedSince, monotonicMillis } from "../../internal/time.ts"
import { callerName } from "../../mcp/callContext.ts"
import type { CompleteDriver, Failure } from "../Driver.ts"
import type { Journal, ProgressEntry } from "../Journal.ts"
import { openProblems } from "../notice.ts"
import type { Step } from "../Plan.ts"
import { ApplyStopped, type JournalFailed, sentence } from "../PlanError.ts"
import * as PlanState from "../PlanState.ts"
import type { RemoteState, Row } from "../RemoteState.ts"

/** The moments at which this process sent steps whose outcome is unknown, on the clock that nobody sets, by plan and step. */
export type SentTimes = Map<string, { readonly at: number; readonly millis: number }>

type OfPlan<E> = E extends unknown ? Omit<E, "at" | "plan_id"> : never

/** An entry about the plan that is applied, without the moment. */
type EntryBody = OfPlan<ProgressEntry>

/** One apply of a plan, from its call to its answer. */
export interface Run<C, S extends RemoteState<C>, E> {
  readonly driver: CompleteDriver<C, S, E>
  readonly sentTimes: SentTimes
  /** When nothing new is begun any more, on the clock that nobody sets (`monotonicMillis`). */
  readonly until: number
  /** The plan that a rollback leads back from. */
  readonly original: PlanState.PlanState<C> | undefined
  /**
   * The state of the plan: the entries of the journal, folded, and what was read back since. Only `record` and `readBack`
   * set it.
   */
  state: PlanState.PlanState<C>
  /** The plans that have overtaken steps, in words, by the step. */
  readonly overtaken: ReadonlyMap<string, string>
  /** Writes an entry to the journal, then folds it into the state. */
  readonly record: (entry: EntryBody) => Effect.Effect<void, JournalFailed>
  /** Steps of a rollback that show as wanted, which need not be true yet: the read model may lag. */
  readonly shownSteps: Set<string>
  /** Notes for people on what was read and sent, such as why it is less certain than usual. */
  readonly caveats: Set<string>
  /** The number of steps that were as wanted without being sent, in this run. */
  unsent: number
  /** The number of calls that were refused since the last one that was taken. */
  refusedInARow: number
}

interface RunStart<C, S extends RemoteState<C>, E> extends Pick<
  Run<C, S, E>,
  "driver" | "original" | "overtaken" | "sentTimes" | "until"
> {
  readonly journal: Journal<C>
  readonly state: PlanState.PlanState<C>
}

/** The caller, as entries name it. */
export const callerField = Effect.map(callerName, (who) => (who === undefined ? {} : { who }))

/** A run that goes on where the state ends. */
export const make = <C, S extends RemoteState<C>, E>({
  driver,
  journal,
  original,
  overtaken,
  sentTimes,
  state,
  until
}: RunStart<C, S, E>) =>
  Effect.map(Semaphore.make(1), (writing) => {
    const run: Run<C, S, E> = {
      driver,
      sentTimes,
      until,
      original,
      overtaken,
      state,
      record: (body) =>
        Effect.gen(function* () {
          const isRead = body.type === "begun" && HashMap.isEmpty(run.state.unread)
          const wholeBody: EntryBody = isRead ? { ...body, read_back: true } : body
          const who =
            body.type === "begun" ? { ...(yield* callerField), uptime: Math.floor(yield* monotonicMillis) } : {}
          const entry = { ...wholeBody, ...who, at: yield* Clock.currentTimeMillis, plan_id: state.plan.id }
          yield* journal.append(entry)
          run.state = PlanState.step(run.state, entry)
          const millis = yield* monotonicMillis
          for (const step of "steps" in body ? body.steps : []) {
            const key = sentKey(run, step)
            if (body.type === "begun") sentTimes.set(key, { at: entry.at, millis })
            else if (!PlanState.isOpen(run.state)({ id: step })) sentTimes.delete(key)
          }
        }).pipe(Effect.uninterruptible, (write) => writing.withPermit(write)),
      shownSteps: new Set(),
      caveats: new Set(),
      unsent: 0,
      refusedInARow: 0
    }
    return run
  })

const sentKey = <C>({ state }: { readonly state: PlanState.PlanState<C> }, step: string) => `${state.plan.id} ${step}`

/**
 * Milliseconds since a step was sent whose outcome is unknown; Infinity where there is none. Of what another process has sent,
 * it is the least that both clocks of the machine allow: one may have been set since, and the other counts from its start.
 */
export const sinceSent = Effect.fnUntraced(function* <C, S extends RemoteState<C>, E>(run: Run<C, S, E>, step: string) {
  const { outcomeUnknownSince: at, sentUptime } = PlanState.recordOf(run.state, step)
  if (at === undefined) return Infinity
  const [now, millis] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
  const sent = run.sentTimes.get(sentKey(run, step))
  if (sent?.at === at) return millis - sent.millis
  if (sentUptime !== undefined || at <= now) return elapsedSince(at, sentUptime, { now, millis })
  run.sentTimes.set(sentKey(run, step), { at, millis })
  return 0
})

/** Milliseconds that a run has left. */
export const timeLeft = ({ until }: { readonly until: number }): Effect.Effect<number> =>
  Effect.map(monotonicMillis, (now) => until - now)

/** Whether a run rolls another plan back. */
export const isRollback = <C>({ state }: { readonly state: PlanState.PlanState<C> }): boolean =>
  state.plan.reverses !== undefined

/** The records of a step in the journal, and in a rollback of the step that it undoes. */
export const recordsOf = <C, S extends RemoteState<C>, E>({ original, state }: Run<C, S, E>, step: string) => ({
  record: PlanState.recordOf(state, step),
  ...(original === undefined ? {} : { original: PlanState.recordOf(original, step) })
})

/** The steps whose changes name everything by its id. */
export const rowsOf = <C, S extends RemoteState<C>, E>(
  { driver, state }: Run<C, S, E>,
  steps: ReadonlyArray<Step<C>>
): ReadonlyArray<Row<C>> =>
  steps.flatMap((step) => {
    const change = driver.resolve(step.change, (id) => PlanState.recordOf(state, id).created)
    return change === undefined ? [] : [{ step: step.id, change }]
  })

/** Reads what the changes of some rows are about; what follows from an error is its failure. */
export const read = <C, S extends RemoteState<C>, E>(
  { caveats, driver, state }: Run<C, S, E>,
  rows: ReadonlyArray<{ readonly change: C }>
): Effect.Effect<S, Failure> => {
  const changes = changesOf(rows)
  return driver.readRemoteState(changes, state.plan).pipe(
    Effect.tap(({ caveat }) => Effect.sync(() => caveat !== undefined && caveats.add(caveat))),
    Effect.mapError((error) => driver.explain(error, changes))
  )
}

export const changesOf = <C>(rows: ReadonlyArray<{ readonly change: C }>): ReadonlyArray<C> =>
  rows.map(({ change }) => change)
export const stepsOf = (rows: ReadonlyArray<{ readonly step: string }>): ReadonlyArray<string> =>
  rows.map(({ step }) => step)

/** The reason for which an apply stops. */
interface Reason {
  readonly reason: string
  readonly problem: string
  readonly isOutcomeUnknown?: boolean
  readonly retryAfterSeconds?: number
}

/** The error of a stopped apply, with how far it has come. */
export const stopped = <C>({ plan, done }: PlanState.PlanState<C>, { isOutcomeUnknown = false, ...reason }: Reason) =>
  new ApplyStopped({ id: plan.id, done, total: plan.steps.length, isOutcomeUnknown, ...reason })

/** The same for an error of the upstream, with the steps that the failed call was about. */
export const stoppedBy = <C, S extends RemoteState<C>, E>(
  { caveats, driver, state }: Run<C, S, E>,
  failure: Failure,
  at: ReadonlyArray<string> = []
): ApplyStopped => {
  const problem = placesOf(at) + [sentence(failure.problem), ...openProblems(state), ...caveats].join(" ")
  if (failure._tag === "Refused") return stopped(state, { reason: "Refused", problem })
  const { reason } = failure
  if (failure._tag === "Stopped") {
    const { retryAfterSeconds } = failure
    return stopped(state, { reason, problem, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
  }
  const words = `${problem} It may have happened all the same`
  const isCreation = state.plan.steps.some(({ change, id }) => at.includes(id) && driver.creations.isCreation(change))
  return isCreation
    ? stopped(state, {
        reason,
        isOutcomeUnknown: true,
        problem: `${words}, and was not sent again. ${driver.creations.search}`,
        retryAfterSeconds: driver.visibleMs / 1000
      })
    : stopped(state, {
        reason,
        isOutcomeUnknown: true,
        problem: `${words}. The next call first reads what is there, and sends only what is not as wanted.`
      })
}

/** The steps that a failed call was about, as the beginning of its message. */
const placesOf = (steps: ReadonlyArray<string>): string => {
  const [first, ...others] = steps
  if (first === undefined) return ""
  return others.length === 0 ? `At ${first}: ` : `At ${first} and ${others.length} more in the same call: `
}
