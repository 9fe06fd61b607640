import { Schema } from "effect"

/** A note without its text, as lists have it. */
export const NoteLine = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  folder: Schema.String,
  /** Whether somebody keeps it from being changed. */
  locked: Schema.Boolean
})
export type NoteLine = typeof NoteLine.Type

export const Note = Schema.Struct({ ...NoteLine.fields, text: Schema.String })
export type Note = typeof Note.Type

/** Fields of a note that callers set. */
export type NoteFields = Pick<Note, "folder" | "text" | "title">
