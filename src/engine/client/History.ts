import { Context, Effect, Schema } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Call } from "../../mcp/callContext.ts"

/** The history could not be read. */
export class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", { message: Schema.String }) {}

/** The history has no such version. */
export class UnknownVersion extends Schema.TaggedError<UnknownVersion>()("UnknownVersion", {
  version: Schema.String
}) {}

/** A version shows workflows of an instance that were not recorded from that instance. */
export class ForeignVersion extends Schema.TaggedError<ForeignVersion>()("ForeignVersion", {
  version: Schema.String,
  instance: Schema.String,
  /** A workflow of these, and the commit that wrote it. */
  id: Schema.String,
  commit: Schema.String
}) {
  override get message() {
    return `workflow ${this.id} in ${this.version} was written by commit ${this.commit}, which was not made for instance ${this.instance}`
  }
}

/** The moment at which an engine is asked, by the clock and by what is recorded. */
export interface Mark {
  /** Milliseconds since 1970. */
  readonly since: number
  /** The newest commit, as far as it is known. */
  readonly tip?: string | undefined
}

/** The reasons for which a version cannot be read. */
export type VersionError = HistoryError | UnknownVersion | ForeignVersion

/** Something that was changed through this server. */
export interface Change extends Mark {
  /** The client and the tool that made the change, as far as they are known. */
  readonly origin: Call
  /** The time of the answer, in milliseconds since 1970. */
  readonly at: number
  readonly id: string
  /** The workflow before the change, as far as the change itself showed it. */
  readonly before?: JsonObject | undefined
  /** Whether the change has made the workflow. */
  readonly isNew?: boolean
  /** The fields that such a change can affect, if it did not show the workflow before. */
  readonly touched?: ReadonlyArray<string>
  /** The values of these fields before, if the workflow was read for the change. */
  readonly touchedBefore?: JsonObject
  /** The workflow after the change. It may have to be read from the engine. */
  readonly after: Effect.Effect<StateAfter>
}

/** The result of a change; `Unknown` if it could not be determined. */
export type StateAfter =
  | { readonly _tag: "Present"; readonly seen: JsonObject }
  | { readonly _tag: "Deleted" }
  | { readonly _tag: "Unknown" }

/** A list that the history keeps beside the workflows; rows are those of one data table. */
export interface KeptList {
  readonly list: "tags" | "credentials" | "data-tables" | "variables" | "folders" | "rows"
  readonly table?: { readonly id: string; readonly name: string }
}

/** Things beside the workflows: names only, never the values of a credential or a variable; of rows their cells. */
export interface NamedThings extends KeptList {
  /** All of them, if they were read; otherwise what was changed or deleted. */
  readonly all?: ReadonlyArray<JsonObject>
  readonly put?: JsonObject
  readonly gone?: string
  readonly origin?: Call
}

/** A workflow that somebody changed, as recorded in a commit. */
export interface Drift extends Omit<Version, "engineVersion" | "call"> {
  readonly id: string
  readonly name: string
}

/** Changes of an instance. */
export interface RecordedChanges {
  /** The version of the instance as it is recorded now; undefined if nothing is. */
  readonly version: string | undefined
  /** Newest first. */
  readonly changes: ReadonlyArray<Drift>
}

/** The changes of an instance that were recorded since its last backup. */
export interface ChangesSinceBackup extends RecordedChanges {
  /** The time of that backup; undefined if there was none. */
  readonly when: string | undefined
}

/** One version of a workflow in the history. */
export interface Version {
  /** Its id; it is the state after this change. */
  readonly version: string
  /** ISO 8601. */
  readonly when: string
  readonly by: string
  readonly tool: string | undefined
  readonly reason: string | undefined
  /** The same for all changes made by one tool call. */
  readonly call: string | undefined
  /** The change in a line. */
  readonly change: string
  /** The engine's own id of this version, if it has one. */
  readonly engineVersion: string | undefined
  readonly isDeletion: boolean
}

/** Versions, newest first; `next` is the cursor to older ones. */
export interface Versions {
  readonly data: ReadonlyArray<Version>
  /** Versions in commits that people have made or merged beside them: they change the history alone. */
  readonly byPeople: ReadonlyArray<Version>
  readonly next: string | undefined
}

/** A fault in the recording of the history. */
interface Problem {
  readonly message: string
  /** Whether everything is recorded, and only the work tree lags behind. */
  readonly isRecorded: boolean
}

/** Something that an instance shows and the history cannot hold. */
export interface SetAside {
  /** Its id, quoted and truncated. */
  readonly id: string
  readonly problem: string
}

/** The history of the workflows of one instance. Only reading from it makes the caller wait. */
export interface InstanceHistory {
  readonly isKept: boolean
  /** Whether the workflow is recorded, so that its state before a change need not be read first. */
  readonly isRecorded: (id: string) => Effect.Effect<boolean>
  /** The ids of all workflows that are recorded. */
  readonly recordedIds: Effect.Effect<ReadonlyArray<string>, HistoryError>
  /** The moment now, for what is asked next. */
  readonly mark: Effect.Effect<Mark>
  /** Workflows were read, and some were found missing. */
  readonly recordReading: (
    reading: Mark & {
      readonly workflows?: ReadonlyArray<JsonObject>
      readonly gone?: ReadonlyArray<string>
    }
  ) => Effect.Effect<void>
  readonly recordChange: (change: Change) => Effect.Effect<void>
  readonly recordNames: (listed: NamedThings) => Effect.Effect<void>
  /** A list as of a commit; empty where none was kept. */
  readonly listAt: (version: string, list: KeptList) => Effect.Effect<ReadonlyArray<JsonObject>, VersionError>
  /** All workflows as they are recorded, by id: what is to be kept of each. */
  readonly all: <A>(keep: (record: JsonObject) => A) => Effect.Effect<ReadonlyMap<string, A>, HistoryError>
  /** The same as of a commit; of some of them where ids are given. */
  readonly allAt: <A>(
    version: string,
    keep: (record: JsonObject) => A,
    ids?: ReadonlySet<string>
  ) => Effect.Effect<ReadonlyMap<string, A>, VersionError>
  /** Whether the workflows of the instance, or that it had none, had been recorded by a commit. */
  readonly isRecordedAt: (version: string) => Effect.Effect<boolean, VersionError>
  /** The changes that were recorded since the last backup. */
  readonly sinceBackup: Effect.Effect<ChangesSinceBackup, HistoryError>
  /** The changes that were made since a moment, in milliseconds since 1970, as they were recorded up to a version. */
  readonly changes: (range: {
    readonly since?: number | undefined
    readonly version?: string | undefined
  }) => Effect.Effect<RecordedChanges, VersionError>
  /** A backup is complete; `words` describe it. */
  readonly backedUp: (words: string) => Effect.Effect<void>
  /** Waits, not for long, until everything so far is recorded. */
  readonly flushed: Effect.Effect<void>
  /** The same for callers that depend on it, and wait longer. */
  readonly drained: Effect.Effect<void>
  /** Records all readings made meanwhile as one. */
  readonly together: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The present fault in the recording. */
  readonly problem: Effect.Effect<Problem | undefined>
  /** The things of the instance that are not recorded, as nothing else would be otherwise. */
  readonly setAside: Effect.Effect<ReadonlyArray<SetAside>>
  readonly versions: (
    id: string,
    page: { readonly limit: number; readonly after?: string | undefined }
  ) => Effect.Effect<Versions, VersionError>
  /** The ids of recorded workflows that have a name, or had it when they were deleted. */
  readonly idsNamed: (name: string) => Effect.Effect<ReadonlyArray<string>, VersionError>
  /** The workflow after a change, or `before` it; undefined if it did not exist. */
  readonly read: (
    id: string,
    version: string,
    side: "after" | "before"
  ) => Effect.Effect<JsonObject | undefined, VersionError>
}

/**
 * The makers of a version of a workflow, and of those between it and an earlier one, as far as the engine tells quickly.
 * Undefined if it does not.
 */
export type Authors = (id: string, since: string, until: string) => Effect.Effect<string | undefined>

/** Keeps nothing. */
export const noHistory: InstanceHistory = {
  isKept: false,
  isRecorded: () => Effect.succeed(true),
  recordedIds: Effect.succeed([]),
  mark: Effect.succeed({ since: 0 }),
  recordReading: () => Effect.void,
  recordChange: () => Effect.void,
  recordNames: () => Effect.void,
  listAt: () => Effect.succeed([]),
  all: () => Effect.succeed(new Map()),
  allAt: () => Effect.succeed(new Map()),
  isRecordedAt: () => Effect.succeed(false),
  sinceBackup: Effect.succeed({ when: undefined, version: undefined, changes: [] }),
  changes: () => Effect.succeed({ version: undefined, changes: [] }),
  backedUp: () => Effect.void,
  flushed: Effect.void,
  drained: Effect.void,
  together: (self) => self,
  problem: Effect.undefined,
  setAside: Effect.succeed([]),
  versions: () => Effect.succeed({ data: [], byPeople: [], next: undefined }),
  idsNamed: () => Effect.succeed([]),
  read: () => Effect.undefined
}

/** Keeps former states of workflows. By default nothing is kept. `secrets` never get into it. */
export const History = Context.Reference<{
  readonly of: (instance: string, secrets: ReadonlyArray<string>, authors: Authors) => InstanceHistory
}>("workflow-tool-server/engine/History", { defaultValue: () => ({ of: () => noHistory }) })
