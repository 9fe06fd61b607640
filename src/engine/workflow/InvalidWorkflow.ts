import { Schema } from "effect"

/** A rule about workflows is broken; found before anything is sent. The message is fixed by the contract. */
export class InvalidWorkflow extends Schema.TaggedError<InvalidWorkflow>()("InvalidWorkflow", {
  message: Schema.String,
  /** What is wrong in particular, where the contract fixes the whole message. */
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}) {}
