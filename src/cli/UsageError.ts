import { Schema } from "effect"

/** The command was called with words or variables that it cannot use. One line, exit code 2. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}
