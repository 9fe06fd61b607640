import { Schema } from "effect"

import type { ConfigurationError } from "../config/ConfigurationError.ts"
import type { EngineError } from "../engine/EngineError.ts"

/** An argument is missing, unknown, of the wrong type or out of range. Nothing was sent. */
export class InvalidArgument extends Schema.TaggedError<InvalidArgument>()("InvalidArgument", {
  argument: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `Invalid ${this.argument}: ${this.problem}`
  }
}

/** The whole answer would be larger than the server may send; it is never cut. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  bytes: Schema.Int,
  limit: Schema.Int,
  advice: Schema.String
}) {
  override get message() {
    return `The answer is ${this.bytes} bytes, more than the limit of ${this.limit}. ${this.advice}`
  }
}

/** The answer is nested deeper than can be written as JSON, or longer than any text. */
export class AnswerUnwritable extends Schema.TaggedError<AnswerUnwritable>()("AnswerUnwritable", {
  advice: Schema.String
}) {
  override get message() {
    return `The answer cannot be written as JSON: it is nested too deep or too large. ${this.advice}`
  }
}

/** A toolset beside the engine's own refuses; `code` is that toolset's word for the kind of refusal. */
export class ToolsetError extends Schema.TaggedError<ToolsetError>()("ToolsetError", {
  blame: Schema.Literals(["caller", "upstream"]),
  code: Schema.String,
  message: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown)
}) {}

/** Everything that a tool, a resource or a prompt can fail with. */
export type ToolError =
  | AnswerTooLarge
  | AnswerUnwritable
  | ConfigurationError
  | EngineError
  | InvalidArgument
  | ToolsetError
