import { Layer } from "effect"

import { Entry, PlanJournal } from "../../marketplace/apply/Plans.ts"
import { Journals } from "../plans/PlanJournalFile.ts"

/** Plans, progress and audit log of campaigns. */
export const layer = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(
    PlanJournal,
    Journals.use(({ make }) => make(file, Entry))
  )

/** The same if nothing may be written. */
export const layerReading = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(
    PlanJournal,
    Journals.use(({ makeReading }) => makeReading(file, Entry))
  )

/** Why the file cannot be written; undefined if it can, or another process only uses it just now. */
export const problemWith = (file: string) => Journals.use((journals) => journals.problemWith(file, Entry))
