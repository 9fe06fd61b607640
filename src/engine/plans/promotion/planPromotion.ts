import { Effect, Option } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { fitting } from "../../../internal/fits.ts"
import { listed } from "../../../internal/foreignText.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { listWhole } from "../../client/listAll.ts"
import { generationOf, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { normalName } from "../../workflow/names.ts"
import { addressWarnings } from "../addressWarnings.ts"
import { descriptionOf, isArchived } from "../content.ts"
import { idsAmong } from "../idsAmong.ts"
import {
  atOnce,
  eachWorkflow,
  knownCredentials,
  outlineOf,
  readGeneration,
  withDescriptions
} from "../instanceContents.ts"
import { versioned } from "../NodeTypes.ts"
import { PlanConfig, WorkflowPlans } from "../Plans.ts"
import { readNodeTypes } from "../readNodeTypes.ts"
import type { Mapping, Matches } from "../settings.ts"
import { withNames } from "../withNames.ts"
import { chooseWorkflows, counterpartsOf } from "./chooseWorkflows.ts"
import { counterpartFinder } from "./counterparts.ts"
import { draftPromotion, type Edited } from "./draftPromotion.ts"
import { earlierPromotions } from "./earlierPromotions.ts"
import { type Input, noResources, type Options } from "./Input.ts"
import { mappingOf, stayingIn, uselessIn } from "./mapping.ts"
import { keepOf, uselessKeeps } from "./nodeValues.ts"
import { type Include, withResources, withVariables } from "./readResources.ts"
import { tested } from "./requiredTests.ts"
import { withRewrites } from "./rewriting.ts"
import { abandoned } from "./settingsAndTags.ts"

/** The workflows to promote, from one instance to another, and the options. */
export interface PromotionRequest extends Options {
  readonly from: string
  readonly to: string
  readonly ids?: ReadonlyArray<string> | undefined
  readonly tag?: string | undefined
  readonly name?: string | undefined
  /** The matches on the other instance, beside those of the configuration. */
  readonly mapping?: (Matches & { readonly match?: "part" | "whole" | undefined }) | undefined
  /** Fields of nodes, or settings, that stay as they are on the target, beside those of the configuration. */
  readonly keep?: ReadonlyArray<{ readonly node?: string | undefined; readonly field: string }> | undefined
  /** Whether nodes that the target has frozen are rewritten on the way. */
  readonly rewrite?: boolean | undefined
  /** The path of the folder on the target in which new workflows are made. */
  readonly folder?: string | undefined
  /** Things that go along beside those which workflows cannot do without. */
  readonly include?: ReadonlyArray<Include> | undefined
  /** The configured source of values for variables that the target lacks. */
  readonly source?: string | undefined
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
  const given = yield* Effect.forEach(request.keep ?? [], (one, index) =>
    Effect.mapError(
      Effect.fromResult(keepOf(one)),
      (problem) => new InvalidArgument({ argument: `keep.${index}`, problem })
    )
  )
  const isAsked = yield* selection(request)
  const mapped = mappedBy(request, promotion.mappings)
  const promoted = earlierPromotions(yield* plans.entries, from, to)
  const theirs = yield* eachWorkflow(source, (workflow) => (isAsked(workflow) ? workflow : outlineOf(workflow)))
  const selected = yield* selectedIn(request, theirs, isAsked)
  const listed = new Map(theirs.map((workflow) => [String(workflow.id), workflow]))
  const mayBecome = counterpartsOf({ from, selected, source: listed, options: request, promoted, ...mapped })
  const used = new Set<string>()
  const keep = (workflow: Workflow) => {
    for (const node of workflow.nodes) used.add(versioned(node))
    return mayBecome(workflow) ? workflow : outlineOf(workflow)
  }
  const [targetWorkflows, tags] = yield* Effect.all([eachWorkflow(target, keep), listWhole(target, target.listTags)], {
    concurrency: 2
  })
  const credentials = yield* knownCredentials(target, targetWorkflows)
  const generation = yield* readGeneration(target, targetWorkflows, credentials)
  const asListed: Input = {
    from,
    to,
    selected,
    source: listed,
    target: targetWorkflows,
    tags,
    credentials,
    promoted,
    editors: new Map(),
    ...mapped,
    keep: [...promotion.keep, ...given],
    givenKeep: given,
    valuesMatch: request.mapping?.match,
    generation,
    nodeTypes: yield* readNodeTypes(source, target, used),
    options: request
  }
  const complete = yield* withDependencies(asListed, source, isAsked)
  const rewritten = request.rewrite === true ? yield* withRewrites(complete, source, target) : complete
  const passing = yield* tested(source, promotion.tests, rewritten)
  const input = yield* withResources(passing, source, target, request)
  return yield* withVariables(input, request, (whole) => planned(request, whole, { source, target, theirs }))
})

/** Keeps the plan of a promotion of which everything is read. */
const planned = Effect.fnUntraced(function* (
  request: PromotionRequest,
  input: Input,
  { source, target, theirs }: Record<"source" | "target", Client> & { readonly theirs: ReadonlyArray<Workflow> }
) {
  const plans = yield* WorkflowPlans
  const { tags, target: targetWorkflows } = input
  const whole = yield* described(input, source, target)
  const first = yield* inSlices(() => draftPromotion(whole))
  const editors = yield* editorsOf(target, first.edited)
  const {
    edited: _edited,
    outcomes,
    ...draft
  } = editors.size === 0 ? first : yield* inSlices(() => draftPromotion({ ...whole, editors }))
  const strays =
    request.mapping === undefined
      ? []
      : [...uselessIn(request.mapping, theirs, input.resources ?? noResources), ...stayingIn(input)]
  const left = abandoned(input).filter(isMeant(request, input.mapping))
  const plan = yield* plans.keep({
    ...draft,
    steps: withNames(draft.steps, { tags, workflows: targetWorkflows }),
    warnings: [
      ...strays,
      ...uselessKeeps(
        input,
        outcomes.map(({ id }) => id)
      ),
      ...draft.warnings,
      ...(yield* inSlices(() => addressWarnings(draft.steps, targetWorkflows))),
      ...(left.length === 0 ? [] : [stays(request, left)])
    ]
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

/** Adds what comes along unasked, of which only outlines were kept. */
const withDependencies = Effect.fnUntraced(function* (
  input: Input,
  source: Client,
  isAsked: (workflow: Workflow) => boolean
) {
  const { chosen } = chooseWorkflows(input, counterpartFinder(input))
  const outlined = [...chosen.keys()].flatMap((id) => {
    const workflow = input.source.get(id)
    return workflow === undefined || isAsked(workflow) ? [] : [workflow.id]
  })
  const read = yield* Effect.forEach(outlined, (id) => source.getWorkflow(id), { concurrency: atOnce })
  return {
    ...input,
    source: new Map([...input.source, ...read.map((workflow) => [String(workflow.id), workflow] as const)])
  } satisfies Input
})

/** Adds the descriptions of promoted workflows and their counterparts, if both engines have them. */
const described = Effect.fnUntraced(function* (input: Input, source: Client, target: Client) {
  const { generation, promoted } = input
  const isNew = [...input.source.values()].some((one) => generationOf(one) === "2.x")
  if (generation === "1.x" || !isNew) return input
  const { outcomes } = yield* inSlices(() => draftPromotion(input))
  const going = outcomes.filter(({ action }) => action !== "blocked")
  const theirs = going.flatMap(({ id }) => input.source.get(id) ?? [])
  const sourceById = new Map((yield* withDescriptions(source, theirs)).map((one): [string, Workflow] => [one.id, one]))
  const counterparts = new Set(
    going.flatMap(({ id, counterpart }) => {
      const workflow = sourceById.get(id)
      const isAsked = workflow !== undefined && descriptionOf(workflow) !== ""
      return counterpart !== undefined && (isAsked || promoted.written.get(counterpart)?.description !== undefined)
        ? [counterpart]
        : []
    })
  )
  const describedTargets = yield* withDescriptions(
    target,
    input.target.filter(({ id }) => counterparts.has(id))
  )
  const targetById = new Map(describedTargets.map((one): [string, Workflow] => [one.id, one]))
  return {
    ...input,
    source: new Map([...input.source].map(([id, one]) => [id, sourceById.get(id) ?? one])),
    target: input.target.map((one) => targetById.get(one.id) ?? one)
  } satisfies Input
})

/** Whether the request would select a workflow of the target, if it were on the source. */
const isMeant = ({ ids, name, tag }: PromotionRequest, mapping: Mapping) => {
  const isNamed = fitting(name ?? "*")
  return ({ name: workflowName, tags = [] }: Workflow): boolean =>
    ids === undefined &&
    isNamed(workflowName) &&
    (tag === undefined || tags.some((one) => one.name === (mapping.tags[tag] ?? tag)))
}

/** Workflows that are named in one warning. */
const mostNamed = 10

const stays = ({ from, to }: PromotionRequest, left: ReadonlyArray<Workflow>): string => {
  const names = left.map(({ id, name }) => `${name} (${id})`)
  return `${to} keeps workflows that came from ${from} and are there no more: ${listed(names, mostNamed)}`
}

/** Whether a workflow of the source is asked for. */
const selection = ({ ids, name, tag }: PromotionRequest) => {
  if (ids === undefined && name === undefined && tag === undefined) {
    return Effect.fail(new InvalidArgument({ argument: "arguments", problem: "must hold ids, tag or name" }))
  }
  const chosen = ids === undefined ? undefined : new Set<string>(ids)
  const names = new Set(ids?.map(normalName))
  const isNamed = fitting(name ?? "*")
  return Effect.succeed(
    (workflow: Workflow): boolean =>
      (chosen === undefined || chosen.has(workflow.id) || names.has(normalName(workflow.name))) &&
      isNamed(workflow.name) &&
      (tag === undefined || (workflow.tags ?? []).some((one) => one.name === tag)) &&
      (chosen !== undefined || !isArchived(workflow))
  )
}

/** The selected workflows; the planner reports unknown ids. */
const selectedIn = Effect.fnUntraced(function* (
  { from, ids, name, tag }: PromotionRequest,
  all: ReadonlyArray<Workflow>,
  isAsked: (workflow: Workflow) => boolean
) {
  const sourceIds = new Set<string>(all.map(({ id }) => id))
  const chosen = ids === undefined ? undefined : yield* idsAmong("ids", ids, all, from)
  const missing = (chosen ?? []).filter((id) => !sourceIds.has(id))
  const meant = all.filter((workflow) => isAsked(workflow) && (chosen === undefined || chosen.includes(workflow.id)))
  const selected = [...meant.map(({ id }) => String(id)), ...missing]
  if (selected.length > 0) return selected
  const argument = tag !== undefined ? "tag" : name === undefined && ids !== undefined ? "ids" : "name"
  return yield* new InvalidArgument({ argument, problem: `fits no workflow on ${from}` })
})

/** Versions that are looked through for authors, and workflows at most. */
const versionLimit = 20
const mostEdited = 50

/** The editors of workflows, in words that end a sentence, by the workflow; engines of generation 2 tell authors. */
const editorsOf = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  edited: ReadonlyArray<Edited>
): Effect.fn.Return<ReadonlyMap<string, string>> {
  const editors = yield* Effect.forEach(
    edited.slice(0, mostEdited),
    Effect.fnUntraced(function* ({ isVersioned, since, workflow: { id, updatedAt } }) {
      const page = isVersioned
        ? yield* Effect.orElseSucceed(
            client.listVersionsIfSupported(WorkflowId.make(id), { limit: versionLimit }),
            Option.none
          )
        : Option.none()
      const versions = Option.match(page, { onNone: () => [], onSome: ({ data }) => data })
      const later = versions.filter(({ createdAt }) => createdAt !== undefined && Date.parse(createdAt) > since)
      const authors = [
        ...new Set((later.length > 0 ? later : versions.slice(0, 1)).flatMap(({ authors: by }) => by ?? []))
      ]
      const when = (later[0] ?? versions[0])?.createdAt ?? updatedAt
      const by = authors.length === 0 ? ", the engine does not tell by whom" : ` by ${authors.join(", ")}`
      return [id, when === undefined ? by : `${by}, last at ${when}`] as const
    }),
    { concurrency: 5 }
  )
  return new Map(editors)
})
