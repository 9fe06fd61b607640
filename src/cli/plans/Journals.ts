import { Context, type Effect } from "effect"

import type { Journal } from "../../changes/Journal.ts"
import type { KeptValues } from "../../internal/KeptValues.ts"
import * as ValueFile from "../files/valueFile.ts"
import * as PlanJournalFile from "./PlanJournalFile.ts"

/** Where journals of plans are stored: each in its file, unless several servers share them. */
export const Journals = Context.Reference<{
  readonly make: <C>(file: string, lines: PlanJournalFile.Lines<C>) => Effect.Effect<Journal<C>>
  /** The same journal if nothing may be written: plans are lost with the process. */
  readonly makeReading: <C>(file: string, lines: PlanJournalFile.Lines<C>) => Effect.Effect<Journal<C>>
  /** Values that are kept beside a journal: what they are worth is decided by whoever reads them. */
  readonly values: (file: string) => Effect.Effect<KeptValues>
  /** Why it cannot be written; undefined if it can. */
  readonly problemWith: <C>(file: string, lines: PlanJournalFile.Lines<C>) => Effect.Effect<string | undefined>
}>("workflow-tool-server/cli/Journals", {
  defaultValue: () => ({
    make: PlanJournalFile.make,
    makeReading: PlanJournalFile.makeReading,
    values: ValueFile.make,
    problemWith: PlanJournalFile.problemWith
  })
})
