import { Match, Schema } from "effect"

/** What a tool, a resource or a prompt failed with, in words and data for the caller. Every toolset renders its own errors. */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  /** Who can mend it. */
  blame: Schema.Literals(["caller", "upstream"]),
  /** The toolset's word for this kind of failure. */
  code: Schema.String,
  message: Schema.String,
  /** What a program may want to know besides; no secrets. */
  details: Schema.Record(Schema.String, Schema.Unknown)
}) {}

/** The fields of a typed error as a tool's details, but for those that every error has. */
export const detailsOf = (error: object): ToolError["details"] =>
  Object.fromEntries(Object.entries(error).filter(([name]) => !inEveryError.includes(name)))

const inEveryError: ReadonlyArray<string> = ["_tag", "cause", "isOutcomeUnknown", "message", "name", "stack"]

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
  advice: Schema.String,
  /** Whether it was not looked at to its end. */
  orMore: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `The answer is ${this.bytes} bytes${this.orMore === true ? " or more" : ""}, more than the limit of ${this.limit}. ${this.advice}`
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

/** Everything that a tool can fail with: what its toolset rendered, and what is found out around its program. */
export type ToolFailure = AnswerTooLarge | AnswerUnwritable | InvalidArgument | ToolError

/** A failure but for its message. */
export type Rendered = Pick<ToolError, "blame" | "code" | "details">

/** Whose move it is, the word for the kind of failure, and its data. */
export const render: (failure: ToolFailure) => Rendered = Match.type<ToolFailure>().pipe(
  Match.withReturnType<Rendered>(),
  Match.tagsExhaustive({
    ToolError: ({ blame, code, details }) => ({ blame, code, details }),
    InvalidArgument: ({ argument }) => ({ blame: "caller", code: "VALIDATION_ERROR", details: { argument } }),
    AnswerTooLarge: ({ bytes, limit }) => ({ blame: "upstream", code: "ANSWER_TOO_LARGE", details: { bytes, limit } }),
    AnswerUnwritable: () => ({ blame: "upstream", code: "ANSWER_UNWRITABLE", details: {} })
  })
)
