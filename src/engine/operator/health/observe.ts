import { Effect } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { firstPages, provingPage } from "../../client/listAll.ts"
import { firstSeen } from "../../history/message.ts"
import { WorkflowId } from "../../workflow/models.ts"
import { ModelPrices } from "../ai/ModelPrices.ts"
import { engineVersions } from "../history/engineVersions.ts"
import { credentialsOf } from "./credentialHealth.ts"
import type { Expectations } from "./expectations.ts"
import type { Kind } from "./Finding.ts"
import { type Memory, remembered } from "./Memory.ts"
import { missedRuns, rarerRuns, switchedOff } from "./missedRuns.ts"
import type { LastChange, Observation } from "./Observation.ts"
import { type KnownRuns, knownByAsking, runningOf, runsAsked, waitingOf } from "./readRuns.ts"
import { remembering, runsSince } from "./rememberRuns.ts"
import { type Engine, workflowFactsOf } from "./workflowFacts.ts"

/** The way in which an instance is read. */
export interface Reading {
  readonly from: number
  readonly now: number
  readonly expectations: Expectations
  readonly keyEndsAt: number | undefined
  /** The past as a watching process keeps it: `first` where it has none yet. Left out, runs are asked for workflow by workflow. */
  readonly memory?: Memory | "first"
  /** The time since which changes by others are told; that of the span, if left out. */
  readonly changedSince?: number
  /** Whether credentials are tested, which acts on other services. */
  readonly isTesting: boolean
}

/** An instance as it was read, with what could not be. */
export interface Read {
  readonly observation: Observation
  /** In words, for whoever asks. */
  readonly notLookedAt: ReadonlyArray<string>
  /** Kinds of findings that say nothing by not being there. */
  readonly unjudged: ReadonlySet<Kind>
  readonly memory: Memory | undefined
}

const ofRuns: ReadonlyArray<Kind> = [
  "failures",
  "missedSchedules",
  "rarerThanBefore",
  "quieterThanBefore",
  "slowerThanUsual",
  "dearerThanUsual",
  "switchedOff",
  "credentialsUnusedSinceChange"
]

/** Reads an instance for the rules; fails where not even its workflows can be listed. */
export const observe = Effect.fnUntraced(function* (engine: Engine, reading: Reading) {
  const { expectations, from, keyEndsAt, now } = reading
  const census = yield* workflowsOf(engine)
  const { workflows } = census
  const before = reading.memory === "first" ? undefined : reading.memory
  const [listed, running, waiting, credentials, changes] = yield* Effect.all(
    [
      part("failures", reading.memory === undefined ? runsAsked(engine, reading) : runsSince(engine, before, now)),
      part("running executions", runningOf(engine)),
      part("waiting executions", waitingOf(engine)),
      part("credentials", credentialsOf(engine, workflows, reading.isTesting)),
      part("changes", changesOf(engine, reading.changedSince ?? from))
    ],
    { concurrency: 2 }
  )
  const underWay = running.value?.runs
  const read = [...(listed.value?.runs ?? []), ...(underWay ?? [])]
  const unread: Observation = {
    instance: engine.instance,
    from,
    now,
    isWatched: reading.memory !== undefined,
    workflows,
    isWhole: !census.isMore,
    expectations,
    keyEndsAt,
    runs: new Map(),
    running: underWay,
    waiting: waiting.value?.runs ?? [],
    failed: [],
    errors: new Map(),
    activations: before?.active ?? new Map(),
    lastChanges: new Map(),
    credentials: credentials.value,
    changes: changes.value ?? [],
    usage: new Map(),
    prices: yield* ModelPrices
  }
  const judged: Effect.Effect<KnownRuns, EngineError> =
    reading.memory === undefined
      ? knownByAsking(engine, unread, read, listed.value)
      : remembering(engine, unread, read, listed.value, before)
  const { problem, value } = yield* part("runs of single workflows", judged)
  const observation = value === undefined ? unread : yield* explained(engine, value.observation, before)
  const problems = [listed, { problem }, { problem: value?.problem }, running, waiting, credentials, changes]
  const scheduled = workflows.filter(({ active, schedules }) => active && schedules.rules.length > 0)
  const notLookedAt = [
    ...(census.isMore ? [`workflows beyond the first ${workflows.length}`] : []),
    ...problems.flatMap((one) => (one.problem === undefined ? [] : [clipped(one.problem, longestProblem)])),
    ...(listed.value?.isMore === true ? ["earlier failures: there are more than were listed"] : []),
    ...count(
      scheduled.filter(({ savesNoSuccess }) => savesNoSuccess).length,
      "schedules of workflows that save no successful runs"
    ),
    ...count(value?.left, "further scheduled workflows"),
    ...count(
      workflows.filter(({ active, schedules }) => active && schedules.unread > 0).length,
      "workflows with a schedule that only the engine can read"
    ),
    ...(running.problem === undefined && underWay === undefined
      ? ["running executions: this engine's API does not list them"]
      : []),
    ...(running.value?.isMore === true ? ["further running executions"] : []),
    ...(credentials.problem === undefined && credentials.value === undefined
      ? ["credentials: this engine's API does not list them"]
      : []),
    ...(credentials.value?.lack === undefined
      ? count(credentials.value?.untested, "credentials in use that the engine could not test")
      : ["tests of credentials: this engine's API has none"])
  ]
  const unjudged = new Set<Kind>([
    ...(listed.value === undefined || value === undefined ? ofRuns : []),
    ...(running.value === undefined ? ["runningTooLong" as const] : []),
    ...(waiting.value === undefined ? ["waitingTooLong" as const] : []),
    ...(credentials.value === undefined ? ["credentialsGone" as const] : []),
    ...(credentials.value === undefined || !reading.isTesting ? ["credentialsFailing" as const] : [])
  ])
  const memory = value?.memory === undefined ? before : remembered(observation, value.memory)
  return { observation, notLookedAt, unjudged, memory } satisfies Read
})

/** Characters of a problem. */
const longestProblem = 200

const count = (number: number | undefined, what: string): ReadonlyArray<string> =>
  number === undefined || number === 0 ? [] : [`${number} ${what}`]

/** One part of an instance; where it fails, the other parts are still read. */
const part = <A, R>(what: string, look: Effect.Effect<A, EngineError, R>) =>
  Effect.match(look, {
    onSuccess: (value) => ({ value, problem: undefined }),
    onFailure: (error) => ({ value: undefined, problem: `${what}: ${error.message}` })
  })

const mostPages = 20

const workflowsOf = (engine: Engine) =>
  Effect.map(
    firstPages(
      (query) => provingPage(engine)(engine.listWorkflows({ ...query, excludePinnedData: true })),
      { limit: 100, pages: mostPages },
      (page) => page.map(workflowFactsOf).filter((facts) => facts !== undefined)
    ),
    ({ matches: workflows, isWhole }) => ({ workflows, isMore: !isWhole })
  )

/** Workflows of which it is asked who has changed them last. */
const mostExplained = 5

/** The observation with the last changes of workflows that do not run as they did. */
const explained = Effect.fnUntraced(function* (engine: Engine, observation: Observation, before: Memory | undefined) {
  const findings = [...missedRuns(observation), ...rarerRuns(observation), ...switchedOff(observation)]
  const updates = new Map(observation.workflows.map(({ id, updatedAt }) => [id, updatedAt]))
  const ids = [...new Set(findings.flatMap(({ workflowId }) => workflowId ?? []))].slice(0, mostExplained)
  const changes = yield* Effect.forEach(ids, (id) => {
    const change = before?.lastChanges.get(id)
    return change !== undefined && change.of === updates.get(id)
      ? Effect.succeed([[id, change] as const])
      : Effect.map(lastChangeOf(engine, id), (last) =>
          last === undefined ? [] : [[id, { ...last, of: updates.get(id) }] as const]
        )
  })
  return { ...observation, lastChanges: new Map(changes.flat()) } satisfies Observation
})

/** The last change of a workflow: by the history where one is kept, else by the engine's own versions. */
const lastChangeOf = Effect.fnUntraced(function* (engine: Engine, id: string) {
  const { history } = engine
  if (history.isKept) {
    yield* history.flushed
    const versions = yield* Effect.orElseSucceed(history.versions(id, { limit: 1 }), () => undefined)
    const [last] = versions?.data ?? []
    if (last !== undefined && last.change !== firstSeen) return lastChange(last)
  }
  const { versions } = yield* Effect.provideService(engineVersions(WorkflowId.make(id)), EngineClient, engine)
  const [newest] = versions
  return newest === undefined || newest.createdAt === undefined
    ? undefined
    : lastChange({ when: newest.createdAt, by: newest.authors ?? "somebody" })
})

const lastChange = ({ by, change, when }: LastChange): LastChange => ({
  when,
  by,
  ...(change === undefined ? {} : { change })
})

/** Changes since a moment that were not made through this server, as far as a history is kept. */
const changesOf = Effect.fnUntraced(function* ({ history }: Engine, since: number) {
  if (!history.isKept) return []
  yield* history.flushed
  const recorded = yield* Effect.orElseSucceed(history.changes({ since }), () => undefined)
  return recorded?.changes.filter(({ change, tool }) => tool === undefined && change !== firstSeen) ?? []
})
