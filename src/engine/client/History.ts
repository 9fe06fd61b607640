import { Context, Effect, Schema } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Call } from "../../mcp/Caller.ts"

/** The history could not be read. */
export class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", { message: Schema.String }) {}

/** The history can be read, and has no such version. */
export class UnknownVersion extends Schema.TaggedError<UnknownVersion>()("UnknownVersion", {
  version: Schema.String
}) {}

/** Something that was changed through this server. */
export interface Change {
  /** Who changed it with what, as far as that is known. */
  readonly origin: Call
  /** Milliseconds since 1970. */
  readonly at: number
  readonly id: string
  /** What the workflow was just before, as far as the change itself showed it. */
  readonly before?: JsonObject | undefined
  /** The fields that such a change can change, where it did not show what was before. */
  readonly touched?: ReadonlyArray<string>
  /** What it is now. It may have to be read from the engine. */
  readonly after: Effect.Effect<After>
}

/** What a change led to; `Unknown` where that could not be found out. */
export type After =
  | { readonly _tag: "Present"; readonly seen: JsonObject }
  | { readonly _tag: "Deleted" }
  | { readonly _tag: "Unknown" }

/** Something of a list that the history keeps beside the workflows: never more than names, and no value of a credential. */
export interface Listed {
  readonly list: "tags" | "credentials"
  /** All there are, where they were read; else what was made or changed, and what is gone. */
  readonly all?: ReadonlyArray<JsonObject>
  readonly put?: JsonObject
  readonly gone?: string
  readonly origin?: Call
}

/** A workflow that somebody changed, as a commit tells it. */
export interface Drift extends Omit<Version, "engineVersion" | "call"> {
  readonly id: string
  readonly name: string
}

/** What was recorded of an instance since a backup of it. */
export interface Since {
  /** When that backup was; nothing where there was none. */
  readonly when: string | undefined
  /** Newest first. */
  readonly changes: ReadonlyArray<Drift>
}

/** One version of a workflow in the history. */
export interface Version {
  /** Names it; it is the state after this change. */
  readonly version: string
  /** ISO 8601. */
  readonly when: string
  readonly by: string
  readonly tool: string | undefined
  readonly reason: string | undefined
  /** Changes that one call of a tool has made have the same one. */
  readonly call: string | undefined
  /** What changed, in a line. */
  readonly change: string
  /** The engine's own name of this version, where it has one. */
  readonly engineVersion: string | undefined
  readonly isDeletion: boolean
}

/** Versions, newest first; `next` leads to older ones. */
export interface Versions {
  readonly data: ReadonlyArray<Version>
  readonly next: string | undefined
}

/** What is wrong with the keeping of the history. */
export interface Problem {
  readonly message: string
  /** Whether all is recorded nevertheless, and only the work tree lags behind. */
  readonly isRecorded: boolean
}

/** The history of the workflows of one instance. Nothing of it but reading keeps the caller waiting. */
export interface InstanceHistory {
  readonly isKept: boolean
  /** Whether anything is known of a workflow, so that what it was before a change of it is recorded already. */
  readonly knows: (id: string) => Effect.Effect<boolean>
  /** Workflows were read, and some were found not to be there. */
  readonly saw: (workflows: ReadonlyArray<JsonObject>, gone?: ReadonlyArray<string>) => Effect.Effect<void>
  readonly wrote: (change: Change) => Effect.Effect<void>
  /** Tags and credentials: names only. */
  readonly listed: (listed: Listed) => Effect.Effect<void>
  /** All workflows as they are recorded. */
  readonly all: Effect.Effect<ReadonlyMap<string, JsonObject>, HistoryError>
  /** The same as of a commit. */
  readonly allAt: (version: string) => Effect.Effect<ReadonlyMap<string, JsonObject>, HistoryError | UnknownVersion>
  /** What was recorded since the last backup. */
  readonly sinceBackup: Effect.Effect<Since, HistoryError>
  /** A backup is complete; `words` say of what. */
  readonly backedUp: (words: string) => Effect.Effect<void>
  /** Waits, not for long, until what happened so far is recorded. */
  readonly flushed: Effect.Effect<void>
  /** The same for who cannot do without it, and waits longer. */
  readonly drained: Effect.Effect<void>
  /** Many readings that are to be recorded as one. */
  readonly together: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What is wrong with the keeping of the history now. */
  readonly problem: Effect.Effect<Problem | undefined>
  readonly versions: (
    id: string,
    page: { readonly limit: number; readonly after?: string | undefined }
  ) => Effect.Effect<Versions, HistoryError | UnknownVersion>
  /** The workflow as it was after a change, or `before` it; nothing where it did not exist. */
  readonly read: (
    id: string,
    version: string,
    side: "after" | "before"
  ) => Effect.Effect<JsonObject | undefined, HistoryError | UnknownVersion>
}

/**
 * Who made a version of a workflow, and those between it and an earlier one, as far as the engine tells within moments.
 * Nothing where it does not.
 */
export type Authors = (id: string, since: string, until: string) => Effect.Effect<string | undefined>

/** Keeps nothing. */
export const noHistory: InstanceHistory = {
  isKept: false,
  knows: () => Effect.succeed(true),
  saw: () => Effect.void,
  wrote: () => Effect.void,
  listed: () => Effect.void,
  all: Effect.succeed(new Map<string, JsonObject>()),
  allAt: () => Effect.succeed(new Map<string, JsonObject>()),
  sinceBackup: Effect.succeed({ when: undefined, changes: [] }),
  backedUp: () => Effect.void,
  flushed: Effect.void,
  drained: Effect.void,
  together: (self) => self,
  problem: Effect.undefined,
  versions: () => Effect.succeed({ data: [], next: undefined }),
  read: () => Effect.undefined
}

/** Keeps what workflows were. By default nobody does. `secrets` never get into it. */
export const History = Context.Reference<{
  readonly of: (instance: string, secrets: ReadonlyArray<string>, authors: Authors) => InstanceHistory
}>("workflow-tool-server/engine/History", { defaultValue: () => ({ of: () => noHistory }) })
