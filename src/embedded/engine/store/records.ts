import { Schema } from "effect"

import { Free } from "../../../engine/Workflow.ts"

const Millis = Schema.Finite

/** The one user whom everything belongs to, with the personal project. */
export const Owner = Schema.Struct({ userId: Schema.String, projectId: Schema.String, createdAt: Schema.String })
export type Owner = typeof Owner.Type

export const TagRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type TagRecord = typeof TagRecord.Type

/** What is kept of a credential. Its values are checked and dropped: nothing here would ever use them. */
export const CredentialRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type CredentialRecord = typeof CredentialRecord.Type

/** The nodes and connections that run, which after a refused update are not the ones that are saved. */
export const Published = Schema.Struct({
  versionId: Schema.String,
  nodes: Schema.Array(Free),
  connections: Free,
  createdAt: Schema.String,
  /** From when on its triggers are listened to. */
  listensAt: Millis
})
export type Published = typeof Published.Type

/** One switching on or off of a version. */
export const Publication = Schema.Struct({
  id: Schema.Int,
  versionId: Schema.String,
  event: Schema.Literals(["activated", "deactivated"]),
  createdAt: Schema.String
})
export type Publication = typeof Publication.Type

export const WorkflowRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  isArchived: Schema.Boolean,
  nodes: Schema.Array(Free),
  connections: Free,
  settings: Free,
  staticData: Schema.Unknown,
  pinData: Schema.Unknown,
  tagIds: Schema.Array(Schema.String),
  versionId: Schema.String,
  versionCounter: Schema.Int,
  triggerCount: Schema.Int,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  published: Schema.NullOr(Published),
  publications: Schema.Array(Publication),
  /** Until when a 2.x engine is busy switching it off. */
  busyUntil: Millis
})
export type WorkflowRecord = typeof WorkflowRecord.Type
