import { Clock, Effect, Schema, Struct } from "effect"

import * as Arguments from "../../../mcp/Arguments.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { planExecutions } from "../../changes/bulk/executions.ts"
import { planBulk as planWorkflows } from "../../changes/bulk/plan.ts"
import type { Action } from "../../changes/bulk/Wish.ts"
import { isArchived } from "../../changes/content.ts"
import { estimate } from "../../changes/driver.ts"
import { order } from "../../changes/order.ts"
import { WorkflowPlans } from "../../changes/Plans.ts"
import { fits } from "../../changes/settings.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listAll } from "../../client/listAll.ts"
import type { ExecutionStatus, Workflow } from "../../client/models.ts"
import { optional, text } from "../../tools/parameters.ts"
import { toUtc } from "../../workflow/executions.ts"
import { matchesIn } from "../search/criteria.ts"
import { criteria } from "../search/searchWorkflows.ts"
import { allWorkflows, generationOf, knownCredentials } from "./gather.ts"

/** Which workflows are meant: as a search would find them, and by what only a whole list tells. */
const selection = Arguments.make({
  ...Struct.omit(criteria, ["calledBy"]),
  ids: optional(Schema.Array(Schema.String)),
  name: optional(text("Name; * stands for anything")),
  idle_days: optional(Schema.Int)
})

export const actions = [
  "tag",
  "untag",
  "activate",
  "deactivate",
  "archive",
  "unarchive",
  "delete",
  "set_error_workflow",
  "replace_credential",
  "replace_text",
  "delete_executions"
] as const

export type ActionName = (typeof actions)[number]

/** What is done to which things of one instance. */
export interface Asked {
  readonly instance?: string | undefined
  readonly where?: unknown
  /** Several are planned as one. */
  readonly action: ActionName | ReadonlyArray<ActionName>
  readonly value?: string | undefined
  readonly find?: string | undefined
  readonly field?: string | undefined
  readonly status?: ExecutionStatus | undefined
  readonly before?: string | undefined
}

/** Works a change of many things out from what an instance shows now, and keeps it as a plan. */
export const planBulk = Effect.fn("planBulk")(function* (asked: Asked) {
  const client = yield* (yield* Instances).resolve(asked.instance)
  const { instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_bulk" })
  const plans = yield* WorkflowPlans
  const names = typeof asked.action === "string" ? [asked.action] : asked.action
  if (names.includes("delete_executions")) {
    if (names.length > 1) return yield* alone("delete_executions is planned alone")
    const selected = asked.where === undefined ? undefined : (yield* select(client, asked.where)).selected
    const draft = yield* executionsOf(client, asked, selected)
    const plan = yield* plans.keep({ ...draft, estimate: estimate(draft.steps) })
    return { plan, selected: draft.steps.length, unchanged: 0 }
  }
  const wanted = yield* Effect.forEach(
    names.filter((name) => name !== "delete_executions"),
    (name) => actionOf({ ...asked, action: name })
  )
  const { all, problems, selected, warnings } = yield* select(client, asked.where)
  const credentials = yield* knownCredentials(client, all)
  const tags = yield* listAll(client.listTags)
  const archives = (yield* generationOf(client, all, credentials)) === "2.x"
  const drafts = wanted.map((action) => planWorkflows({ instance, action, selected, all, tags, credentials, archives }))
  const steps = drafts.flatMap((draft) => draft.steps).toSorted(order)
  const double = steps.find(({ id }, index) => steps[index - 1]?.id === id)
  if (double !== undefined) return yield* alone(`two actions change the same (${double.id}): plan one after the other`)
  const plan = yield* plans.keep({
    kind: "bulk",
    steps,
    warnings: [...drafts.flatMap((draft) => draft.warnings), ...warnings],
    blocked: [...drafts.flatMap((draft) => draft.blocked), ...problems],
    estimate: estimate(steps)
  })
  return { plan, selected: selected.length, unchanged: Math.min(...drafts.map((draft) => draft.unchanged)) }
})

const alone = (problem: string) => Effect.fail(new InvalidArgument({ argument: "action", problem }))

const missing = (argument: string, action: string) =>
  Effect.fail(new InvalidArgument({ argument, problem: `is needed for ${action}` }))

/** The action with what it needs to be told. */
const actionOf = Effect.fnUntraced(function* ({
  action,
  field,
  find,
  value
}: Omit<Asked, "action"> & { readonly action: Action["_tag"] }): Effect.fn.Return<Action, InvalidArgument> {
  switch (action) {
    case "tag":
    case "untag":
    case "set_error_workflow":
      return value === undefined ? yield* missing("value", action) : { _tag: action, value: value.trim() }
    case "replace_credential":
      if (find === undefined) return yield* missing("find", action)
      return value === undefined ? yield* missing("value", action) : { _tag: action, find, value }
    case "replace_text":
      if (find === undefined || find === "") return yield* missing("find", action)
      return value === undefined ? yield* missing("value", action) : { _tag: action, find, value, field }
    default:
      return { _tag: action }
  }
})

/** The workflows that are meant; of idle ones, what nobody can tell is named. */
const select = Effect.fnUntraced(function* (client: EngineClient["Service"], where: unknown) {
  const { ids, idle_days, name, ...search } = yield* selection.decode(where ?? {})
  const isEmpty = ids === undefined && name === undefined && idle_days === undefined && Object.keys(search).length === 0
  if (isEmpty) {
    return yield* new InvalidArgument({
      argument: "where",
      problem: 'must say which workflows; {"name": "*"} means all'
    })
  }
  const all = yield* allWorkflows(client)
  const stranger = ids?.find((id) => !all.some((workflow) => workflow.id === id))
  if (stranger !== undefined) {
    return yield* new InvalidArgument({
      argument: "where.ids",
      problem: `${client.instance} has no workflow ${stranger}`
    })
  }
  const found = all.filter(
    (workflow) =>
      (ids === undefined || ids.includes(workflow.id)) &&
      (name === undefined || fits(name, workflow.name)) &&
      matchesIn(workflow, search) !== undefined
  )
  const idle = idle_days === undefined ? { selected: found, problems: [] } : yield* idleAmong(client, found, idle_days)
  const warnings =
    idle_days === undefined ? [] : ["Idle means without a recorded run: engines forget old runs, mostly after 14 days"]
  return { all, warnings, ...idle }
})

const dayMs = 86_400_000

/** Those of which no run is recorded for so many days, and which are not younger themselves. */
const idleAmong = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  workflows: ReadonlyArray<Workflow>,
  days: number
) {
  const since = (yield* Clock.currentTimeMillis) - days * dayMs
  const old = workflows.filter((workflow) => !isArchived(workflow) && Date.parse(workflow.createdAt ?? "") < since)
  const unknown = old.filter(({ settings }) => settings?.["saveDataSuccessExecution"] === "none")
  const judged = yield* Effect.forEach(
    old.filter((workflow) => !unknown.includes(workflow)),
    (workflow) =>
      Effect.map(client.listExecutions({ workflowId: workflow.id, limit: 1 }), ({ data: [last] }) => ({
        workflow,
        isIdle: last === undefined || Date.parse(String(last["startedAt"])) < since
      })),
    { concurrency: 5 }
  )
  return {
    selected: judged.flatMap(({ isIdle, workflow }) => (isIdle ? [workflow] : [])),
    problems: unknown.map(({ id, name }) => ({
      what: `${name} (${id})`,
      reason: "its successful runs are not recorded, so that nobody can tell whether it is idle"
    }))
  }
})

/** The executions that are meant, of all workflows or of some. */
const executionsOf = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  { before, status }: Asked,
  selected: ReadonlyArray<Workflow> | undefined
) {
  if (status === undefined && before === undefined && selected === undefined) {
    return yield* new InvalidArgument({ argument: "arguments", problem: "must hold status, before or where" })
  }
  const at = before === undefined ? undefined : Date.parse(before)
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...toUtc({ startedBefore: before })
  }
  const list = (workflowId?: string) =>
    listAll((query) =>
      client.listExecutions({ ...query, ...filters, ...(workflowId === undefined ? {} : { workflowId }) })
    )
  const executions =
    selected === undefined
      ? yield* list()
      : (yield* Effect.forEach(selected, ({ id }) => list(id), { concurrency: 5 })).flat()
  return planExecutions({ instance: client.instance, before: at, executions })
})
