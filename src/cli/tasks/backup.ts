import { Console, Context, Effect, Result } from "effect"

import { Instances } from "../../engine/client/Instances.ts"
import { backup, notRecordedWords } from "../../engine/operator/history/backup.ts"
import { unreadable } from "../../engine/operator/history/historyErrors.ts"
import { type BackedUp, backUp, keptWords } from "../../engine/operator/history/instanceBackup.ts"
import { toToolFailure } from "../../engine/tools/errors.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { nameText, oneLine, visibleJson } from "../../internal/foreignText.ts"
import type { Options } from "../configuration/flags.ts"
import type { Launch } from "../configuration/Launch.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { instances } from "../engine/instances.ts"
import { stopRequested } from "../stopRequested.ts"
import { asCall, watched } from "./watched.ts"

/** The arguments of a backup. */
export interface BackupRequest {
  /** Comma-separated names; by default all. */
  readonly instances: string | undefined
  readonly json: boolean
  /** Whether the rows of data tables are kept, too. */
  readonly rows: boolean
}

/** Backs up all or some instances and prints what changed since the last time; the exit code is 1 if one fails. */
export const runBackup = Effect.fnUntraced(function* (options: Options, request: BackupRequest) {
  const launch = yield* readLaunch({ ...options, http: false })
  if (launch.history === undefined) {
    return yield* new ConfigurationError({
      message: "backup needs a folder for the history: name it as `history` in the configuration, or as --history DIR"
    })
  }
  return yield* watched(launch)(backedUp(launch, request))
}, Effect.scoped)

const backedUp = Effect.fnUntraced(function* (launch: Launch, request: BackupRequest) {
  const { names, resolve } = Context.get(yield* instances(launch), Instances)
  const requested = request.instances?.split(",").map((name) => name.trim()) ?? names
  const engines = yield* Effect.forEach(requested, (name) =>
    Effect.mapError(resolve(name), ({ message }) => new ConfigurationError({ message }))
  )
  const work = Effect.forEach(
    engines,
    (engine) =>
      Effect.map(
        Effect.result(
          asCall({
            tool: backup,
            instance: engine.instance,
            render: (error) => (error._tag === "HistoryError" ? unreadable(error) : toToolFailure(error)),
            work: backUp(engine, {
              until: Infinity,
              rows: request.rows,
              report: (_, message) => Effect.logInfo(message)
            })
          })
        ),
        (result) => [engine.instance, result] as const
      ),
    { concurrency: "unbounded" }
  )
  const done = yield* Effect.raceFirst(work, Effect.as(stopRequested, undefined))
  if (done === undefined) return 130
  const problem = yield* engines[0]?.history.problem ?? Effect.undefined
  for (const [instance, result] of done) {
    const lines = Result.match(result, {
      onFailure: ({ message }) => [
        request.json ? visibleJson(JSON.stringify({ instance, error: message })) : `${instance}: ${oneLine(message)}`
      ],
      onSuccess: (backedUp) => (request.json ? [visibleJson(JSON.stringify(lineOf(backedUp)))] : linesOf(backedUp))
    })
    yield* Console.log(lines.join("\n"))
  }
  if (problem !== undefined) yield* Console.error(oneLine(problem.message))
  const isWhole = done.every(([, result]) => Result.isSuccess(result) && result.success.notRecorded.length === 0)
  return problem?.isRecorded !== false && isWhole ? 0 : 1
})

/** A backup in JSON: what is kept beside workflows and tags stands beside them. */
const lineOf = ({ beside, notices, ...backedUp }: BackedUp) => ({
  ...backedUp,
  ...beside,
  ...(notices.length === 0 ? {} : { notices })
})

const linesOf = ({
  beside,
  changes,
  instance,
  notices,
  notRecorded,
  since,
  tags,
  version,
  workflows
}: BackedUp): ReadonlyArray<string> => [
  `${instance}: ${keptWords({ workflows, tags, beside })}. ${
    since === undefined ? "This is its first backup." : `${changes.length} changes since the backup of ${since}.`
  }${version === undefined ? "" : ` It stands at version ${version}.`}`,
  ...(notRecorded.length === 0
    ? []
    : [oneLine(`${instance}: not recorded, unlike all else: ${notRecordedWords(notRecorded)}`)]),
  ...notices.map((notice) => oneLine(`${instance}: ${notice}`)),
  ...(since === undefined
    ? []
    : changes.map(
        ({ by, change, id, name, when }) => `  ${when}  ${oneLine(`${by}  ${nameText(name)} (${id}): ${change}`)}`
      ))
]
