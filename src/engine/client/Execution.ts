import { Schema } from "effect"

import { open } from "../../internal/schema/openStruct.ts"
import { ExecutionId } from "./ids.ts"

/** The states an execution can be in; which of them a list can be filtered by differs between engines. */
export const ExecutionStatus = Schema.Literals([
  "canceled",
  "crashed",
  "error",
  "new",
  "running",
  "success",
  "unknown",
  "waiting"
])
export type ExecutionStatus = typeof ExecutionStatus.Type

/** One run of a workflow. Engines write its id as digits in some answers and as a number in others: here it is a number. */
export const Execution = open({
  id: Schema.Union([ExecutionId, Schema.NumberFromString.pipe(Schema.decodeTo(ExecutionId))]),
  status: Schema.optionalKey(Schema.String),
  /** The version of the workflow that ran; engines before 2 keep none. */
  workflowVersionId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  data: Schema.optionalKey(Schema.Unknown)
})
export type Execution = typeof Execution.Type
