import { Context, Effect, Layer } from "effect"
import { type Driver, type Failure, Journal, Plans, PlanSource, type RemoteState } from "workflow-tool-server/changes"

import { refusal } from "./errors.ts"
import { idOf, invert, type Move } from "./moves.ts"
import type { NoteLine } from "./Note.ts"
import { Notes, type NotesError } from "./Notes.ts"

/** What the service shows of notes that are about to move, or have. */
const stateOf = (notes: ReadonlyArray<NoteLine>): RemoteState<Move> => {
  const byId = new Map(notes.map((note) => [note.id, note]))
  return {
    judge: ({ after, before, note }) => {
      const folder = byId.get(note)?.folder
      return folder === after ? "already" : folder === before ? "pending" : "drift"
    },
    obstacle: ({ note }) => (byId.get(note)?.locked === true ? "the note is locked" : undefined)
  }
}

const explain = ({ problem, reason }: NotesError): Failure => {
  if (reason === "OutcomeUnknown") return { _tag: "OutcomeUnknown", reason, problem }
  return reason === "NotFound" || reason === "Refused"
    ? { _tag: "Refused", problem, isWhole: false }
    : { _tag: "Stopped", reason, problem, isUnsent: true }
}

/** Folders of notes, for plans that change them. */
const driver = (notes: Notes["Service"]): Driver<Move, RemoteState<Move>, NotesError> => ({
  upstream: "the notes service",
  idOf,
  kindOf: () => "move",
  subjectOf: ({ note }) => note,
  describe: ({ after, before, title }) => ({ before: { title, folder: before }, after: { title, folder: after } }),
  invert,
  isRepeatable: () => true,
  readRemoteState: () => Effect.map(notes.list, stateOf),
  send: (moves) =>
    Effect.as(
      Effect.forEach(moves, ({ after, note }) => notes.update(note, { folder: after })),
      { refused: [] }
    ),
  explain
})

/** Plans of moves, kept as long as the process runs. */
export class NotesPlans extends Context.Service<NotesPlans, Plans.Plans<Move, NotesError>>()(
  "examples/notes/NotesPlans"
) {
  static readonly layer = Layer.effect(
    NotesPlans,
    Effect.gen(function* () {
      const journal = yield* Journal.inMemory<Move>()
      return yield* Plans.make({ driver: driver(yield* Notes), journal, planMinutes: 60 })
    })
  )
}

/** The same for the tools that show, apply and roll back plans. */
export const notesPlans = Effect.map(NotesPlans, (plans) => PlanSource.make(plans, refusal))
