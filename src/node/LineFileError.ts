import { Schema } from "effect"

/** The file could not be opened, read or written; nothing of the refused lines counts as written. */
export class LineFileError extends Schema.TaggedError<LineFileError>()("LineFileError", {
  message: Schema.String,
  /** Whether the only obstacle is that another process has the file just now. */
  inUse: Schema.optionalKey(Schema.Boolean)
}) {}
