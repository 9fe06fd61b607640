import { Clock, Context, Effect, Layer, Ref, Schema, Semaphore } from "effect"

import {
  type Change,
  Changes,
  type CredentialRecord,
  type DataTableRecord,
  type ExecutionRecord,
  type Owner,
  type RowRecord,
  type SavedVersion,
  type TagRecord,
  type ThingRecord,
  type WorkflowRecord
} from "./records.ts"
import { freshId, freshUuid, now } from "./values.ts"

/** The journal could not be read or written; nothing of a refused entry is kept. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  message: Schema.String
}) {}

/** An append-only list of single-line texts that outlives the process; the command also uses one for the marketplace's plans. */
export class Journal extends Context.Service<
  Journal,
  {
    /** All entries in order, without one that was cut off while it was written. */
    readonly entries: Effect.Effect<ReadonlyArray<string>, JournalError>
    /** Adds one entry; it is durable when this completes. */
    readonly append: (entry: string) => Effect.Effect<void, JournalError>
    /** Atomically replaces all entries by these. */
    readonly replace: (entries: ReadonlyArray<string>) => Effect.Effect<void, JournalError>
  }
>()("workflow-tool-server/embedded/engine/store/Journal") {
  /** Keeps nothing. */
  static readonly none = Journal.of({
    entries: Effect.succeed([]),
    append: () => Effect.void,
    replace: () => Effect.void
  })
  static readonly layerNone = Layer.succeed(Journal, Journal.none)
}

/** All records of the engine, for reading. */
export interface Tables {
  readonly owner: Owner
  readonly workflows: ReadonlyMap<string, WorkflowRecord>
  /** The versions of each workflow, the oldest first, where the engine keeps them. */
  readonly versions: ReadonlyMap<string, ReadonlyArray<SavedVersion>>
  readonly tags: ReadonlyMap<string, TagRecord>
  readonly credentials: ReadonlyMap<string, CredentialRecord>
  readonly executions: ReadonlyMap<number, ExecutionRecord>
  readonly things: ReadonlyMap<string, ThingRecord>
  readonly dataTables: ReadonlyMap<string, DataTableRecord>
  /** The rows of each data table by their ids, in ascending order. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<number, RowRecord>>
  /** The highest ids given out so far; none is used twice. */
  readonly counters: { readonly execution: number; readonly publication: number }
}

/** The engine's records, in memory, with every change written to the journal first. */
export class Store extends Context.Service<
  Store,
  {
    /** Whether nothing had been written before this start. */
    readonly isNew: boolean
    /** The present records; they change with every commit. */
    readonly tables: Tables
    /** Makes changes durable, then visible, together; call it within `exclusive`. A journal that cannot be written is a defect. */
    readonly commit: (...changes: ReadonlyArray<Change>) => Effect.Effect<void>
    /** Runs one effect at a time, for reading first and committing then. */
    readonly exclusive: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("workflow-tool-server/embedded/engine/store/Store") {
  static readonly layer = Layer.effect(
    Store,
    Effect.gen(function* () {
      const journal = yield* Journal
      const gate = yield* Semaphore.make(1)
      const { apply, changes, tables } = makeTables()

      const entries = yield* journal.entries
      for (const [index, entry] of entries.entries()) {
        for (const change of yield* decode(entry, index)) apply(change)
      }
      for (const change of yield* startChanges(tables)) apply(change)
      const written = yield* Ref.make(entries.length)

      /** Compacts the journal once most of its entries are outdated; this many entries are not worth it. */
      const compact = Effect.fnUntraced(function* (negligible: number) {
        const all = changes()
        if ((yield* Ref.get(written)) <= 2 * all.length + negligible) return
        yield* journal.replace(yield* Effect.forEach(all, (change) => encode([change])))
        yield* Ref.set(written, all.length)
      })
      yield* entries.length === 0 ? journal.replace([yield* encode(changes())]) : compact(0)

      const isKept = journal !== Journal.none
      const commit = Effect.fnUntraced(function* (...changes: ReadonlyArray<Change>) {
        if (isKept) yield* Effect.orDie(journal.append(yield* encode(changes)))
        for (const change of changes) apply(change)
        if (!isKept) return
        yield* Ref.update(written, (before) => before + 1)
        yield* Effect.ignore(compact(1000))
      }, Effect.uninterruptible)

      return Store.of({ isNew: entries.length === 0, tables, commit, exclusive: (self) => gate.withPermit(self) })
    })
  )
}

/** Empty tables, and how to apply changes to them in the order in which they were made. */
const makeTables = () => {
  const workflows = new Map<string, WorkflowRecord>()
  const versions = new Map<string, ReadonlyArray<SavedVersion>>()
  const tags = new Map<string, TagRecord>()
  const credentials = new Map<string, CredentialRecord>()
  const executions = new Map<number, ExecutionRecord>()
  const things = new Map<string, ThingRecord>()
  const dataTables = new Map<string, DataTableRecord>()
  const rows = new Map<string, Map<number, RowRecord>>()
  const tables = {
    owner: { userId: "", projectId: "", createdAt: "" },
    workflows,
    versions,
    tags,
    credentials,
    executions,
    things,
    dataTables,
    rows,
    counters: { execution: 0, publication: 0 }
  }

  const apply = (change: Change): void => {
    if ("workflow" in change) workflows.set(change.workflow.id, change.workflow)
    else if ("savedVersion" in change) {
      const { savedVersion } = change
      versions.set(savedVersion.workflowId, [...(versions.get(savedVersion.workflowId) ?? []), savedVersion])
    } else if ("execution" in change) executions.set(change.execution.id, change.execution)
    else if ("thing" in change) things.set(change.thing.id, change.thing)
    else if ("removedThing" in change) things.delete(change.removedThing)
    else if ("tag" in change) tags.set(change.tag.id, change.tag)
    else if ("credential" in change) credentials.set(change.credential.id, change.credential)
    else if ("counters" in change) tables.counters = change.counters
    else if ("owner" in change) tables.owner = change.owner
    else if ("dataTable" in change) {
      dataTables.set(change.dataTable.id, change.dataTable)
      if (!rows.has(change.dataTable.id)) rows.set(change.dataTable.id, new Map())
    } else if ("rows" in change) for (const row of change.rows) rows.get(change.rowsOf)?.set(row.id, row)
    else if ("removedRows" in change) for (const id of change.removedRows) rows.get(change.rowsOf)?.delete(id)
    else if ("removedDataTable" in change) {
      dataTables.delete(change.removedDataTable)
      rows.delete(change.removedDataTable)
    } else if ("removedWorkflow" in change) {
      workflows.delete(change.removedWorkflow)
      versions.delete(change.removedWorkflow)
    } else if ("removedTag" in change) tags.delete(change.removedTag)
    else if ("removedCredential" in change) credentials.delete(change.removedCredential)
    else executions.delete(change.removedExecution)
  }

  /** The changes that would make empty tables equal to these. */
  const changes = (): ReadonlyArray<Change> => [
    { owner: tables.owner },
    { counters: tables.counters },
    ...[...tags.values()].map((tag) => ({ tag })),
    ...[...credentials.values()].map((credential) => ({ credential })),
    ...[...workflows.values()].map((workflow) => ({ workflow })),
    ...[...versions.values()].flat().map((savedVersion) => ({ savedVersion })),
    ...[...executions.values()].map((execution) => ({ execution })),
    ...[...things.values()].map((thing) => ({ thing })),
    ...[...dataTables.values()].map((dataTable) => ({ dataTable })),
    ...[...rows].map(([rowsOf, some]) => ({ rowsOf, rows: [...some.values()] }))
  ]

  const view: Tables = tables
  return { tables: view, apply, changes }
}

const encode = (changes: ReadonlyArray<Change>) => Effect.orDie(Schema.encodeEffect(Changes)(changes))

const decode = (entry: string, index: number) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Changes)(entry),
    () => new JournalError({ message: `Entry ${index + 1} of the embedded engine's journal cannot be read.` })
  )

/** The changes of a start: an owner when there is none yet, and the end of executions that a crash interrupted. */
const startChanges = Effect.fnUntraced(function* ({ executions, owner }: Tables) {
  const moment = yield* Clock.currentTimeMillis
  const owned: ReadonlyArray<Change> =
    owner.userId === ""
      ? [{ owner: { userId: yield* freshUuid, projectId: yield* freshId, createdAt: yield* now } }]
      : []
  const interrupted: ReadonlyArray<Change> = [...executions.values()]
    .filter(({ status }) => status === "running")
    .map((execution) => ({ execution: { ...execution, status: "crashed", stoppedAt: moment } }))
  return [...owned, ...interrupted]
})
