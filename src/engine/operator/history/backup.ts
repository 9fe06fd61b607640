import { Effect, Schema } from "effect"

import { clipped, listed } from "../../../internal/foreignText.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { reads } from "../../../mcp/annotations.ts"
import { Arrival, gatheringSeconds, Progress } from "../../../mcp/callContext.ts"
import type { Drift, SetAside } from "../../client/History.ts"
import { somebody } from "../../history/git/fastImport.ts"
import { optional } from "../../tools/parameters.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { notKept } from "./historyErrors.ts"
import { type BackedUp, backUp } from "./instanceBackup.ts"

/** Changes that are shown of all instances, and characters of each. */
const most = 40
const longest = 240

/** Entries of an instance that are named although the history cannot hold them. */
const mostNotRecorded = 10

export const backup = AcrossTool.make("backup", {
  title: "Back up workflows",
  description:
    "Record all workflows, tags, data tables, names of variables and folders in the history and tell what changed since the " +
    "last backup, and who changed it (drift)",
  annotations: reads,
  arguments: { rows: optional(Schema.Boolean.annotate({ description: "Keep rows of data tables, too" })) },
  run: Effect.fnUntraced(function* (request, engines) {
    if (engines.every(({ history }) => !history.isKept)) return yield* notKept
    const until = ((yield* Arrival) ?? (yield* monotonicMillis)) + gatheringSeconds * 1000
    const report = yield* Progress
    const rows = Math.max(5, Math.floor(most / engines.length))
    const data = yield* Effect.forEach(
      engines,
      (engine) =>
        Effect.match(
          backUp(engine, {
            until,
            rows: request.rows,
            report: (progress, message) => report({ progress, message })
          }),
          {
            onFailure: ({ message }) => ({ instance: engine.instance, error: message }),
            onSuccess: (backedUp) => answerOf(backedUp, rows)
          }
        ),
      { concurrency: "unbounded" }
    )
    const problem = yield* engines[0]?.history.problem ?? Effect.undefined
    return { ...(problem === undefined ? {} : { notice: problem.message }), data }
  })
})

const answerOf = (
  { beside, changes, instance, notices, notRecorded, since, tags, toRead, version, workflows }: BackedUp,
  rows: number
) => ({
  instance,
  workflows,
  tags,
  ...beside,
  ...(since === undefined ? {} : { since }),
  ...(version === undefined ? {} : { version }),
  changes: changes.slice(0, rows).map(shownDrift),
  ...(changes.length > rows ? { more: changes.length - rows } : {}),
  ...noticed([
    ...(notRecorded.length > 0 ? [`Not recorded, unlike all else: ${notRecordedWords(notRecorded)}.`] : []),
    ...(toRead > 0 ? [`Not complete: ${toRead} workflows are still to be read. Call again to go on.`] : []),
    ...notices,
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
