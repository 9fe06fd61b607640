import { Schema } from "effect"

import { ExecutionStatus } from "../../../engine/Execution.ts"
import { Free } from "../../../engine/Workflow.ts"

/** One piece of data that travels from node to node. */
export const Item = Schema.Struct({ json: Free, pairedItem: Schema.optionalKey(Schema.Struct({ item: Schema.Int })) })
export type Item = typeof Item.Type

/** Where the input of a step came from: node, output and which of that node's runs. */
export const Source = Schema.Struct({ node: Schema.String, output: Schema.Int, run: Schema.Int })
export type Source = typeof Source.Type

export const Problem = Schema.Struct({ message: Schema.String, timestamp: Schema.Finite })
export type Problem = typeof Problem.Type

/** One run of one node. A failed one keeps its input, so that a retry can go on from there. */
export const Step = Schema.Struct({
  node: Schema.String,
  index: Schema.Int,
  startTime: Schema.Finite,
  executionTime: Schema.Finite,
  source: Schema.NullOr(Source),
  outputs: Schema.Array(Schema.Array(Item)),
  failure: Schema.NullOr(Schema.Struct({ problem: Problem, input: Schema.Array(Item) }))
})
export type Step = typeof Step.Type

/** The workflow as it ran. */
export const Snapshot = Schema.Struct({
  name: Schema.String,
  active: Schema.Boolean,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  versionId: Schema.String,
  nodes: Schema.Array(Free),
  connections: Free,
  settings: Free
})
export type Snapshot = typeof Snapshot.Type

export const ExecutionRecord = Schema.Struct({
  id: Schema.Int,
  workflowId: Schema.String,
  mode: Schema.Literals(["webhook", "retry", "trigger"]),
  status: ExecutionStatus,
  retryOf: Schema.NullOr(Schema.Int),
  retrySuccessId: Schema.NullOr(Schema.Int),
  startedAt: Schema.Finite,
  stoppedAt: Schema.NullOr(Schema.Finite),
  snapshot: Snapshot,
  steps: Schema.Array(Step)
})
export type ExecutionRecord = typeof ExecutionRecord.Type
