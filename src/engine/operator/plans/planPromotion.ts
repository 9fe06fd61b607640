import { Effect } from "effect"

import { listed } from "../../../internal/clipped.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { addressWarnings } from "../../changes/addressWarnings.ts"
import { descriptionOf, isArchived } from "../../changes/content.ts"
import { estimate } from "../../changes/driver.ts"
import { WorkflowPlans, PlanConfig } from "../../changes/Plans.ts"
import { draftPromotion } from "../../changes/promotion/draftPromotion.ts"
import { earlierPromotions } from "../../changes/promotion/earlierPromotions.ts"
import type { Input, Options } from "../../changes/promotion/Input.ts"
import { mappingOf, stayingIn, uselessIn } from "../../changes/promotion/mapping.ts"
import { abandoned } from "../../changes/promotion/settingsAndTags.ts"
import { isSecondGeneration } from "../../changes/RemoteState.ts"
import { fits, type Mapping, type Matches } from "../../changes/settings.ts"
import { withNames } from "../../changes/withNames.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listAll } from "../../client/listAll.ts"
import type { Workflow } from "../../client/models.ts"
import { editorsOf } from "./editors.ts"
import { allWorkflows, generationOf, knownCredentials, withDescriptions } from "./instanceContents.ts"
import { tested } from "./requiredTests.ts"
import { nodeTypesOf } from "./targetNodeTypes.ts"

/** Which workflows of which instance go where, and how. */
export interface PromotionRequest extends Options {
  readonly from: string
  readonly to: string
  readonly ids?: ReadonlyArray<string> | undefined
  readonly tag?: string | undefined
  readonly name?: string | undefined
  /** What stands for what on the other instance, beside what the configuration says. */
  readonly mapping?: Matches | undefined
  /** Whether it is a person who asks, and has the files with the keys: then values may stand for secrets. */
  readonly isPersonal?: boolean
}

/** Plans a promotion from the present state of both instances. */
export const planPromotion = Effect.fn("planPromotion")(function* (request: PromotionRequest) {
  const { from, to } = request
  const instances = yield* Instances
  const [source, target] = yield* Effect.all([instances.resolve(from), instances.resolve(to)])
  if (source.instance === target.instance) {
    return yield* new InvalidArgument({ argument: "to", problem: "must be another instance than from" })
  }
  if (target.isReadOnly) return yield* new ReadOnlyInstance({ instance: to, operation: "plan_promotion" })
  const { promotion } = yield* PlanConfig
  const plans = yield* WorkflowPlans
  const [theirs, own, tags] = yield* Effect.all(
    [allWorkflows(source), allWorkflows(target), listAll(target.listTags)],
    { concurrency: 3 }
  )
  const credentials = yield* knownCredentials(target, own)
  const generation = yield* generationOf(target, own, credentials)
  const selected = yield* select(request, theirs)
  const input: Input = yield* tested(source, promotion.tests, {
    from,
    to,
    selected,
    source: new Map(theirs.map((workflow) => [String(workflow.id), workflow])),
    target: own,
    tags,
    credentials,
    promoted: earlierPromotions(yield* plans.entries, from, to),
    editors: new Map(),
    ...mappedBy(request, promotion.mappings),
    keep: promotion.keep,
    generation,
    nodeTypes: yield* nodeTypesOf(source, target, own),
    options: request
  })
  const whole = yield* described(input, source, target)
  const first = draftPromotion(whole)
  const editors = yield* editorsOf(target, first.edited)
  const { edited: _edited, outcomes, ...draft } = editors.size === 0 ? first : draftPromotion({ ...whole, editors })
  const strays = request.mapping === undefined ? [] : [...uselessIn(request.mapping, theirs), ...stayingIn(input)]
  const left = abandoned(input).filter((counterpart) => isMeant(request, counterpart, input.mapping))
  const plan = yield* plans.keep({
    ...draft,
    steps: withNames(draft.steps, { tags, workflows: own }),
    warnings: [
      ...strays,
      ...draft.warnings,
      ...addressWarnings(draft.steps, own),
      ...(left.length === 0 ? [] : [stays(request, left)])
    ],
    estimate: estimate(draft.steps)
  })
  return { plan, outcomes }
})

const mappedBy = ({ from, isPersonal = false, mapping, to }: PromotionRequest, mappings: ReadonlyArray<Mapping>) => {
  const given = isPersonal || mapping === undefined ? mapping : { ...mapping, values: {} }
  return {
    mapping: mappingOf(mappings, { from, to, given }),
    givenValues: isPersonal ? {} : (mapping?.values ?? {})
  } satisfies Pick<Input, "givenValues" | "mapping">
}

type Client = EngineClient["Service"]

/** Adds the descriptions of promoted workflows and their counterparts, if both engines have them. */
const described = Effect.fnUntraced(function* (input: Input, source: Client, target: Client) {
  const { generation, promoted } = input
  const isNew = [...input.source.values()].some(isSecondGeneration)
  if (generation === "1.x" || !isNew) return input
  const going = draftPromotion(input).outcomes.filter(({ action }) => action !== "blocked")
  const theirs = going.flatMap(({ id }) => input.source.get(id) ?? [])
  const told = new Map((yield* withDescriptions(source, theirs)).map((one): [string, Workflow] => [one.id, one]))
  const counterparts = new Set(
    going.flatMap(({ id, counterpart }) => {
      const workflow = told.get(id)
      const isAsked = workflow !== undefined && descriptionOf(workflow) !== ""
      return counterpart !== undefined && (isAsked || promoted.written.get(counterpart)?.description !== undefined)
        ? [counterpart]
        : []
    })
  )
  const own = yield* withDescriptions(
    target,
    input.target.filter(({ id }) => counterparts.has(id))
  )
  const known = new Map(own.map((one): [string, Workflow] => [one.id, one]))
  return {
    ...input,
    source: new Map([...input.source].map(([id, one]) => [id, told.get(id) ?? one])),
    target: input.target.map((one) => known.get(one.id) ?? one)
  } satisfies Input
})

/** Whether the request would select a workflow of the target, if it were on the source. */
const isMeant = ({ ids, name, tag }: PromotionRequest, { name: own, tags = [] }: Workflow, mapping: Mapping): boolean =>
  ids === undefined &&
  (name === undefined || fits(name, own)) &&
  (tag === undefined || tags.some((one) => one.name === (mapping.tags[tag] ?? tag)))

/** Workflows that are named in one warning. */
const mostNamed = 10

const stays = ({ from, to }: PromotionRequest, left: ReadonlyArray<Workflow>): string => {
  const names = left.map(({ id, name }) => `${name} (${id})`)
  return `${to} keeps workflows that came from ${from} and are there no more: ${listed(names, mostNamed)}`
}

/** The selected workflows; the planner reports unknown ids. */
const select = Effect.fnUntraced(function* ({ from, ids, name, tag }: PromotionRequest, all: ReadonlyArray<Workflow>) {
  if (ids === undefined && name === undefined && tag === undefined) {
    return yield* new InvalidArgument({ argument: "arguments", problem: "must hold ids, tag or name" })
  }
  const found = all.filter(
    (workflow) =>
      (ids === undefined || ids.includes(workflow.id)) &&
      (name === undefined || fits(name, workflow.name)) &&
      (tag === undefined || (workflow.tags ?? []).some((one) => one.name === tag)) &&
      (ids !== undefined || !isArchived(workflow))
  )
  const missing = (ids ?? []).filter((id) => !all.some((workflow) => workflow.id === id))
  const selected = [...found.map((workflow) => String(workflow.id)), ...missing]
  if (selected.length > 0) return selected
  const argument = tag !== undefined ? "tag" : "name"
  return yield* new InvalidArgument({ argument, problem: `fits no workflow on ${from}` })
})
