import { Effect, Schema } from "effect"
import { summary, summaryFields } from "workflow-tool-server/changes"
import { Annotations, optional, text, Tool } from "workflow-tool-server/mcp"

import { refusal } from "./errors.ts"
import { planMoves } from "./moves.ts"
import { Note, NoteLine } from "./Note.ts"
import { Notes } from "./Notes.ts"
import { NotesPlans } from "./plans.ts"

const orRefuse = Effect.mapError(refusal)

const listNotes = Tool.make("list_notes", {
  title: "List notes",
  description: "List notes without their texts, of one folder or of all",
  annotations: Annotations.reads,
  arguments: { folder: optional(text("Only the notes in this folder")) },
  result: Schema.Struct({ notes: Schema.Array(NoteLine) }),
  run: ({ folder }) =>
    Notes.use(({ list }) => list).pipe(
      Effect.map((notes) => ({ notes: notes.filter((note) => folder === undefined || note.folder === folder) })),
      orRefuse
    )
})

const id = text("Id of the note, from list_notes")

const getNote = Tool.make("get_note", {
  title: "Get note",
  description: "Read one note",
  annotations: Annotations.reads,
  arguments: { id },
  result: Note,
  run: ({ id }) => orRefuse(Notes.use((notes) => notes.get(id)))
})

const createNote = Tool.make("create_note", {
  title: "Create note",
  description: "Create a note",
  annotations: Annotations.creates,
  arguments: { title: text("Title"), text: text("Text"), folder: text("Folder") },
  result: Note,
  run: (fields) => orRefuse(Notes.use((notes) => notes.create(fields)))
})

const updateNote = Tool.make("update_note", {
  title: "Update note",
  description: "Change the title or the text of a note; what is left out stays",
  annotations: Annotations.changes,
  arguments: { id, title: optional(text("New title")), text: optional(text("New text")) },
  result: Note,
  run: ({ id, ...fields }) => orRefuse(Notes.use((notes) => notes.update(id, fields)))
})

const place = Schema.Struct({ title: Schema.String, folder: Schema.String })

const planNoteMoves = Tool.make("plan_note_moves", {
  title: "Plan moves of notes",
  description: "Plan to move all notes of a folder to another. Changes nothing; apply_plan applies it",
  annotations: Annotations.reads,
  arguments: { from: text("Folder that they are in"), to: text("Folder that they go to") },
  result: Schema.Struct(summaryFields(Schema.Literal("moves"), place)),
  run: Effect.fn("plan_note_moves")(function* ({ from, to }) {
    const plans = yield* NotesPlans
    const notes = yield* Notes.use(({ list }) => list)
    return yield* summary(plans.describing, yield* plans.keep(planMoves(notes, from, to)))
  }, orRefuse)
})

export const noteTools = [listNotes, getNote, createNote, updateNote, planNoteMoves]
