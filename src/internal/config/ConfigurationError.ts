import { Data } from "effect"

/** What was given to the server cannot work. The message names the place and what is expected there, never a key. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly message: string
}> {}
