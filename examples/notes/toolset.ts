import { Effect } from "effect"
import type { Toolset } from "workflow-tool-server/mcp"

import { Notes } from "./Notes.ts"
import type { NotesPlans } from "./plans.ts"
import { noteTools } from "./tools.ts"

export const NotesToolset: Toolset.Toolset<Notes | NotesPlans> = {
  name: "notes",
  instructions: "These tools keep notes in folders. Whole folders are moved by a plan (plan_note_moves).",
  data: ["notes"],
  tools: noteTools,
  check: Notes.use(({ list }) => list).pipe(
    Effect.match({
      onFailure: ({ message }) => [{ fine: false, words: message }],
      onSuccess: (notes) => [{ fine: true, words: `The notes service answers: ${notes.length} notes.` }]
    })
  )
}
