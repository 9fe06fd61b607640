import { Effect, Schema } from "effect"

import type { Draft } from "../../changes/Plan.ts"
import { untouched } from "../../changes/PlanState.ts"
import {
  changedSince,
  type Judgement,
  type LostCreation,
  type RemoteState,
  type StepRecords
} from "../../changes/RemoteState.ts"
import { readWorkflows } from "../client/absence.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { listWhole, workflowsIn } from "../client/listAll.ts"
import { type Tag, type Workflow, WorkflowId } from "../workflow/models.ts"
import { readCalls } from "./call/callState.ts"
import { type Change, type ChangeOf, isRetried, type Ref } from "./Change.ts"
import { contentOf, differsBeside, isArchived } from "./content.ts"
import { changedParts, judgementOf } from "./judgement.ts"
import { readRetries } from "./retry/readRetries.ts"
import { readTables } from "./tables/tableState.ts"

type Client = EngineClient["Service"]

/** The state of an engine for the changes of one batch; workflows that do not exist are missing. */
export interface WorkflowState extends RemoteState<Change> {
  readonly workflows: ReadonlyMap<string, Workflow>
}

/** Reads at the same time, on one engine. */
const atOnce = 5

/** The workflows of exactly this name. */
const namesakesOf = (client: Client, name: string) =>
  Effect.map(
    listWhole(client, (query) => client.listWorkflows({ ...query, name })),
    (items) => workflowsIn(items).filter((workflow) => workflow.name === name)
  )

/** Reads what the changes of one batch are about, all of them on the same instance. */
export const readRemoteState = Effect.fnUntraced(function* (
  client: Client,
  changes: ReadonlyArray<Change>,
  plan: Pick<Draft<Change>, "kind" | "steps">
) {
  const cleared = changesCleared(plan)
  const { caveat, workflows } = yield* readAll(client, changes)
  const names = [...new Set(changes.flatMap((change) => (change.kind === "create" ? [change.content.name] : [])))]
  const namesakes = new Map(
    yield* Effect.forEach(
      names,
      (name) => Effect.map(namesakesOf(client, name), (sameNamed) => [name, sameNamed] as const),
      {
        concurrency: atOnce
      }
    )
  )
  const areTagsNeeded = changes.some(({ kind }) => kind === "create-tag" || kind === "delete-tag")
  const tags: ReadonlyArray<Tag> = areTagsNeeded ? yield* listWhole(client, client.listTags) : []
  const taggedWith = yield* readTagged(client, changes, tags)
  const retries = yield* readRetries(client, changes)
  const calls = yield* readCalls(
    client,
    changes.filter((change) => change.kind === "call")
  )
  const tables = yield* readTables(
    client,
    changes.filter((change) => change.kind === "table")
  )

  const strangers = ({ content, namesakes: formerNamesakes }: ChangeOf<"create">) =>
    formerNamesakes === undefined
      ? []
      : (namesakes.get(content.name) ?? []).filter(({ id }) => !formerNamesakes.includes(id))

  const judge = (change: Change, { record }: StepRecords): Judgement => {
    if (change.kind === "call") return calls.judge(change, record)
    if (change.kind === "table") return tables.judge(change)
    if (change.kind === "create") {
      const isThere = change.formerly !== undefined && workflows.has(change.formerly)
      return strangers(change).length === 0 && !isThere ? "pending" : "drift"
    }
    if (change.kind === "create-tag") return tags.some(({ name }) => name === change.name) ? "already" : "pending"
    if (change.kind === "delete-tag") {
      const tag = tags.find(({ id }) => id === change.tag)
      return tag === undefined ? "already" : tag.name === change.name ? "pending" : "drift"
    }
    if (isRetried(change)) return retries.has(change.execution) ? "already" : "pending"
    if (change.kind === "delete-execution" || typeof change.workflow !== "string") return "pending"
    const workflow = workflows.get(change.workflow)
    if (workflow === undefined) return change.kind === "delete" ? "already" : "drift"
    const next = change.kind === "active" && !change.after ? cleared.get(placeOf(change)) : undefined
    const isLost = next !== undefined && workflow.active && judgementOf(next, workflow) === "drift"
    return isLost ? "drift" : judgementOf(change, workflow)
  }

  return {
    workflows,
    judge,
    obstacle: (change) => {
      if (change.kind === "call") return calls.obstacle(change)
      if (change.kind === "table") return tables.obstacle(change)
      if (change.kind === "delete-tag") return taggedWith.get(change.name)
      const workflow = "workflow" in change ? change.workflow : ""
      if (typeof workflow !== "string") return "its workflow was not created"
      const isRun = change.kind === "update" || (change.kind === "active" && change.after)
      const current = isRun ? workflows.get(workflow) : undefined
      return current !== undefined && isArchived(current)
        ? "the workflow is archived, and has to be unarchived first"
        : undefined
    },
    observe: (change) => ({
      _tag: judge(change, { record: untouched }) === "already" || isBlind(change) ? "Wanted" : "Other"
    }),
    withPresent: (change) => {
      if (change.kind === "call") return calls.withPresent(change)
      if (change.kind === "table") return tables.withPresent(change)
      return change.kind === "create"
        ? { ...change, others: (namesakes.get(change.content.name) ?? []).map(({ id }) => id) }
        : change
    },
    latest: (change) => (change.kind === "table" ? tables.latest(change) : undefined),
    findLostCreation: (change, { latest, outcomeUnknownSince: sentAt = 0 }): LostCreation => {
      if (change.kind === "create-tag") {
        const tag = tags.find(({ name }) => name === change.name)
        return tag === undefined ? {} : { created: tag.id }
      }
      if (change.kind === "call") return calls.lost(change)
      if (change.kind === "table") return tables.lost(change, latest)
      const run = isRetried(change) ? retries.get(change.execution) : undefined
      if (run !== undefined) return { created: run }
      return change.kind === "create" ? findLostWorkflow(change, namesakes.get(change.content.name) ?? [], sentAt) : {}
    },
    explainDrift: Effect.succeed((change) => {
      if (change.kind === "call") return calls.explain(change)
      return change.kind === "table" ? tables.explain(change) : whyDrifted(change, workflows)
    }),
    ...(caveat === undefined ? {} : { caveat })
  } satisfies WorkflowState
})

/**
 * The changes for which deactivations clear the way: the deletion of a workflow, and in a rollback its former content, too.
 * Where somebody else has changed the workflow, neither is done, and it is not switched off for nothing.
 */
const changesCleared = ({ kind, steps }: Pick<Draft<Change>, "kind" | "steps">) =>
  new Map(
    steps.flatMap(({ change }) =>
      change.kind === "delete" || (change.kind === "update" && kind === "rollback")
        ? [[placeOf(change), change] as const]
        : []
    )
  )

const placeOf = ({ instance, workflow }: { readonly instance: string; readonly workflow: Ref }): string =>
  JSON.stringify([instance, workflow])

/** Executions are not read back one by one: a deletion that was answered counts as done. */
const isBlind = (change: Change): boolean =>
  change.kind === "delete-execution" || (change.kind === "call" && change.read === undefined)

/** The workflow that a creation without an answer has made, among those of its name; other new ones of that name are named. */
const findLostWorkflow = (
  change: ChangeOf<"create">,
  sameNamed: ReadonlyArray<Workflow>,
  sentAt: number
): LostCreation => {
  const formerIds = change.namesakes ?? change.others
  const newOnes = sameNamed.filter((workflow) =>
    formerIds === undefined ? isFrom(workflow, sentAt) : !formerIds.includes(workflow.id)
  )
  const [match, ...otherMatches] = newOnes.filter(
    (workflow) => differsBeside(change.references, change.content, contentOf(workflow)).length === 0
  )
  if (match !== undefined && otherMatches.length === 0) return { created: match.id }
  return newOnes.length === 0
    ? {}
    : { others: `there are new workflows of this name (${newOnes.map(({ id }) => id).join(", ")})` }
}

/** Clocks of engines may be this much behind ours. Plans of earlier versions know new workflows by the time alone. */
const toleranceMs = 60_000

const isFrom = ({ createdAt }: Workflow, sentAt: number): boolean =>
  createdAt === undefined || Date.parse(createdAt) >= sentAt - toleranceMs

const readAll = Effect.fnUntraced(function* (client: Client, changes: ReadonlyArray<Change>) {
  const ids = changes.flatMap((change) => {
    if (change.kind === "create") return change.formerly ?? []
    const isOne =
      "workflow" in change &&
      change.kind !== "delete-execution" &&
      !isRetried(change) &&
      typeof change.workflow === "string"
    return isOne ? change.workflow : []
  })
  return yield* readWorkflows(
    client,
    ids.map((id) => WorkflowId.make(id))
  )
})

/** The reasons for which tags cannot be deleted: workflows that are not of the plan have them by now. */
const readTagged = Effect.fnUntraced(function* (
  client: Client,
  changes: ReadonlyArray<Change>,
  tags: ReadonlyArray<Tag>
) {
  const names = changes.flatMap((change) =>
    change.kind === "delete-tag" && tags.some(({ id }) => id === change.tag) ? [change.name] : []
  )
  const taggedItems = yield* Effect.forEach(
    names,
    (name) => Effect.map(client.listWorkflows({ tags: [name], limit: 250 }), ({ data }) => [name, data] as const),
    { concurrency: atOnce }
  )
  return new Map(
    taggedItems.flatMap(([name, data]) => {
      const tagged = data.filter(
        (item) => Array.isArray(item.tags) && item.tags.some((tag: unknown) => isTag(tag) && tag.name === name)
      )
      return tagged.length === 0
        ? []
        : [[name, `${tagged.length} workflows have this tag by now, so that it stays`] as const]
    })
  )
})

const isTag = Schema.is(Schema.Struct({ name: Schema.String }))

const whyDrifted = (change: Change, workflows: ReadonlyMap<string, Workflow>): string => {
  if (change.kind === "create") {
    if (change.formerly === undefined) return "there is a new workflow of this name by now: plan again"
    return workflows.has(change.formerly)
      ? `workflow ${change.formerly} is still there, and is not made anew beside itself`
      : "a workflow of this name was made since then, and it is not made anew beside that"
  }
  const id = "workflow" in change && typeof change.workflow === "string" ? change.workflow : undefined
  const workflow = id === undefined ? undefined : workflows.get(id)
  if (workflow === undefined) return id === undefined ? changedSince : "it is not there any more"
  const parts = change.kind === "update" || change.kind === "delete" ? changedParts(change, workflow) : []
  return parts.length === 0 ? changedSince : `${changedSince} (${parts.join(", ")})`
}
