import { Context, Effect, Layer, Ref, Schema } from "effect"

import { Journal } from "../embedded/engine/store/Journal.ts"
import { PlanStoreFailed } from "../marketplace/plan/PlanError.ts"
import { Entry, PlanStore } from "../marketplace/plan/PlanStore.ts"
import * as FileJournal from "./FileJournal.ts"

const Line = Schema.fromJsonString(Entry)

const failed = Effect.mapError((error: { readonly message: string }) => new PlanStoreFailed({ problem: error.message }))

const make = Effect.fnUntraced(function* (file: string) {
  const journal = Context.get(yield* failed(Layer.build(FileJournal.layer(file))), Journal)
  const lines = yield* failed(journal.entries)
  const kept = yield* Ref.make(yield* failed(Effect.forEach(lines, (line) => Schema.decodeEffect(Line)(line))))

  const append = Effect.fnUntraced(function* (entry: Entry) {
    yield* failed(Effect.flatMap(Schema.encodeEffect(Line)(entry), journal.append))
    yield* Ref.update(kept, (entries) => [...entries, entry])
  }, Effect.uninterruptible)

  return PlanStore.of({ append, entries: Ref.get(kept) })
})

/** Plans, progress and audit trail in a file of JSON lines, on the disk before anything is sent. */
export const layer = (file: string): Layer.Layer<PlanStore, PlanStoreFailed> => Layer.effect(PlanStore, make(file))
