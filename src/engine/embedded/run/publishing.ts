import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Publication, Snapshot, WorkflowRecord } from "../store/records.ts"
import type { Moment } from "../store/values.ts"
import { type Address, addressesOf, countListeners, schedulesIn } from "./triggers.ts"

/** Rules by which an engine publishes and unpublishes a workflow. */
export interface PublishingRules {
  /** Milliseconds until the triggers of a published workflow listen. */
  readonly listensAfter: number
  /** Milliseconds for which the engine is busy with unpublishing a workflow. */
  readonly busyFor: number
  /** Whether a workflow has a history of its publications. */
  readonly keepsHistory: boolean
  /** Whether it changes the workflow's `updatedAt`. */
  readonly isUpdate: boolean
  /** The entry in a workflow's static data for each of its schedules. */
  readonly scheduleState: JsonObject
}

/** Whether the triggers of a workflow listen. */
export const isListening = ({ published }: WorkflowRecord, { millis }: Moment): boolean =>
  published !== null && published.listensAt <= millis

/** The addresses at which a published workflow listens. */
export const listeningAddresses = ({ id, published }: WorkflowRecord): ReadonlyArray<Address> =>
  addressesOf(id, published?.nodes ?? []).filter((address) => published?.lost?.includes(addressText(address)) !== true)

const addressText = ({ method, path }: Address) => `${method} ${path}`

/** Whether one workflow would listen where another one does. */
export const sharesAddress = (workflow: WorkflowRecord, other: WorkflowRecord): boolean => {
  const wanted = new Set(addressesOf(workflow.id, workflow.nodes).map(addressText))
  return listeningAddresses(other).some((address) => wanted.has(addressText(address)))
}

/** Other workflows that lose addresses when one begins to listen: for good, until they are published again. */
export const withLostAddresses = (
  workflow: WorkflowRecord,
  all: ReadonlyArray<WorkflowRecord>
): ReadonlyArray<WorkflowRecord> =>
  all.flatMap((other) => {
    const { published } = other
    if (other.id === workflow.id || published === null || !sharesAddress(workflow, other)) return []
    const lost = addressesOf(workflow.id, workflow.nodes).map(addressText)
    return [{ ...other, published: { ...published, lost: [...(published.lost ?? []), ...lost] } }]
  })

/** The record at a point in time: once its triggers listen, they are counted and have their state. */
export const asOf = (workflow: WorkflowRecord, moment: Moment, { scheduleState }: PublishingRules): WorkflowRecord => {
  const { published, staticData } = workflow
  if (published === null || !isListening(workflow, moment)) return workflow
  const state = Object.fromEntries(
    schedulesIn(published.nodes).map(({ name }) => [`node:${String(name)}`, scheduleState])
  )
  return {
    ...workflow,
    triggerCount: countListeners(published.nodes),
    staticData: Object.keys(state).length === 0 ? staticData : { ...state, ...objectOf(staticData) }
  }
}

interface Circumstances {
  readonly rules: PublishingRules
  /** The highest id of a publication so far. */
  readonly publication: number
}

/** A record and the highest id of a publication so far. */
interface Outcome {
  readonly workflow: WorkflowRecord
  readonly publication: number
}

/** Publishes the saved nodes, so that they run. An earlier publication ends. */
export const publish = (
  workflow: WorkflowRecord,
  moment: Moment,
  { isAtOnce = false, publication, rules }: Circumstances & { readonly isAtOnce?: boolean }
): Outcome => {
  const { connections, nodes, published, versionId } = workflow
  const entryFor = (event: Publication["event"], version: string) => ({
    event,
    versionId: version,
    createdAt: moment.text
  })
  const entries = [
    ...(published === null ? [] : [entryFor("deactivated", published.versionId)]),
    entryFor("activated", versionId)
  ].map((entry, index): Publication => ({ ...entry, id: publication + index + 1 }))
  const listensAt = published?.listensAt ?? moment.millis + (isAtOnce ? 0 : rules.listensAfter)
  return {
    workflow: {
      ...workflow,
      active: true,
      published: { versionId, nodes, connections, createdAt: moment.text, listensAt },
      publications: rules.keepsHistory ? [...workflow.publications, ...entries] : []
    },
    publication: publication + entries.length
  }
}

/** Unpublishes. */
export const unpublish = (workflow: WorkflowRecord, moment: Moment, { publication, rules }: Circumstances): Outcome => {
  const { published } = workflow
  if (published === null) return { workflow: { ...workflow, active: false }, publication }
  const id = publication + 1
  const entry: Publication = { id, versionId: published.versionId, event: "deactivated", createdAt: moment.text }
  return {
    workflow: {
      ...workflow,
      active: false,
      published: null,
      publications: rules.keepsHistory ? [...workflow.publications, entry] : [],
      busyUntil: rules.busyFor > 0 ? moment.millis + rules.busyFor : 0
    },
    publication: id
  }
}

/** A workflow as it runs: the published version, or the saved one if none is published. */
export const snapshotOf = (workflow: WorkflowRecord): Snapshot => {
  const { active, createdAt, name, settings, updatedAt } = workflow
  const { connections, nodes, versionId } = workflow.published ?? workflow
  return { name, active, createdAt, updatedAt, versionId, nodes, connections, settings }
}
