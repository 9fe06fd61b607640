import { Effect, Layer, Ref, Schema } from "effect"

import { PlanStoreFailed } from "../../marketplace/apply/PlanError.ts"
import { Entry, PlanStore } from "../../marketplace/apply/PlanStore.ts"
import * as LineFile from "../LineFile.ts"
import { LineFileError } from "../LineFileError.ts"

const Line = Schema.fromJsonString(Entry)

const failed = Effect.mapError((error: { readonly message: string }) => new PlanStoreFailed({ problem: error.message }))

export const make = Effect.fnUntraced(function* (name: string) {
  const file = yield* LineFile.make(name)
  const kept = yield* Ref.make(yield* Effect.forEach(yield* file.lines, (line, index) => readLine(name, line, index)))

  const append = Effect.fnUntraced(function* (entry: Entry) {
    yield* failed(Effect.flatMap(Schema.encodeEffect(Line)(entry), file.append))
    yield* Ref.update(kept, (entries) => [...entries, entry])
  }, Effect.uninterruptible)

  return PlanStore.of({ append, entries: Ref.get(kept) })
})

const readLine = (file: string, line: string, index: number) =>
  Effect.mapError(
    Schema.decodeEffect(Line)(line),
    () =>
      new LineFileError({
        message:
          `line ${index + 1} of ${file} is no entry of this journal. Look at it, then take it out, or move the file ` +
          "away to begin a new one: plans that were begun are in it"
      })
  )

/** Plans, progress and audit trail in a file of JSON lines, on the disk before anything is sent. */
export const layer = (file: string): Layer.Layer<PlanStore, PlanStoreFailed> =>
  Layer.effect(PlanStore, failed(make(file)))
