import { Effect, Layer } from "effect"

import { Journal, JournalError } from "../engine/embedded/store/Journal.ts"
import * as LineFile from "./LineFile.ts"
import type { LineFileError } from "./LineFileError.ts"

/** The embedded engine's journal in a file, one entry per line. One process at a time: fails when another one has it. */
export const layer = (file: string): Layer.Layer<Journal, JournalError> => Layer.effect(Journal, make(file))

const make = Effect.fnUntraced(function* (file: string) {
  const { append, lines, replace } = yield* failed(LineFile.make(file))
  return Journal.of({
    entries: failed(lines),
    append: (entry) => failed(append(entry)),
    replace: (entries) => failed(replace(entries))
  })
})

const failed = Effect.mapError(({ message }: LineFileError) => new JournalError({ message }))
