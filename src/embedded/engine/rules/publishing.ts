import type { Moment } from "../store/fresh.ts"
import type { Publication, WorkflowRecord } from "../store/records.ts"
import { asFree } from "../store/values.ts"
import { countListeners, scheduleState } from "./triggers.ts"

/** How long a 2.x engine takes to listen to a published workflow, and to stop, in milliseconds. */
const listening = 150
const stopping = 75

/** Whether the triggers of a workflow are being listened to. */
export const isListening = ({ published }: WorkflowRecord, { millis }: Moment): boolean =>
  published !== null && published.listensAt <= millis

/** The record as it is at a moment: once its triggers are listened to, they are counted and keep their state. */
export const settled = (workflow: WorkflowRecord, moment: Moment, isSecond: boolean): WorkflowRecord => {
  const { published, staticData } = workflow
  if (published === null || !isListening(workflow, moment)) return workflow
  const state = scheduleState(published.nodes, isSecond)
  return {
    ...workflow,
    triggerCount: countListeners(published.nodes),
    staticData: Object.keys(state).length === 0 ? staticData : { ...state, ...asFree(staticData) }
  }
}

interface Circumstances {
  readonly isSecond: boolean
  /** The highest number of a publication so far. */
  readonly publication: number
}

/** A record and the highest number of a publication so far. */
export interface Outcome {
  readonly workflow: WorkflowRecord
  readonly publication: number
}

/** Runs the nodes that are saved. What was published before is noted as ended. */
export const publish = (
  workflow: WorkflowRecord,
  moment: Moment,
  { isAtOnce = false, isSecond, publication }: Circumstances & { readonly isAtOnce?: boolean }
): Outcome => {
  const { connections, nodes, published, versionId } = workflow
  const note = (event: Publication["event"], version: string) => ({ event, versionId: version, createdAt: moment.text })
  const notes = [
    ...(published === null ? [] : [note("deactivated", published.versionId)]),
    note("activated", versionId)
  ].map((entry, index): Publication => ({ ...entry, id: publication + index + 1 }))
  const listensAt = published?.listensAt ?? moment.millis + (isSecond && !isAtOnce ? listening : 0)
  return {
    workflow: {
      ...workflow,
      active: true,
      published: { versionId, nodes, connections, createdAt: moment.text, listensAt },
      publications: isSecond ? [...workflow.publications, ...notes] : []
    },
    publication: publication + notes.length
  }
}

/** Stops what runs. A 2.x engine is busy with that for a moment. */
export const unpublish = (
  workflow: WorkflowRecord,
  moment: Moment,
  { isSecond, publication }: Circumstances
): Outcome => {
  const { published } = workflow
  if (published === null) return { workflow: { ...workflow, active: false }, publication }
  const id = publication + 1
  const note: Publication = { id, versionId: published.versionId, event: "deactivated", createdAt: moment.text }
  return {
    workflow: {
      ...workflow,
      active: false,
      published: null,
      publications: isSecond ? [...workflow.publications, note] : [],
      busyUntil: isSecond ? moment.millis + stopping : 0
    },
    publication: id
  }
}
