import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"

import { type Change, Changes } from "./Change.ts"
import { freshId, freshUuid, now } from "./fresh.ts"
import { Journal, JournalError } from "./Journal.ts"
import * as Tables from "./Tables.ts"

/** The engine's records, in memory, with every change written to the journal first. */
export class Store extends Context.Service<
  Store,
  {
    /** Whether nothing had been written before this start. */
    readonly isNew: boolean
    /** The present records; it changes with every commit. */
    readonly tables: Tables.Tables
    /** Makes changes durable, then visible, together. A journal that cannot be written is a defect. */
    readonly commit: (...changes: ReadonlyArray<Change>) => Effect.Effect<void>
    /** Runs alone among everything that is exclusive, for reading first and committing then. */
    readonly exclusive: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("workflow-tool-server/embedded/engine/store/Store") {
  static readonly layer = Layer.effect(
    Store,
    Effect.gen(function* () {
      const journal = yield* Journal
      const gate = yield* Semaphore.make(1)
      const { apply, changes, tables } = Tables.make()

      const entries = yield* journal.entries
      for (const [index, entry] of entries.entries()) {
        for (const change of yield* decode(entry, index)) apply(change)
      }
      for (const change of yield* welcome(tables)) apply(change)
      const lines = yield* Effect.forEach(changes(), (change) => encode([change]))
      if (entries.length === 0 || entries.length > 2 * lines.length) yield* journal.replace(lines)

      const commit = (...changes: ReadonlyArray<Change>) =>
        encode(changes).pipe(
          Effect.flatMap(journal.append),
          Effect.orDie,
          Effect.andThen(Effect.sync(() => changes.forEach(apply))),
          Effect.uninterruptible
        )

      return Store.of({ isNew: entries.length === 0, tables, commit, exclusive: (self) => gate.withPermit(self) })
    })
  )
}

const encode = (changes: ReadonlyArray<Change>) => Effect.orDie(Schema.encodeEffect(Changes)(changes))

const decode = (entry: string, index: number) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Changes)(entry),
    () => new JournalError({ message: `Entry ${index + 1} of the embedded engine's journal cannot be read.` })
  )

/** What a first start makes, and what a start after a crash puts right: nothing of before is running any more. */
const welcome = Effect.fnUntraced(function* ({ executions, owner }: Tables.Tables) {
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
