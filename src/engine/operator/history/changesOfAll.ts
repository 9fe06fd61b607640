import { Clock, Effect, Predicate, Result } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { fitted } from "../../../internal/json/values.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { Arrival, Caller, gatheringSeconds } from "../../../mcp/callContext.ts"
import { spanOf } from "../../../mcp/moments.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { Drift } from "../../client/History.ts"
import { plainName } from "../../history/git/fastImport.ts"
import { notKept, unreadable } from "./historyErrors.ts"
import { readAllWorkflows } from "./instanceBackup.ts"

type Client = EngineClient["Service"]

/** The changes that are asked for. */
export interface ChangesRequest {
  readonly since: string | undefined
  readonly by: string | undefined
  readonly limit: number | undefined
  readonly cursor: string | undefined
  /** Whether the changes that are recorded already are enough: engines of thousands of workflows take seconds to read. */
  readonly recorded: boolean | undefined
}

/** Rows of a page at most, bytes that they have unless more are asked for, and characters of one change. */
const mostRows = 100
const room = 6500
const longest = 240

/** The changes of all workflows of some instances, newest first: whose, and when they were saved. */
export const changesOfAll = Effect.fnUntraced(function* (
  engines: ReadonlyArray<Client>,
  { by, cursor, limit, recorded = false, since }: ChangesRequest
) {
  if (engines.every(({ history }) => !history.isKept)) return yield* notKept
  const from = since === undefined ? undefined : (yield* spanOf("since", since, yield* Clock.currentTimeMillis)).from
  const isWanted = by === undefined ? () => true : yield* madeBy(by)
  const place = cursor === undefined ? undefined : yield* placeIn(cursor)
  const changes = yield* Effect.forEach(
    engines,
    Effect.fnUntraced(function* (engine) {
      const { history, instance } = engine
      const isRead = place === undefined && !recorded
      if (recorded) yield* history.flushed
      const { named, notice } = isRead ? yield* presentState(engine) : asRecorded
      const range = { since: from, version: place?.version }
      const { changes, version } = yield* Effect.mapError(history.changes(range), unreadable)
      return { version, notice, rows: changes.map((change) => ({ ...named(change), instance })) }
    }),
    { concurrency: "unbounded" }
  )
  const rows = changes.flatMap(({ rows: some }) => some).filter(isWanted)
  const sorted = rows.toSorted((a, b) => Date.parse(b.when) - Date.parse(a.when))
  const offset = place?.offset ?? 0
  const page = sorted.slice(offset, offset + (limit ?? mostRows)).map(rowOf)
  const data = limit === undefined ? fitted(page, room) : page
  const version = changes.find((one) => one.version !== undefined)?.version
  const end = offset + data.length
  const problem = yield* engines[0]?.history.problem ?? Effect.undefined
  const notices = [problem?.message, ...changes.map(({ notice }) => notice)].filter(Predicate.isNotUndefined)
  return {
    ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
    total: sorted.length,
    data,
    ...(end < sorted.length && version !== undefined ? { nextCursor: `${version}+${end}` } : {})
  }
})

type Row = Drift & { readonly instance: string }

const rowOf = ({ by, change, id, instance, name, reason, tool, version, when }: Row) => ({
  instance,
  id,
  name,
  version,
  when,
  by,
  ...(tool === undefined ? {} : { tool }),
  ...(reason === undefined ? {} : { reason }),
  change: clipped(change, longest)
})

/** Reads all workflows of an instance, so that what others have changed is recorded; says where not all could be read. */
const presentState = Effect.fnUntraced(function* (engine: Client) {
  const until = ((yield* Arrival) ?? (yield* monotonicMillis)) + gatheringSeconds * 1000
  const read = yield* Effect.result(readAllWorkflows(engine, { isWhole: false, until, report: () => Effect.void }))
  const missing = `What others have changed on ${engine.instance} since it was last read may be missing here`
  if (Result.isFailure(read)) return { ...asRecorded, notice: `${missing}: ${read.failure.message}` }
  const { named, toRead } = read.success
  return { named, notice: toRead > 0 ? `${missing}: not all workflows could be read in time.` : undefined }
})

/** Changes as they are recorded, where nothing is read. */
const asRecorded = { named: (change: Drift): Drift => change, notice: undefined }

/** Whether a change is by whoever is named: by a part of the name of a client or a person, or by the caller's client. */
const madeBy = Effect.fnUntraced(function* (by: string) {
  if (by.trim().toLowerCase() !== "me") {
    const part = by.trim().toLowerCase()
    return (row: Drift) => row.by.toLowerCase().includes(part)
  }
  const { client } = yield* Caller
  if (client !== undefined) return (row: Drift) => row.by === plainName(client)
  return yield* new InvalidArgument({ argument: "by", problem: "cannot be me: this client has not said its name" })
})

const placeIn = (cursor: string) => {
  const [, version, offset] = /^([0-9a-f]{7,64})\+(\d{1,9})$/.exec(cursor) ?? []
  return version === undefined
    ? Effect.fail(new InvalidArgument({ argument: "cursor", problem: "is none that workflow_history has answered" }))
    : Effect.succeed({ version, offset: Number(offset) })
}
