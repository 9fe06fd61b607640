import { durationOf, isoOf, minuteOf } from "../../../internal/time.ts"
import type { Finding } from "./Finding.ts"
import { about } from "./missedRuns.ts"
import { expectationOf, type Observation } from "./Observation.ts"
import { durationsOf, median, noRuns, slowness } from "./runs.ts"

/** Seconds after which a run is too long where its usual duration is unknown. */
const longSeconds = 3600

/** Seconds that a run has to take for it to be too long, beside five times as many as usual: people are only called for a run that may hang. */
const leastSeconds = 120
const leastWatched = 600

/** Milliseconds by which a waiting run may be late, and for which one may wait for an answer. */
const lateMs = 600_000
const longWaitMs = 7 * 86_400_000

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10

/** Executions that have been running far longer than the last successful ones of their workflow. */
export const longRuns = (observation: Observation): ReadonlyArray<Finding> =>
  (observation.running ?? []).flatMap(({ id: execution, startedAt, workflowId: id }) => {
    const { maxSeconds, workflow } = expected(observation, id)
    const usual = median(durationsOf((observation.runs.get(id) ?? noRuns).runs))
    const seconds = Math.round((observation.now - startedAt) / 1000)
    const least = observation.isWatched ? leastWatched : leastSeconds
    const limit = maxSeconds ?? (usual === undefined ? longSeconds : Math.max(least, usual * 5))
    if (seconds <= limit) return []
    const isUsualTold = usual !== undefined
    const row = {
      workflow: workflow.name,
      execution,
      seconds,
      ...(isUsualTold ? { usualSeconds: tenths(usual) } : {})
    }
    const text = `has been running for ${durationOf(seconds)}${isUsualTold ? `; ${durationOf(usual)} is usual` : ""}`
    return [{ kind: "runningTooLong", ...about(workflow), text, row }]
  })

const expected = (observation: Observation, id: string) => {
  const workflow = observation.workflows.find((one) => one.id === id) ?? { id, name: id }
  return { workflow, maxSeconds: expectationOf(observation, workflow).maxSeconds }
}

/** Workflows whose last runs were slower than their own usual ones, or than a person allows. */
export const slowerWorkflows = (observation: Observation): ReadonlyArray<Finding> =>
  observation.workflows.flatMap((workflow) => {
    const { maxSeconds } = expectationOf(observation, workflow)
    const { runs } = observation.runs.get(workflow.id) ?? noRuns
    const slow = slowness(runs, maxSeconds)
    if (slow === undefined) return []
    const row = {
      workflow: workflow.name,
      id: workflow.id,
      seconds: tenths(slow.last),
      usualSeconds: tenths(slow.usual)
    }
    const text = `took ${durationOf(slow.last)} at its last runs; ${durationOf(slow.usual)} is usual`
    return [{ kind: "slowerThanUsual", ...about(workflow), text, row }]
  })

/** Runs that wait beyond their time, or for an answer that nobody has given in a week. */
export const longWaits = (observation: Observation): ReadonlyArray<Finding> =>
  observation.waiting.flatMap(({ id: execution, startedAt, waitTill, workflowId }): ReadonlyArray<Finding> => {
    const { now } = observation
    const { workflow } = expected(observation, workflowId)
    const isLate = waitTill !== undefined && waitTill + lateMs < now
    if (!isLate && now - startedAt < longWaitMs) return []
    const since = isoOf(startedAt)
    const until = isLate ? { until: isoOf(waitTill) } : {}
    const text = isLate
      ? `still waits in run ${execution}, which should have gone on at ${minuteOf(waitTill)}`
      : `has waited in run ${execution} since ${minuteOf(startedAt)}`
    const row = { workflow: workflow.name, execution, since, ...until }
    return [{ kind: "waitingTooLong", ...about(workflow), subject: `${workflowId} ${execution}`, text, row }]
  })
