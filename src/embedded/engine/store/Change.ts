import { Schema } from "effect"

import { ExecutionRecord } from "./ExecutionRecord.ts"
import { CredentialRecord, Owner, TagRecord, WorkflowRecord } from "./records.ts"

/** One record written or removed. What is changed together is one entry of the journal, and so happens wholly or not. */
export const Change = Schema.Union([
  Schema.Struct({ owner: Owner }),
  Schema.Struct({ workflow: WorkflowRecord }),
  Schema.Struct({ tag: TagRecord }),
  Schema.Struct({ credential: CredentialRecord }),
  Schema.Struct({ execution: ExecutionRecord }),
  Schema.Struct({ counters: Schema.Struct({ execution: Schema.Int, publication: Schema.Int }) }),
  Schema.Struct({ removedWorkflow: Schema.String }),
  Schema.Struct({ removedTag: Schema.String }),
  Schema.Struct({ removedCredential: Schema.String }),
  Schema.Struct({ removedExecution: Schema.Int })
])
export type Change = typeof Change.Type

/** The changes of one entry, as one line of JSON. */
export const Changes = Schema.fromJsonString(Schema.Array(Change))
