import { Schema } from "effect"

const id = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/, { message: "must be an id: letters, digits, - and _, at most 128" })
)

/** Identifies a workflow; safe as one segment of a path. */
export const WorkflowId = id.pipe(Schema.brand("WorkflowId"))
export type WorkflowId = typeof WorkflowId.Type

/** Identifies a credential; safe as one segment of a path. */
export const CredentialId = id.pipe(Schema.brand("CredentialId"))
export type CredentialId = typeof CredentialId.Type

/** Name of a kind of credential, such as `httpBasicAuth`; safe as one segment of a path. */
export const CredentialType = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/, { message: "must be a credential type such as httpBasicAuth" })
).pipe(Schema.brand("CredentialType"))
export type CredentialType = typeof CredentialType.Type

/** Identifies a tag; safe as one segment of a path. */
export const TagId = id.pipe(Schema.brand("TagId"))
export type TagId = typeof TagId.Type

/** Identifies an execution: engines count upwards from 1. */
export const ExecutionId = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { message: "must be a positive whole number" })
).pipe(Schema.brand("ExecutionId"))
export type ExecutionId = typeof ExecutionId.Type
