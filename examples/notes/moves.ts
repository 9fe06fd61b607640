import { Schema } from "effect"
import type { Draft } from "workflow-tool-server/changes"

import type { NoteLine } from "./Note.ts"

/** A change of these plans: a note goes from one folder to another. */
export const Move = Schema.Struct({
  note: Schema.String,
  title: Schema.String,
  before: Schema.String,
  after: Schema.String
})
export type Move = typeof Move.Type

export const idOf = ({ note }: Move): string => `move ${note}`

export const invert = (move: Move): ReadonlyArray<Move> => [{ ...move, before: move.after, after: move.before }]

/** The moves of all notes of a folder to another; those that are locked stay. */
export const planMoves = (notes: ReadonlyArray<NoteLine>, from: string, to: string): Draft<Move> => {
  const there = notes.filter(({ folder }) => folder === from && from !== to)
  return {
    kind: "moves",
    steps: there
      .filter(({ locked }) => !locked)
      .map(({ id, title }) => {
        const change = { note: id, title, before: from, after: to }
        return { id: idOf(change), change, reason: "asked for", undo: invert(change) }
      }),
    blocked: there
      .filter(({ locked }) => locked)
      .map(({ id, title }) => ({ what: `move ${id}`, reason: `the note "${title}" is locked`, later: true })),
    warnings: []
  }
}
