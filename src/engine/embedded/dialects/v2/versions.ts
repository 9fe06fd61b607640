import { Effect } from "effect"
import { Base64 } from "effect/encoding"

import { Dialect, type Handler, ok } from "../../api/Dialect.ts"
import { findWorkflow } from "../../api/workflowReads.ts"
import type { SavedVersion, WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { notFound } from "../../wire/http.ts"
import { byOffset } from "../../wire/query.ts"
import { ownerName } from "../viewParts.ts"

/** All versions of a workflow, oldest first; for one from before versions existed, its current state. */
const versionsOf = Effect.fnUntraced(function* ({
  connections,
  id,
  nodeGroups = [],
  nodes,
  updatedAt,
  versionId
}: WorkflowRecord) {
  const saved = (yield* Store).tables.versions.get(id) ?? []
  return saved.some((version) => version.versionId === versionId)
    ? saved
    : [...saved, { workflowId: id, versionId, nodes, connections, nodeGroups, createdAt: updatedAt }]
})

const head = ({ versionId, workflowId }: SavedVersion) => ({ versionId, workflowId })
const words = { authors: ownerName, name: null, description: null }
const times = ({ createdAt }: SavedVersion) => ({ createdAt, updatedAt: createdAt })
const content = ({ connections, nodeGroups = [], nodes }: SavedVersion) => ({ nodes, connections, nodeGroups })

/** The fields of every version in a list, newest first. */
export const listVersions: Handler = Effect.fnUntraced(function* ({ at, query }) {
  const { paging } = yield* Dialect
  const versions = yield* versionsOf(yield* findWorkflow(at("id")))
  if (query.get("limit") === "0" && query.get("cursor") === undefined) {
    return ok({ data: [], nextCursor: Base64.encode(JSON.stringify({ limit: 0, offset: 0 })) })
  }
  const { data, nextCursor } = yield* byOffset(versions.toReversed(), query, paging)
  return ok({ data: data.map((version) => ({ ...head(version), ...words, ...times(version) })), nextCursor })
})

const find = Effect.fnUntraced(function* (id: string, versionId: string, missing: string) {
  const versions = yield* versionsOf(yield* findWorkflow(id, missing))
  const version = versions.find((one) => one.versionId === versionId)
  return version ?? (yield* notFound("Version not found"))
})

/** One complete version. */
export const getVersion: Handler = Effect.fnUntraced(function* ({ at }) {
  const version = yield* find(at("id"), at("versionId"), "Workflow not found")
  return ok({ ...head(version), ...content(version), ...words, ...times(version) })
})

/** The same at the former path, with its fields in another order. */
export const getVersionAtOldPath: Handler = Effect.fnUntraced(function* ({ at }) {
  const version = yield* find(at("id"), at("versionId"), "Version not found")
  const { createdAt, updatedAt } = times(version)
  return ok({ updatedAt, createdAt, ...head(version), ...content(version), ...words })
})
