import type { Workflow } from "../Workflow.ts"

/** What a workflow does: a change of these by somebody else must not be overwritten. */
const content = ["name", "nodes", "connections", "settings", "pinData"] as const

/** What every change of a workflow moves, switching it on or off included. */
const stamps = ["versionId", "updatedAt"] as const

/** Whether two readings of a workflow show the same content. */
export const isSameContent = (a: Workflow, b: Workflow): boolean =>
  content.every((field) => isEqual(a[field], b[field]))

/** Whether nothing at all happened to a workflow between two readings. */
export const isUntouched = (a: Workflow, b: Workflow): boolean =>
  isSameContent(a, b) && a.active === b.active && stamps.every((field) => isEqual(a[field], b[field]))

/** Two readings of one engine write their fields in the same order. */
const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
