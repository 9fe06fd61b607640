import { Effect } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { addressWarnings } from "../../changes/addressWarnings.ts"
import type { Action } from "../../changes/bulk/BulkRequest.ts"
import { draftBulk } from "../../changes/bulk/draftBulk.ts"
import { draftExecutionDeletions } from "../../changes/bulk/draftExecutionDeletions.ts"
import { estimate } from "../../changes/driver.ts"
import { order } from "../../changes/order.ts"
import { WorkflowPlans } from "../../changes/Plans.ts"
import type { Step } from "../../changes/Step.ts"
import { withNames } from "../../changes/withNames.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listAll } from "../../client/listAll.ts"
import type { ExecutionStatus, Workflow } from "../../client/models.ts"
import { refuseMasked } from "../../tools/refuseMasked.ts"
import { toUtc } from "../../workflow/executions.ts"
import { instanceContents } from "./instanceContents.ts"
import { select } from "./selectWorkflows.ts"

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

/** Actions on a selection of workflows or executions. */
export interface Part {
  readonly where?: unknown
  /** Several are planned as one. */
  readonly action: ActionName | ReadonlyArray<ActionName>
  readonly value?: string | undefined
  readonly find?: string | undefined
  readonly field?: string | undefined
  readonly status?: ExecutionStatus | undefined
  readonly before?: string | undefined
}

/** Actions on one instance, and others for the same plan. */
export interface Asked extends Part {
  readonly instance?: string | undefined
  readonly also?: ReadonlyArray<Part> | undefined
}

/** Plans actions on many workflows or executions, from the present state of an instance. */
export const planBulk = Effect.fn("planBulk")(function* ({ also = [], instance: name, ...first }: Asked) {
  const client = yield* (yield* Instances).resolve(name)
  const { instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_bulk" })
  const plans = yield* WorkflowPlans
  const parts = [first, ...also]
  yield* Effect.forEach(parts, ({ value }) => refuseMasked({ value }), { discard: true })
  const ready = yield* Effect.forEach(parts, checked)
  const needsWorkflows = parts.some(({ action, where }) => where !== undefined || action !== "delete_executions")
  const shown = needsWorkflows ? yield* instanceContents(client) : undefined
  const found = yield* Effect.forEach(ready, ({ part, wanted }) =>
    wanted === undefined ? ofExecutions(client, part, shown) : ofWorkflows(client, part, shown, wanted)
  )
  const all = found.flatMap(({ draft }) => draft.steps).toSorted(order)
  const steps = all.filter((step, index) => !isRepeated(step, all[index - 1]))
  const double = steps.find(({ id }, index) => steps[index - 1]?.id === id)
  if (double !== undefined) return yield* alone(`two actions change the same (${double.id}): plan one after the other`)
  const plan = yield* plans.keep({
    kind: "bulk",
    steps,
    warnings: [...new Set(found.flatMap(({ draft }) => draft.warnings)), ...addressWarnings(steps, shown?.all ?? [])],
    blocked: found.flatMap(({ draft }) => draft.blocked),
    estimate: estimate(steps)
  })
  const sum = (field: "selected" | "unchanged") => found.reduce((total, one) => total + one[field], 0)
  return { plan, selected: sum("selected"), unchanged: sum("unchanged") }
})

/** Whether two parts of the plan create the same tag or delete the same execution, which is fine. */
const isRepeated = ({ change: { kind }, id }: Step, before: Step | undefined) =>
  id === before?.id && (kind === "create-tag" || kind === "delete-execution")

type InstanceContents = Effect.Success<ReturnType<typeof instanceContents>>

/** A part with its actions on workflows, checked; none if it deletes executions. */
const checked = Effect.fnUntraced(function* (part: Part) {
  const names = typeof part.action === "string" ? [part.action] : part.action
  const others = names.filter((name) => name !== "delete_executions")
  if (others.length === names.length) {
    return { part, wanted: yield* Effect.forEach(others, (action) => actionOf({ ...part, action })) }
  }
  if (names.length > 1) return yield* alone("delete_executions is planned alone, or beside other actions in `also`")
  return { part, wanted: undefined }
})

const nothing: Pick<InstanceContents, "all"> = { all: [] }

const ofExecutions = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  part: Part,
  shown: InstanceContents | undefined
) {
  const { all } = shown ?? nothing
  const selected = part.where === undefined ? undefined : (yield* select(client, all, part.where)).selected
  const draft = yield* executionsOf(client, part, selected)
  return { draft, selected: draft.steps.length, unchanged: 0 }
})

const ofWorkflows = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  { where }: Part,
  shown: InstanceContents | undefined,
  wanted: ReadonlyArray<Action>
) {
  const things = shown ?? (yield* instanceContents(client))
  const { problems, selected, warnings } = yield* select(client, things.all, where)
  const drafts = wanted.map((action) => draftBulk({ ...things, instance: client.instance, action, selected }))
  return {
    draft: {
      kind: "bulk",
      steps: withNames(
        drafts.flatMap(({ steps }) => steps),
        { tags: things.tags, workflows: things.all }
      ),
      warnings: [...drafts.flatMap((draft) => draft.warnings), ...warnings],
      blocked: [...drafts.flatMap(({ blocked }) => blocked), ...problems]
    },
    selected: selected.length,
    unchanged: Math.min(...drafts.map(({ unchanged }) => unchanged))
  }
})

const alone = (problem: string) => Effect.fail(new InvalidArgument({ argument: "action", problem }))

const missing = (argument: string, action: string) =>
  Effect.fail(new InvalidArgument({ argument, problem: `is needed for ${action}` }))

/** The action with the arguments that it needs. */
const actionOf = Effect.fnUntraced(function* ({
  action,
  field,
  find,
  value
}: Omit<Part, "action"> & { readonly action: Action["_tag"] }): Effect.fn.Return<Action, InvalidArgument> {
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

/** The executions that are meant, of all workflows or of some. */
const executionsOf = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  { before, status }: Part,
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
  return draftExecutionDeletions({ instance: client.instance, before: at, executions })
})
