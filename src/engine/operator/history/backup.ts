import { Effect } from "effect"

import { clipped, listed } from "../../../internal/foreignText.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { reads } from "../../../mcp/annotations.ts"
import { Arrival, gatheringSeconds, Progress } from "../../../mcp/callContext.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { Drift, SetAside } from "../../client/History.ts"
import { somebody } from "../../history/git/fastImport.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { notKept } from "./historyErrors.ts"
import { type BackedUp, backUp } from "./instanceBackup.ts"

/** Changes that are shown, of all instances, and characters of what each of them changed. */
const most = 40
const longest = 240

/** Entries of an instance that are named although the history cannot hold them. */
const mostNotRecorded = 10

export const backup = AcrossTool.make("backup", {
  title: "Back up workflows",
  description:
    "Record all workflows and tags in the history and tell what changed since the last backup, and who changed it (drift)",
  annotations: reads,
  arguments: {},
  run: Effect.fnUntraced(function* (_, engines) {
    if (engines.every(({ history }) => !history.isKept)) return yield* notKept
    const until = ((yield* Arrival) ?? (yield* monotonicMillis)) + gatheringSeconds * 1000
    const report = yield* Progress
    const rows = Math.max(5, Math.floor(most / engines.length))
    const data = yield* Effect.forEach(
      engines,
      (engine) => oneInstance(engine, { until, rows, report: (progress, message) => report({ progress, message }) }),
      { concurrency: "unbounded" }
    )
    const problem = yield* engines[0]?.history.problem ?? Effect.undefined
    return { ...(problem === undefined ? {} : { notice: problem.message }), data }
  })
})

interface Asked {
  readonly until: number
  readonly rows: number
  readonly report: (progress: number, message: string) => Effect.Effect<void>
}

const oneInstance = (engine: EngineClient["Service"], { report, rows, until }: Asked) =>
  Effect.match(backUp(engine, until, report), {
    onFailure: ({ message }) => ({ instance: engine.instance, error: message }),
    onSuccess: (backedUp) => shown(backedUp, rows)
  })

const shown = (
  { changes, instance, notRecorded, since, tags, toRead, version, workflows }: BackedUp,
  rows: number
) => ({
  instance,
  workflows,
  tags,
  ...(since === undefined ? {} : { since }),
  ...(version === undefined ? {} : { version }),
  changes: changes.slice(0, rows).map(shownDrift),
  ...(changes.length > rows ? { more: changes.length - rows } : {}),
  ...noticed([
    ...(notRecorded.length > 0 ? [`Not recorded, unlike all else: ${notRecordedWords(notRecorded)}.`] : []),
    ...(toRead > 0 ? [`Not complete: ${toRead} workflows are still to be read. Call again to go on.`] : []),
    ...(changes.some(({ by }) => by === somebody) ? [`Who "${somebody}" is, the engine does not tell.`] : [])
  ])
})

/** Entries that the history cannot hold, with the reasons. */
export const notRecordedWords = (entries: ReadonlyArray<SetAside>): string =>
  listed(
    entries.map(({ id, problem }) => `${id} (${problem})`),
    mostNotRecorded
  )

const noticed = (notices: ReadonlyArray<string>) => (notices.length === 0 ? {} : { notice: notices.join(" ") })

const shownDrift = ({ by, change, id, name, tool, version, when }: Drift) => ({
  id,
  name,
  change: clipped(change, longest),
  by,
  ...(tool === undefined ? {} : { tool }),
  when,
  version
})

export const backupTools = [backup]
