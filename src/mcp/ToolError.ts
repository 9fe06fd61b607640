import { Match, Schema } from "effect"

/** The error of a tool, a resource or a prompt, in words and data for the caller. Every toolset makes its own. */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  /** The side that can resolve it. */
  blame: Schema.Literals(["caller", "upstream"]),
  /** The toolset's code for this kind of failure. */
  code: Schema.String,
  message: Schema.String,
  /** The end of the message that is advice to a model: the tool to call next. */
  advice: Schema.optionalKey(Schema.String),
  /** Further data for programs; no secrets. */
  details: Schema.Record(Schema.String, Schema.Unknown)
}) {}

/** The fields of a typed error as a tool's details, without those that every error has. */
export const detailsOf = (error: object): ToolError["details"] =>
  Object.fromEntries(Object.entries(error).filter(([name]) => !inEveryError.includes(name)))

const inEveryError: ReadonlyArray<string> = ["_tag", "cause", "isOutcomeUnknown", "message", "name", "stack"]

/** An argument is missing, unknown, of the wrong type or out of range. Nothing was sent. */
export class InvalidArgument extends Schema.TaggedError<InvalidArgument>()("InvalidArgument", {
  argument: Schema.String,
  problem: Schema.String,
  /** Advice to a model that follows the problem, with the sign between both. */
  advice: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `Invalid ${this.argument}: ${this.problem}${this.advice ?? ""}`
  }
}

/** The complete answer would be larger than the server may send; it is never truncated. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  bytes: Schema.Int,
  limit: Schema.Int,
  advice: Schema.String,
  /** Whether it was measured only in part. */
  orMore: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `The answer is ${this.bytes} bytes${this.orMore === true ? " or more" : ""}, more than the limit of ${this.limit}. ${this.advice}`
  }
}

/** The answer is nested too deeply for JSON, or too long for a string. */
export class AnswerUnwritable extends Schema.TaggedError<AnswerUnwritable>()("AnswerUnwritable", {
  advice: Schema.String
}) {
  override get message() {
    return `The answer cannot be written as JSON: it is nested too deep or too large. ${this.advice}`
  }
}

/** All failures of a tool: those made by its toolset, and those found around its program. */
export type ToolFailure = AnswerTooLarge | AnswerUnwritable | InvalidArgument | ToolError

/** The message of an error without the advice to a model at its end. */
export const factsOf = ({ advice, message }: { readonly message: string; readonly advice?: string }): string =>
  advice === undefined || !message.endsWith(advice) ? message : message.slice(0, -advice.length).trimEnd()

/** A failure as a person is told of it, who has buttons where a model has tools. */
export const withoutAdvice = (failure: ToolFailure): ToolFailure => {
  if (failure._tag === "InvalidArgument") {
    const { argument, problem } = failure
    return new InvalidArgument({ argument, problem })
  }
  if (failure._tag !== "ToolError") return failure
  const { blame, code, details } = failure
  return new ToolError({ blame, code, details, message: factsOf(failure) })
}

/** A failure without its message. */
export type Rendered = Pick<ToolError, "blame" | "code" | "details">

/** The side to blame, the code of the failure, and its data. */
export const render: (failure: ToolFailure) => Rendered = Match.type<ToolFailure>().pipe(
  Match.withReturnType<Rendered>(),
  Match.tagsExhaustive({
    ToolError: ({ blame, code, details }) => ({ blame, code, details }),
    InvalidArgument: ({ argument }) => ({ blame: "caller", code: "VALIDATION_ERROR", details: { argument } }),
    AnswerTooLarge: ({ bytes, limit }) => ({ blame: "upstream", code: "ANSWER_TOO_LARGE", details: { bytes, limit } }),
    AnswerUnwritable: () => ({ blame: "upstream", code: "ANSWER_UNWRITABLE", details: {} })
  })
)
