import { Array as Arrays, Effect, Result } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { holdsSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { sortSliced } from "../../../internal/Sliced.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listWhole } from "../../client/listAll.ts"
import { refuseMasked } from "../../tools/refuseMasked.ts"
import { toUtc } from "../../workflow/executions.ts"
import type { ExecutionStatus, Tag, Workflow } from "../../workflow/models.ts"
import { addressWarnings } from "../addressWarnings.ts"
import type { KnownCredentials } from "../credentials.ts"
import { instanceContents, outlineOf } from "../instanceContents.ts"
import { mergedChange } from "../merging.ts"
import { order } from "../order.ts"
import { WorkflowPlans } from "../Plans.ts"
import { counted, type Scope } from "../replacing.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"
import { withNames } from "../withNames.ts"
import type { Action } from "./BulkRequest.ts"
import { needsWhole } from "./contentChanges.ts"
import { draftBulk, draftExecutionDeletions } from "./draftBulk.ts"
import { select, type Selection, selectionOf } from "./selectWorkflows.ts"

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

type ActionName = (typeof actions)[number]

/** Actions on a selection of workflows or executions. */
interface Part {
  readonly where?: unknown
  /** Several are planned as one. */
  readonly action: ActionName | ReadonlyArray<ActionName>
  readonly value?: string | undefined
  readonly find?: string | undefined
  readonly match?: "part" | "whole" | undefined
  readonly in?: Scope | undefined
  readonly status?: ExecutionStatus | undefined
  readonly before?: string | undefined
}

/** Actions on one instance, and others for the same plan. */
interface BulkPlanRequest extends Part {
  readonly instance?: string | undefined
  readonly also?: ReadonlyArray<Part> | undefined
}

/** Plans actions on many workflows or executions, from the present state of an instance. */
export const planBulk = Effect.fn("planBulk")(function* ({ instance: name, ...request }: BulkPlanRequest) {
  const client = yield* (yield* Instances).resolve(name)
  const { instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_bulk" })
  const { draft, ...counts } = yield* draftedBulk(client, request)
  return { plan: yield* (yield* WorkflowPlans).keep(draft), ...counts }
})

/** The draft of actions on an instance, and how much it is about. */
export const draftedBulk = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  { also = [], ...first }: Omit<BulkPlanRequest, "instance">
) {
  const parts = [first, ...also]
  yield* Effect.forEach(parts, ({ value }) => refuseMasked({ value }), { discard: true })
  const ready = yield* Effect.forEach(parts, (part) => checked(client, part))
  const needsWorkflows = ready.some(({ selection, wanted }) => selection !== undefined || wanted !== undefined)
  const withSecrets = new Set<Ready>()
  const keep = (workflow: Workflow) => kept(workflow, ready, withSecrets)
  const contents = needsWorkflows ? yield* instanceContents(client, keep) : nothing
  const outcomes = yield* Effect.forEach(ready, (one) =>
    one.wanted === undefined
      ? ofExecutions(client, one, contents)
      : ofWorkflows(client, one, { ...contents, hasSecrets: withSecrets.has(one) })
  )
  const all = yield* inSlices(() =>
    sortSliced(
      outcomes.flatMap(({ draft }) => draft.steps),
      order
    )
  )
  const merged = Result.all(Object.values(Arrays.groupBy(all, ({ id }) => id)).map(oneStepOf))
  const steps = Result.isSuccess(merged) ? merged.success : yield* alone(merged.failure)
  const draft: Draft = {
    kind: "bulk",
    steps,
    warnings: [
      ...new Set(outcomes.flatMap(({ draft }) => draft.warnings)),
      ...(yield* inSlices(() => addressWarnings(steps, contents.all)))
    ],
    blocked: outcomes.flatMap(({ draft }) => draft.blocked)
  }
  const sum = (field: "selected" | "unchanged") => outcomes.reduce((total, one) => total + one[field], 0)
  const notChanged = counted(outcomes.flatMap(({ stays }) => stays))
  return { draft, selected: sum("selected"), unchanged: sum("unchanged"), notChanged }
})

/** The step for all that is to be done to one thing: to create a tag or delete an execution twice is to do it once. */
const oneStepOf = ([first, ...others]: Arrays.NonEmptyReadonlyArray<Step>): Result.Result<Step, string> =>
  others.reduce<Result.Result<Step, string>>((merged, { change, id }) => {
    if (change.kind === "create-tag" || change.kind === "delete-execution") return merged
    return Result.flatMap(merged, (step) =>
      Result.mapBoth(mergedChange(step.change, change), {
        onFailure: (at) => `two actions change the same (${id}${at === "" ? "" : `, ${at}`}): plan one after the other`,
        onSuccess: (both) => stepOf(both, step.reason)
      })
    )
  }, Result.succeed(first))

/** A part with what it means, and its actions on workflows; none if it deletes executions. */
interface Ready {
  readonly part: Part
  readonly selection: Selection | undefined
  readonly wanted: ReadonlyArray<Action> | undefined
}

/** A part, checked. */
const checked = Effect.fnUntraced(function* (client: EngineClient["Service"], part: Part) {
  const names = typeof part.action === "string" ? [part.action] : part.action
  const others = names.filter((name) => name !== "delete_executions")
  const isOfWorkflows = others.length === names.length
  if (!isOfWorkflows && names.length > 1) {
    return yield* alone("delete_executions is planned alone, or beside other actions in `also`")
  }
  const wanted = isOfWorkflows ? yield* Effect.forEach(others, (action) => actionOf({ ...part, action })) : undefined
  const isFinding = others.every((name) => name === "replace_text" || name === "replace_credential")
  const selection =
    isOfWorkflows || part.where !== undefined ? yield* selectionOf(client, part.where, isFinding) : undefined
  return { part, selection, wanted } satisfies Ready
})

/** A workflow as far as the parts need it, with those that mean it. */
interface Kept {
  readonly workflow: Workflow
  readonly meantBy: ReadonlyArray<Ready>
}

/** `withSecrets` gets the parts that replace texts and mean a workflow with secrets: after the first, none are looked for. */
const kept = (workflow: Workflow, ready: ReadonlyArray<Ready>, withSecrets: Set<Ready>): Kept => {
  const meantBy = ready.filter(({ selection }) => selection?.fits(workflow) === true)
  const replacing = meantBy.filter((one) => !withSecrets.has(one) && one.wanted?.some(isReplacement) === true)
  if (replacing.length > 0 && workflow.nodes.some(({ parameters }) => holdsSecrets(parameters))) {
    for (const one of replacing) withSecrets.add(one)
  }
  const actions = meantBy.flatMap(({ wanted = [] }) => wanted)
  return {
    workflow: actions.some((action) => needsWhole(action, workflow)) ? workflow : outlineOf(workflow),
    meantBy
  }
}

const isReplacement = ({ _tag }: Action) => _tag === "replace_text"

interface Contents {
  readonly kept: ReadonlyArray<Kept>
  readonly all: ReadonlyArray<Workflow>
  readonly tags: ReadonlyArray<Tag>
  readonly credentials: KnownCredentials
  readonly archives: boolean
}

const nothing: Contents = { kept: [], all: [], tags: [], credentials: { all: [], isComplete: false }, archives: false }

/** Those of the workflows that a part means, and what is to be said of it. */
const meant = (client: EngineClient["Service"], one: Ready, selection: Selection, { all, kept }: Contents) =>
  select(client, selection, {
    all,
    fitting: kept.flatMap(({ meantBy, workflow }) => (meantBy.includes(one) ? [workflow] : []))
  })

const nothingStays: ReadonlyArray<string> = []

const ofExecutions = Effect.fnUntraced(function* (client: EngineClient["Service"], one: Ready, contents: Contents) {
  const { part, selection } = one
  const { problems, selected, warnings } =
    selection === undefined
      ? { problems: [], selected: undefined, warnings: [] }
      : yield* meant(client, one, selection, contents)
  const names = new Map(contents.all.map(({ id, name }) => [String(id), name]))
  const deletion = draftExecutionDeletions({ ...(yield* executionsOf(client, part, selected)), names })
  const draft = {
    ...deletion,
    warnings: [...deletion.warnings, ...warnings],
    blocked: [...deletion.blocked, ...problems]
  }
  return { draft, selected: draft.steps.length, unchanged: 0, stays: nothingStays }
})

const ofWorkflows = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  one: Ready,
  contents: Contents & { readonly hasSecrets: boolean }
) {
  const { selection = yield* selectionOf(client, one.part.where), wanted = [] } = one
  const { problems, selected, warnings } = yield* meant(client, one, selection, contents)
  const drafts = yield* Effect.forEach(wanted, (action) =>
    inSlices(() => draftBulk({ ...contents, instance: client.instance, action, selected }))
  )
  return {
    draft: {
      kind: "bulk",
      steps: withNames(
        drafts.flatMap(({ steps }) => steps),
        { tags: contents.tags, workflows: contents.all }
      ),
      warnings: [...drafts.flatMap((draft) => draft.warnings), ...warnings],
      blocked: [...drafts.flatMap(({ blocked }) => blocked), ...problems]
    },
    selected: selected.length,
    unchanged: Math.min(...drafts.map(({ unchanged }) => unchanged)),
    stays: drafts.flatMap(({ stays }) => stays)
  }
})

const alone = (problem: string) => Effect.fail(new InvalidArgument({ argument: "action", problem }))

const missing = (argument: string, action: string) =>
  Effect.fail(new InvalidArgument({ argument, problem: `is needed for ${action}` }))

/** The action with the arguments that it needs. */
const actionOf = Effect.fnUntraced(function* ({
  action,
  find,
  in: scope = {},
  match = "whole",
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
      return value === undefined ? yield* missing("value", action) : { _tag: action, find, value, match, scope }
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
    listWhole(client, (query) =>
      client.listExecutions({ ...query, ...filters, ...(workflowId === undefined ? {} : { workflowId }) })
    )
  const executions =
    selected === undefined
      ? yield* list()
      : (yield* Effect.forEach(selected, ({ id }) => list(id), { concurrency: 5 })).flat()
  return { instance: client.instance, before: at, executions }
})
