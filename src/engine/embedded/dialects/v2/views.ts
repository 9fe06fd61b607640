import type { Occasion, Views } from "../../api/Dialect.ts"
import { tagsOf } from "../../api/tags.ts"
import type { CredentialRecord, Publication, WorkflowRecord } from "../../store/records.ts"
import type { Tables } from "../../store/Store.ts"
import { ownerName, projectName } from "../viewParts.ts"
import { execution, listedExecution } from "./executionViews.ts"

const isOneOf = (...occasions: ReadonlyArray<Occasion>) => {
  const set = new Set(occasions)
  return (occasion: Occasion) => set.has(occasion)
}

const showsTags = isOneOf("create", "get", "list", "update")
const showsShares = isOneOf("create", "deactivate", "delete", "get", "list")

const workflow: Views["workflow"] = (tables, workflow, occasion) => {
  const isWhole = occasion !== "list"
  return {
    id: workflow.id,
    name: workflow.name,
    ...(isWhole ? { description: workflow.description } : {}),
    active: workflow.active,
    activeVersionId: workflow.published?.versionId ?? null,
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    isArchived: workflow.isArchived,
    versionId: workflow.versionId,
    ...(isWhole ? { versionCounter: workflow.versionCounter, sourceWorkflowId: null } : {}),
    triggerCount: workflow.triggerCount,
    nodes: workflow.nodes,
    connections: workflow.connections,
    nodeGroups: workflow.nodeGroups ?? [],
    settings: workflow.settings,
    staticData: workflow.staticData,
    pinData: workflow.pinData,
    meta: null,
    ...(showsTags(occasion) ? { tags: tagsOf(tables, workflow) } : {}),
    ...(showsShares(occasion) ? { shared: [share(tables, workflow)] } : {}),
    ...(occasion === "delete" ? {} : { activeVersion: activeVersion(tables, workflow) }),
    ...(occasion === "create" ? { parentFolder: null } : {})
  }
}

const share = ({ owner }: Tables, { createdAt, id }: WorkflowRecord) => ({
  role: "workflow:owner",
  workflowId: id,
  projectId: owner.projectId,
  project: {
    id: owner.projectId,
    name: projectName,
    type: "personal",
    icon: null,
    description: null,
    customTelemetryTags: [],
    creatorId: owner.userId,
    createdAt: owner.createdAt,
    updatedAt: owner.createdAt
  },
  createdAt,
  updatedAt: createdAt
})

const activeVersion = ({ owner }: Tables, { id, publications, published }: WorkflowRecord) => {
  if (published === null) return null
  const { connections, createdAt, nodes, versionId } = published
  const entry = (publication: Publication) => ({
    id: publication.id,
    workflowId: id,
    versionId,
    event: publication.event,
    userId: owner.userId,
    createdAt: publication.createdAt
  })
  return {
    versionId,
    workflowId: id,
    nodes,
    connections,
    nodeGroups: [],
    authors: ownerName,
    name: null,
    description: null,
    autosaved: false,
    createdAt,
    updatedAt: createdAt,
    workflowPublishHistory: publications.filter((publication) => publication.versionId === versionId).map(entry)
  }
}

/** A single credential, without its data. */
export const credential = ({ createdAt, id, name, type, updatedAt }: CredentialRecord) => ({
  id,
  name,
  type,
  isManaged: false,
  isGlobal: false,
  isResolvable: false,
  resolvableAllowFallback: false,
  resolverId: null,
  createdAt,
  updatedAt
})

/** A credential in a list, with the project that it belongs to. */
export const listedCredential = ({ owner }: Tables, { id, name, type, ...times }: CredentialRecord) => ({
  id,
  name,
  type,
  ...times,
  shared: [
    {
      id: owner.projectId,
      name: projectName,
      role: "credential:owner",
      createdAt: owner.createdAt,
      updatedAt: owner.createdAt
    }
  ]
})

export const views: Views = {
  workflow,
  createdWorkflow: (tables, created) => workflow(tables, created, "create"),
  tag: (tag) => tag,
  createdTag: (tag) => tag,
  createdCredential: credential,
  deletedCredential: (deleted) => ({ ...credential(deleted), usageScope: "project" }),
  execution,
  listedExecution
}
