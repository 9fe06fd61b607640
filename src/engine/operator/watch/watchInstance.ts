import { Effect, Result } from "effect"

import * as VersionLookup from "../../client/versionLookup.ts"
import type { Expectations } from "../health/expectations.ts"
import { kindNames } from "../health/Finding.ts"
import { failureRow } from "../health/instanceHealth.ts"
import type { Memory } from "../health/Memory.ts"
import { observe } from "../health/observe.ts"
import { findingsIn } from "../health/rules.ts"
import type { Engine } from "../health/workflowFacts.ts"
import { advance, type Change, type Incident, type WatchedFinding, type WatchedKind } from "./incidents.ts"

/** Everything that is remembered of an instance from one look to the next. */
export interface WatchedInstance {
  readonly memory?: Memory | undefined
  readonly version?: string | undefined
  /** Looks in a row at which it could not be reached. */
  readonly failures: number
  readonly testedAt: number
  readonly versionAt: number
  /** The time up to which changes by others were told. */
  readonly changesTo: number
}

/** An instance that nothing is remembered of. */
export const unwatched: WatchedInstance = { failures: 0, testedAt: 0, versionAt: 0, changesTo: 0 }

interface Question {
  readonly now: number
  readonly expectations: Expectations
  readonly ignore: ReadonlyArray<string>
  readonly keyEndsAt: number | undefined
}

/** Milliseconds between two tests of all credentials, which act on other services, and between two questions for the version. */
const testInterval = 3_600_000
const versionInterval = 3_600_000

/** Looks in a row that have to fail for an instance to count as unreachable. */
const leastFailures = 2

/** Milliseconds back in which failures count. */
const spanMs = 86_400_000

const everyKind: ReadonlySet<WatchedKind> = new Set<WatchedKind>([...kindNames, "versionChanged"])

/** Looks at an instance once: what has begun and what is over since the last look. */
export const watchInstance = Effect.fnUntraced(function* (
  engine: Engine,
  before: WatchedInstance,
  open: ReadonlyArray<Incident>,
  { expectations, ignore, keyEndsAt, now }: Question
) {
  const { instance } = engine
  const isTesting = now - before.testedAt >= testInterval
  const read = yield* Effect.result(
    observe(engine, {
      from: now - spanMs,
      now,
      expectations,
      keyEndsAt,
      memory: before.memory ?? "first",
      changedSince: before.changesTo === 0 ? now : before.changesTo,
      isTesting
    })
  )
  if (Result.isFailure(read)) {
    const failures = before.failures + 1
    const { state } = failureRow(instance, read.failure, {})
    const words = state === "key refused" ? "refuses its key" : "cannot be reached"
    const finding: WatchedFinding = { kind: "unreachable", subject: instance, name: "The instance", text: words }
    const unjudged = new Set<WatchedKind>([...everyKind, ...(failures < leastFailures ? ["unreachable" as const] : [])])
    const findings = failures < leastFailures || ignore.includes("unreachable") ? [] : [finding]
    return {
      watched: { ...before, failures },
      problem: read.failure.message,
      ...advance(open, { instance, now, findings, unjudged })
    } satisfies Watched
  }
  const { memory, observation, unjudged } = read.success
  const { isAsked, version } = yield* versionOf(engine, before, now)
  const isOther = before.version !== undefined && version !== undefined && version !== before.version
  const changed: ReadonlyArray<WatchedFinding> = isOther
    ? [
        {
          kind: "versionChanged",
          subject: version,
          name: "The instance",
          text: `runs version ${version}; before, it ran ${before.version}`
        }
      ]
    : []
  const findings = [...changed, ...findingsIn(observation)].filter(({ kind }) => !ignore.includes(kind))
  return {
    watched: {
      memory,
      version: version ?? before.version,
      failures: 0,
      changesTo: now,
      testedAt: isTesting ? now : before.testedAt,
      versionAt: isAsked ? now : before.versionAt
    },
    problem: undefined,
    ...advance(open, { instance, now, findings, unjudged })
  } satisfies Watched
})

/** An instance after a look. */
export interface Watched {
  readonly watched: WatchedInstance
  readonly problem: string | undefined
  readonly open: ReadonlyArray<Incident>
  readonly changes: ReadonlyArray<Change>
}

/** The version of an engine, asked now and then. */
const versionOf = (engine: Engine, before: WatchedInstance, now: number) =>
  now - before.versionAt < versionInterval
    ? Effect.succeed({ version: before.version, isAsked: false })
    : Effect.map(Effect.option(VersionLookup.versionOf(engine)), (version) => ({
        version: version._tag === "Some" && version.value !== VersionLookup.unknown ? version.value : undefined,
        isAsked: true
      }))
