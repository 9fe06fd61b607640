import { Cause, Clock, Deferred, Effect, Exit, Fiber, Struct } from "effect"

import type { Take } from "../../internal/http/Transport.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { Caller, Stopping } from "../../mcp/callContext.ts"
import type { Workflow, WorkflowId } from "../workflow/models.ts"
import { readTemporaryName } from "../workflow/naming.ts"
import { type ProvenAbsent, ProvesAbsence, readWorkflows } from "./absence.ts"
import type { EngineError } from "./EngineError.ts"
import type { StateAfter, Change, InstanceHistory, Mark } from "./History.ts"
import { isMissing } from "./isMissing.ts"

/** The states of a workflow that the answer to a change shows; the rest is looked up. */
interface States {
  readonly before?: JsonObject
  readonly after?: StateAfter
}

/** The way in which a change is recorded. */
interface Recording<A> extends Pick<Change, "before" | "touched"> {
  readonly afterOf: (answer: A) => States
  /** The meaning of "not found": by default, that the workflow does not exist. */
  readonly isGone?: Effect.Effect<void>
}

interface WorkflowReads {
  readonly getWorkflow: (id: WorkflowId) => Effect.Effect<Workflow, EngineError>
  readonly provenAbsent: (ids: ReadonlyArray<WorkflowId>) => Effect.Effect<ProvenAbsent, EngineError>
}

/** Records readings and changes of workflows, except temporary copies, which nobody would want back. */
export const make = (history: InstanceHistory, { getWorkflow, provenAbsent }: WorkflowReads) => {
  const temporary = new Set<string>()
  /** Whether a workflow is no temporary copy; those are noted. */
  const isLasting = ({ id, name }: JsonObject) => {
    const isTemporary = readTemporaryName(name) !== undefined
    if (isTemporary) temporary.add(String(id))
    return !isTemporary
  }
  const writes = makeWritesUnderWay()

  /** Begins something, at a moment of the history and in the order of writes. */
  const atMark = <A, E, R>(self: (at: { readonly mark: Mark; readonly turn: number }) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(history.mark, (mark) => self({ mark, turn: writes.now() }))

  /** Records what a reading gives of workflows, except those that were written meanwhile: such writes record their own results. */
  const recordingRead = <A>(read: (record: Take) => Effect.Effect<A, EngineError>): Effect.Effect<A, EngineError> =>
    atMark(({ mark, turn }) => {
      const untouched = (one: JsonObject) => isLasting(one) && !writes.touchedSince(turn, String(one.id))
      return read((workflows) => history.recordReading({ ...mark, workflows: workflows.filter(untouched) }))
    })

  const recordRead = <A>(
    self: Effect.Effect<A, EngineError>,
    workflowsIn: (answer: A) => ReadonlyArray<JsonObject>
  ): Effect.Effect<A, EngineError> =>
    recordingRead((record) => Effect.tap(self, (answer) => record(workflowsIn(answer))))

  /** Proves that workflows do not exist, and records it, except of those that were written meanwhile. */
  const recordAbsence = (ids: ReadonlyArray<WorkflowId>) =>
    atMark(({ mark, turn }) =>
      Effect.tap(provenAbsent(ids), ({ absent }) =>
        history.recordReading({ ...mark, gone: [...absent].filter((id) => !writes.touchedSince(turn, id)) })
      )
    )

  /** A workflow that the history knows was "not found": recorded if that is proven, unless the caller proves it anyway. */
  const recordMissing = Effect.fnUntraced(function* (id: WorkflowId) {
    if ((yield* ProvesAbsence) || !(yield* history.isRecorded(id))) return
    yield* Effect.ignore(recordAbsence([id]))
  })

  /** Creates a workflow, and records it. */
  const recordCreation = <A extends { readonly workflow: Workflow }>(self: Effect.Effect<A, EngineError>) =>
    atMark(({ mark }) =>
      Effect.tap(
        self,
        Effect.fnUntraced(function* ({ workflow }) {
          if (!isLasting(workflow)) return
          // Older engines leave the tags out of this answer: a new workflow has none.
          const after = Effect.succeed(present({ tags: [], ...workflow }))
          const at = yield* Clock.currentTimeMillis
          yield* history.recordChange({ origin: yield* Caller, id: workflow.id, isNew: true, ...mark, at, after })
        })
      )
    )

  /**
   * The state of a workflow after a change that did not show it, unless another change has begun by then, which will record it.
   */
  const readAfterChange = (id: WorkflowId) => {
    const since = writes.now()
    return readWorkflows({ getWorkflow, provenAbsent }, [id]).pipe(
      Effect.map(({ absent, workflows }) => {
        const workflow = workflows.get(id)
        if (writes.touchedSince(since, id)) return unknown
        return workflow !== undefined ? present(workflow) : absent.has(id) ? gone : unknown
      }),
      Effect.orElseSucceed(() => unknown),
      (look) => Effect.raceAllFirst([look, Effect.as(Effect.sleep(longestLook), unknown), lastLook])
    )
  }

  /** Records the outcome of a change, unless it is certain that nothing was changed. */
  const recordOutcome = Effect.fnUntraced(function* <A>(
    id: WorkflowId,
    exit: Exit.Exit<A, EngineError>,
    origin: Change["origin"],
    { afterOf, isGone = recordMissing(id), ...recorded }: Recording<A> & Pick<Change, "touchedBefore"> & Mark
  ) {
    if (Exit.isFailure(exit)) {
      const error = failureOf(exit)
      if (error !== undefined && isMissing(error)) return yield* isGone
      if (error !== undefined && !mayHaveChanged(error, recorded.before)) return undefined
    }
    const { after, before = recorded.before } = Exit.isSuccess(exit) ? afterOf(exit.value) : {}
    return yield* history.recordChange({
      ...recorded,
      before,
      origin,
      id,
      at: yield* Clock.currentTimeMillis,
      after: after === undefined ? Fiber.join(yield* Effect.forkDetach(readAfterChange(id))) : Effect.succeed(after)
    })
  })

  /** Makes a change and records it; if the history does not know the workflow, it is read first. */
  const recordChange = Effect.fnUntraced(function* <A>(
    id: WorkflowId,
    self: Effect.Effect<A, EngineError>,
    recording: Recording<A>
  ) {
    if (temporary.has(id)) return yield* self
    const origin = yield* Caller
    const isKnown = recording.before !== undefined || (yield* history.isRecorded(id))
    const first = yield* history.mark
    const touchedBefore = isKnown
      ? {}
      : yield* Effect.matchEffect(getWorkflow(id), {
          onFailure: () => Effect.succeed({}),
          onSuccess: (before) =>
            Effect.as(history.recordReading({ ...first, workflows: [before] }), {
              touchedBefore: Struct.pick({ ...before }, recording.touched ?? [])
            })
        })
    const mark = yield* history.mark
    return yield* Effect.onExit(writes.during(id, self), (exit) =>
      recordOutcome(id, exit, origin, { ...recording, ...touchedBefore, ...mark })
    )
  })

  /** Forgets a temporary copy, which was deleted. */
  const forgetTemporary = (id: string) => Effect.sync(() => temporary.delete(id))

  return { forgetTemporary, recordAbsence, recordChange, recordCreation, recordMissing, recordRead, recordingRead }
}

export const present = (seen: JsonObject): StateAfter => ({ _tag: "Present", seen })
export const unknown: StateAfter = { _tag: "Unknown" }
export const gone: StateAfter = { _tag: "Deleted" }

/** Longest look for the state after a change, and the longest one more where the server is told to stop. */
const longestLook = "1 minute"
const lastLook = Effect.flatMap(Stopping, Deferred.await).pipe(
  Effect.andThen(Effect.sleep("1 second")),
  Effect.as(unknown)
)

const failureOf = (exit: Exit.Failure<unknown, EngineError>): EngineError | undefined =>
  exit.cause.reasons.find(Cause.isFailReason)?.error

/** Whether a change that failed may have changed something: engines save an active workflow before they refuse to run it. */
const mayHaveChanged = (error: EngineError, before: JsonObject | undefined): boolean =>
  error._tag === "OutcomeUnknown" ||
  error._tag === "ForeignAnswer" ||
  (error._tag === "Timeout" && error.outcomeUnknownOf !== undefined) ||
  (error._tag === "ApiError" && before?.active === true)

/**
 * The workflows that were written while something else was being read: such a reading may show the workflow before or after
 * the change, so it is not recorded.
 */
const makeWritesUnderWay = () => {
  let time = 0
  const underWay = new Map<string, number>()
  const ended = new Map<string, number>()

  const add = (id: string, count: number) => {
    const left = (underWay.get(id) ?? 0) + count
    if (left === 0) underWay.delete(id)
    else underWay.set(id, left)
  }

  return {
    now: () => time,
    touchedSince: (since: number, id: string): boolean => underWay.has(id) || (ended.get(id) ?? -1) >= since,
    during: <A, E, R>(id: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => add(id, 1)),
        () => write,
        () =>
          Effect.sync(() => {
            add(id, -1)
            ended.delete(id)
            ended.set(id, time++)
            for (const oldest of ended.keys()) {
              if (ended.size <= mostRemembered) break
              ended.delete(oldest)
            }
          })
      )
  }
}

/** Readings never take so long that more writes end meanwhile. */
const mostRemembered = 10_000
