import { Data } from "effect"

/** The configuration cannot be used. The message names the place and what is expected there, never a key. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly message: string
}> {}
