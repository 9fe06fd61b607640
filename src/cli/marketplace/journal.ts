import { Layer } from "effect"

import { Entry, PlanJournal } from "../../marketplace/apply/Plans.ts"
import * as PlanJournalFile from "../PlanJournalFile.ts"

/** Plans, progress and audit log of campaigns in a file. */
export const layer = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(PlanJournal, PlanJournalFile.make(file, Entry))

/** The same file where nothing may be written. */
export const layerReading = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(PlanJournal, PlanJournalFile.makeReading(file, Entry))

/** Why the file cannot be written; nothing where it can, or another process only has it just now. */
export const problemWith = (file: string) => PlanJournalFile.problemWith(file, Entry)
