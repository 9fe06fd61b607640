import { Clock, Effect } from "effect"

import { Dialect } from "../api/Dialect.ts"
import { publish, type PublishingRules, snapshotOf } from "../run/publishing.ts"
import { isTrigger } from "../run/triggers.ts"
import type { Change, SavedVersion, WorkflowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { iso, type Moment } from "../store/values.ts"
import { executionsOf } from "./executions.ts"
import { chance, credentials, type SeedWorkflow, uuidFor } from "./forms.ts"
import { office } from "./office.ts"
import { operations } from "./operations.ts"
import { formerPrices, loyalty, mendedImport, sales } from "./sales.ts"

/** The engines of one company: what it works with, and what it tries out before. */
export type SeedName = "production" | "staging"

const ofProduction = [...sales, ...office, ...operations]

/** Staging has what the teams work on; nobody calls it from outside, and nothing runs there by the clock. */
const ofStaging: ReadonlyArray<SeedWorkflow> = [
  loyalty,
  mendedImport,
  formerPrices,
  ...[
    "Order intake",
    "Payment check",
    "Order confirmation",
    "Support assistant",
    "Stock of a product",
    "Stock sync"
  ].flatMap((name) => ofProduction.filter((workflow) => workflow.name === name))
].map(({ runs, ...workflow }) => ({
  ...workflow,
  ...(runs !== undefined && "calls" in runs.starts ? { runs: { ...runs, starts: { calls: 2 } } } : {}),
  active: workflow.active && !workflow.nodes.some(({ type }) => String(type).endsWith("scheduleTrigger"))
}))

/** The workflows of each engine, as they are made. */
export const workflowsOf = { production: ofProduction, staging: ofStaging }

/** Fills a new engine with the workflows of a small company and their runs of the last days; one with records is left alone. */
export const seed = Effect.fnUntraced(function* (name: SeedName) {
  const { commit, isNew } = yield* Store
  const { publishing } = yield* Dialect
  if (isNew) yield* commit(...changesOf(workflowsOf[name], publishing, yield* Clock.currentTimeMillis))
})

const day = 24 * 60 * 60_000

const momentOf = (millis: number): Moment => ({ millis, text: iso(millis) })

const changesOf = (
  workflows: ReadonlyArray<SeedWorkflow>,
  rules: PublishingRules,
  now: number
): ReadonlyArray<Change> => {
  const begun = momentOf(now - 200 * day)
  const times = { createdAt: begun.text, updatedAt: begun.text }
  const tags = [...new Set(workflows.flatMap(({ tags }) => tags))].map((name, index) => ({
    id: uuidFor("tag", name).replaceAll("-", "").slice(0, 16),
    name,
    ...times,
    index
  }))
  const seeded = workflows.map((workflow, place) => {
    const { record, snapshotAt, versions } = seededWorkflow(workflow, { rules, now, publication: 2 * place })
    const tagIds = tags.filter(({ name }) => workflow.tags.includes(name)).map(({ id }) => id)
    return { record: { ...record, tagIds }, versions, executions: executionsOf(workflow, snapshotAt, now) }
  })
  const executions = seeded
    .flatMap(({ executions }) => executions)
    .sort((a, b) => a.startedAt - b.startedAt)
    .map(({ numbered }, index) => ({ execution: numbered(index + 1) }))
  return [
    ...tags.map(({ id, name }) => ({ tag: { id, name, ...times } })),
    ...Object.values(credentials).map((credential) => ({ credential: { ...credential, ...times } })),
    ...seeded.flatMap(({ record, versions }) => [
      { workflow: record },
      ...(rules.keepsHistory ? versions.map((savedVersion) => ({ savedVersion })) : [])
    ]),
    ...executions,
    { counters: { execution: executions.length, publication: 2 * workflows.length } }
  ]
}

interface Circumstances {
  readonly rules: PublishingRules
  readonly now: number
  /** The highest id of a publication so far. */
  readonly publication: number
}

/** A workflow as somebody made it some weeks ago, and changed it since, if somebody did. */
const seededWorkflow = (
  { active, connections, former, id, name, nodes, pinData, settings }: SeedWorkflow,
  { now, publication, rules }: Circumstances
) => {
  const made = momentOf(now - Math.round((20 + 150 * chance(name, "made")) * day))
  const withIds = (some: SeedWorkflow["nodes"]) =>
    some.map((node) => ({ id: uuidFor(name, String(node.name)), ...node }))
  const first: WorkflowRecord = {
    id,
    name,
    description: null,
    active: false,
    isArchived: false,
    nodes: withIds(former?.nodes ?? nodes),
    connections,
    settings,
    staticData: null,
    pinData: pinData ?? null,
    tagIds: [],
    versionId: uuidFor(name, "version", 1),
    versionCounter: 1,
    triggerCount: 0,
    createdAt: made.text,
    updatedAt: made.text,
    published: null,
    publications: [],
    busyUntil: 0
  }
  // Older engines activate nothing that only other workflows start.
  const isActive = active && (rules.keepsHistory || nodes.some(isTrigger))
  const published = (record: WorkflowRecord, moment: Moment, before: number) =>
    isActive ? publish(record, moment, { rules, publication: before, isAtOnce: true }).workflow : record
  const before = published(first, made, publication)
  if (former === undefined) {
    const snapshot = snapshotOf(before)
    return { record: before, versions: [versionOf(first)], snapshotAt: () => snapshot }
  }
  const edited = momentOf(now - (former.hoursAgo * day) / 24)
  const changed: WorkflowRecord = {
    ...before,
    nodes: withIds(nodes),
    versionId: uuidFor(name, "version", 2),
    versionCounter: 2,
    updatedAt: edited.text
  }
  const after = published(changed, edited, publication + 1)
  const [old, present] = [snapshotOf(before), snapshotOf(after)]
  return {
    record: after,
    versions: [versionOf(first), versionOf(changed)],
    snapshotAt: (time: number) => (time < edited.millis ? old : present)
  }
}

const versionOf = ({ connections, id, nodes, updatedAt, versionId }: WorkflowRecord): SavedVersion => ({
  workflowId: id,
  versionId,
  nodes,
  connections,
  nodeGroups: [],
  createdAt: updatedAt
})
