import { Schema } from "effect"

/** The engine says no: an HTTP status of 400 or more, and the words of its `message`. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  status: Schema.Int,
  message: Schema.String
}) {}

export const badRequest = (message: string) => new Refusal({ status: 400, message })

export const conflict = (message: string) => new Refusal({ status: 409, message })

/** Nothing has this id. */
export const notFound = (message = "Not Found") => new Refusal({ status: 404, message })
