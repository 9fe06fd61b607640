import type { Publication, TagRecord, WorkflowRecord } from "../../store/records.ts"
import type { Tables } from "../../store/Tables.ts"

/** The answers that hold a workflow; each shows other parts of it. */
export type Occasion = "activate" | "create" | "deactivate" | "delete" | "get" | "list" | "update"

const author = { firstName: "Engine", lastName: "Owner", email: "owner@engine.test" }
const ownerName = `${author.firstName} ${author.lastName}`
const projectName = `${ownerName} <${author.email}>`

/** Tags in the order of their names; engines promise none. */
export const tagsOf = (tables: Tables, { tagIds }: WorkflowRecord): ReadonlyArray<TagRecord> =>
  tagIds.flatMap((id) => tables.tags.get(id) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))

/** A tag as 1.x engines order its fields. */
export const firstTag = ({ createdAt, id, name, updatedAt }: TagRecord) => ({ createdAt, updatedAt, id, name })

/** A workflow in the answers of 1.x engines, but for that of create. */
export const firstWorkflow = (tables: Tables, workflow: WorkflowRecord, occasion: Occasion) => ({
  createdAt: workflow.createdAt,
  updatedAt: workflow.updatedAt,
  id: workflow.id,
  name: workflow.name,
  active: workflow.active,
  nodes: workflow.nodes,
  connections: workflow.connections,
  settings: workflow.settings,
  staticData: workflow.staticData,
  meta: null,
  pinData: workflow.pinData,
  versionId: workflow.versionId,
  triggerCount: workflow.triggerCount,
  ...(occasion === "list" || occasion === "update" ? {} : { shared: [firstShare(tables, workflow)] }),
  ...(occasion === "list" || occasion === "get" ? { tags: tagsOf(tables, workflow).map(firstTag) } : {})
})

const firstShare = ({ owner }: Tables, { createdAt, id }: WorkflowRecord) => {
  const times = { createdAt: owner.createdAt, updatedAt: owner.createdAt }
  return {
    createdAt,
    updatedAt: createdAt,
    role: "workflow:owner",
    workflowId: id,
    projectId: owner.projectId,
    project: {
      ...times,
      id: owner.projectId,
      name: projectName,
      type: "personal",
      icon: null,
      projectRelations: [
        {
          ...times,
          role: "project:personalOwner",
          userId: owner.userId,
          projectId: owner.projectId,
          user: {
            ...times,
            id: owner.userId,
            email: author.email,
            firstName: author.firstName,
            lastName: author.lastName,
            personalizationAnswers: null,
            settings: { userActivated: false },
            role: "global:owner",
            disabled: false,
            mfaEnabled: false,
            isPending: false,
            isOwner: true
          }
        }
      ]
    }
  }
}

const isOneOf = (...occasions: ReadonlyArray<Occasion>) => {
  const set = new Set(occasions)
  return (occasion: Occasion) => set.has(occasion)
}

const showsTags = isOneOf("create", "get", "list", "update")
const showsShares = isOneOf("create", "deactivate", "delete", "get", "list")

/** A workflow in the answers of 2.x engines. */
export const secondWorkflow = (tables: Tables, workflow: WorkflowRecord, occasion: Occasion) => {
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
    nodeGroups: [],
    settings: workflow.settings,
    staticData: workflow.staticData,
    pinData: workflow.pinData,
    meta: null,
    ...(showsTags(occasion) ? { tags: tagsOf(tables, workflow) } : {}),
    ...(showsShares(occasion) ? { shared: [secondShare(tables, workflow)] } : {}),
    ...(occasion === "delete" ? {} : { activeVersion: activeVersion(tables, workflow) }),
    ...(occasion === "create" ? { parentFolder: null } : {})
  }
}

const secondShare = ({ owner }: Tables, { createdAt, id }: WorkflowRecord) => ({
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
