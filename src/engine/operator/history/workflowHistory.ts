import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Version } from "../../client/History.ts"
import { optional, text, workflowId } from "../../tools/parameters.ts"
import { noticesOfUnknown, resolvingNames, withNotices } from "../../tools/references.ts"
import type { VersionEntry, WorkflowId } from "../../workflow/models.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { changesOfAll } from "./changesOfAll.ts"
import { engineVersions, millis, newestFirst, engineRows } from "./engineVersions.ts"
import { deletedNamed, nothingKept, unreadable } from "./historyErrors.ts"

const most = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be between 1 and 100" }))

export const workflowHistory = AcrossTool.make("workflow_history", {
  title: "Workflow history",
  description:
    "List versions of a workflow, newest first, also of a deleted one. Without id: changes in all workflows; " +
    "restore_workflow undoes a row",
  annotations: reads,
  arguments: {
    id: optional(workflowId),
    since: optional(Schema.String.annotate({ description: "Without id: today, monday, 2026-11-21 or a time" })),
    by: optional(text("Without id: part of a client's or person's name; me")),
    limit: Schema.optionalKey(most.annotate({ description: "Default 20" })),
    cursor: optional(Schema.String.annotate({ description: "nextCursor" })),
    recorded: optional(Schema.Boolean.annotate({ description: "Without id: ask no engine, only the history" }))
  },
  run: Effect.fnUntraced(function* ({ id, ...request }, engines) {
    const { by, cursor, limit, recorded, since } = request
    if (id === undefined) return yield* changesOfAll(engines, { by, cursor, limit, recorded, since })
    const [engine, ...others] = engines
    const only = { since, by, recorded }
    const odd = (["since", "by", "recorded"] as const).find((argument) => only[argument] !== undefined)
    if (odd !== undefined) {
      return yield* new InvalidArgument({ argument: odd, problem: "is for all workflows: leave out id" })
    }
    if (engine === undefined || others.length > 0) {
      return yield* new InvalidArgument({ argument: "instances", problem: "must be one, where id is given" })
    }
    return yield* resolvingNames([{ argument: "id", kind: "workflow" }], { id }, { deletedNamed }, (given, notices) =>
      Effect.map(versionsOf(given.id, cursor, limit), (answer) => withNotices(answer, notices))
    ).pipe(Effect.provideService(EngineClient, engine))
  })
})

/** A page of the versions of one workflow. */
const versionsOf = Effect.fnUntraced(function* (id: WorkflowId, cursor: string | undefined, limit = 20) {
  const { getWorkflow, history } = yield* EngineClient
  const place = cursor === undefined ? {} : yield* placeIn(cursor)
  // So that what somebody has changed or deleted past this server until now is told as well.
  if (history.isKept && cursor === undefined) yield* Effect.ignore(getWorkflow(id))
  yield* history.flushed
  const problem = yield* history.problem
  const ours = place.isEngine === true ? nothing : yield* ourVersions(id, limit, place.after)
  const { problem: unread, versions: all } = yield* engineVersions(id)
  const isUnknown = cursor === undefined && ours.data.length + all.length === 0
  const unknown = isUnknown ? yield* noticesOfUnknown(id, deletedNamed) : []
  if (!history.isKept && all.length === 0) return yield* nothingKept(id)

  // Of the engine's own, those between the newest and the oldest of this page; after the last of ours, page by page.
  const recorded = new Set((yield* recordedVersions(id)).map(String))
  const foreign = all.filter(({ versionId }) => !recorded.has(versionId))
  const from = place.before ?? ""
  const until = ours.next === undefined ? "" : oldestOf(ours.data)
  const between = foreign.filter((entry) => isBetween(entry, until, from))
  const rowsOfEngine = yield* engineRows(id, between.slice(0, limit), all)
  const data = newestFirst([...ours.data, ...ours.byPeople], rowsOfEngine, all)
  const last = between[limit - 1]
  const next =
    ours.next !== undefined
      ? `${ours.next}@${until}`
      : between.length > limit
        ? `engine@${last?.createdAt ?? ""}`
        : undefined
  return {
    ...noticed(
      ...unknown,
      problem?.message,
      unread === undefined ? undefined : `The engine's own versions are missing here: ${unread}`
    ),
    data,
    ...(next === undefined ? {} : { nextCursor: next })
  }
})

/** The time at which the oldest of some versions was saved. */
const oldestOf = (versions: ReadonlyArray<Version>): string =>
  versions.map(({ when }) => when).reduce((a, b) => (millis(b) < millis(a) ? b : a), versions[0]?.when ?? "")

const noticed = (...notices: ReadonlyArray<string | undefined>) => {
  const all = notices.filter((notice) => notice !== undefined)
  return all.length === 0 ? {} : { notice: all.join(" ") }
}

const nothing = { data: [], byPeople: [], next: undefined }

const ourVersions = (id: WorkflowId, limit: number, after: string | undefined) =>
  EngineClient.use(({ history }) => Effect.mapError(history.versions(id, { limit, after }), unreadable))

/** Commits that are looked through for versions of the engine's that are recorded already. */
const mostRecorded = 500

/** The engine's versions that the history holds as its own. */
const recordedVersions = (id: WorkflowId) =>
  Effect.map(ourVersions(id, mostRecorded, undefined), ({ data }) =>
    data.flatMap(({ engineVersion }) => engineVersion ?? [])
  )

interface Place {
  readonly after?: string
  readonly before?: string
  readonly isEngine?: boolean
}

const placeIn = (cursor: string): Effect.Effect<Place, InvalidArgument> => {
  const [, after = "", before = ""] = /^([0-9a-f]{7,64}|engine)@([0-9TZ:.+-]+)$/.exec(cursor) ?? []
  if (after === "") {
    return Effect.fail(
      new InvalidArgument({ argument: "cursor", problem: "is none that workflow_history has answered" })
    )
  }
  return Effect.succeed(after === "engine" ? { before, isEngine: true } : { after, before })
}

const isBetween = ({ createdAt = "" }: VersionEntry, until: string, from: string): boolean =>
  millis(createdAt) >= millis(until) && (from === "" || millis(createdAt) < millis(from))
