import { Context, Effect, Layer, Match, Option, Predicate, Result, Schema, SchemaTransformation } from "effect"

import { entryOf, inMemory, type Journal } from "../../changes/Journal.ts"
import * as Core from "../../changes/Plans.ts"
import { grouped } from "../../internal/collections.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { Instances } from "../client/Instances.ts"
import { isOfFrozenType } from "../workflow/frozenTypes.ts"
import { nameOf } from "../workflow/nodes.ts"
import { Change } from "./Change.ts"
import * as WorkflowDriver from "./driver.ts"
import type { ChangeError } from "./failures.ts"
import { withoutFrozen } from "./guards.ts"
import { invert } from "./invert.ts"
import { PlanFields, type PlanSettings, PromotionFields, type PromotionSettings } from "./settings.ts"
import type { Step } from "./Step.ts"
import { tableCalls } from "./tables/TableChange.ts"

/** An update with something else in place of its nodes after it; any other change as it is. */
const withNodesAfter = (
  change: unknown,
  nodesOf: (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
): unknown => {
  if (!isJsonObject(change) || change.kind !== "update" || !isJsonObject(change.after)) return change
  const before = listOf(objectOf(change.before).nodes)
  if (before.length === 0) return change
  return { ...change, after: { ...change.after, nodes: nodesOf(listOf(change.after.nodes), before) } }
}

/** In place of nodes that an update leaves as they are: where they stand before it. */
const folded = (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) => {
  const places = new Map(before.map((node, place) => [nameOf(objectOf(node)), place]))
  return after.map((node) => {
    const place = places.get(nameOf(objectOf(node)))
    return place !== undefined && isSameJson(before[place], node) ? place : node
  })
}

const unfolded = (after: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>) =>
  after.map((node): unknown => (Predicate.isNumber(node) ? before[node] : node))

const anyJson: Schema.Codec<Change, unknown> = Change

/** A change as journals hold it: nodes that an update does not touch are written, and kept in memory, once. */
const WrittenChange: Schema.Codec<Change, unknown> = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.Unknown,
    SchemaTransformation.transform<unknown, unknown>({
      decode: (change) => withNodesAfter(change, unfolded),
      encode: (change) => withNodesAfter(change, folded)
    })
  ),
  Schema.decodeTo(anyJson)
)

/** One line of the journal of workflows. */
export const Entry = entryOf(
  WrittenChange,
  {
    workflow: Schema.optionalKey(Schema.String),
    instance: Schema.optionalKey(Schema.String),
    credential: Schema.optionalKey(Schema.String),
    created: Schema.optionalKey(Schema.String)
  },
  invert
)
export type Entry = typeof Entry.Type

/** The journal of workflows: plans, their progress and the audit log, in a list that only grows. */
export class WorkflowJournal extends Context.Service<WorkflowJournal, Journal<Change>>()(
  "workflow-tool-server/engine/WorkflowJournal"
) {
  /** Kept as long as the process runs. */
  static readonly layerMemory = Layer.effect(WorkflowJournal, inMemory<Change>())
}

interface Settings {
  readonly plans: PlanSettings
  readonly promotion: PromotionSettings
  /** The reason for which the journal cannot be written: without it nothing is changed. */
  readonly journalProblem?: string
}

/** The configuration of plans of workflows: their keeping and their guards. */
export class PlanConfig extends Context.Service<PlanConfig, Settings>()("workflow-tool-server/engine/PlanConfig") {
  /** The defaults. */
  static readonly layerDefault = Layer.effect(
    PlanConfig,
    Effect.orDie(
      Effect.all({
        plans: Schema.decodeUnknownEffect(PlanFields)({}),
        promotion: Schema.decodeUnknownEffect(PromotionFields)({})
      })
    )
  )
}

/** The calls of the engine that carry out a change. */
const callsOf = Match.type<Change>().pipe(
  Match.withReturnType<ReadonlyArray<string>>(),
  Match.discriminatorsExhaustive("kind")({
    create: () => ["POST /workflows"],
    update: () => ["PUT /workflows/{}"],
    tags: () => ["PUT /workflows/{}/tags"],
    active: ({ after }) => [after ? "POST /workflows/{}/activate" : "POST /workflows/{}/deactivate"],
    archived: ({ after }) => [after ? "POST /workflows/{}/archive" : "POST /workflows/{}/unarchive"],
    delete: () => ["DELETE /workflows/{}"],
    "create-tag": () => ["POST /tags"],
    "delete-tag": () => ["DELETE /tags/{}"],
    "delete-execution": () => ["DELETE /executions/{}"],
    retry: () => ["POST /executions/{}/retry"],
    "run-anew": () => [],
    call: ({ call }) => [call],
    table: tableCalls
  })
)

/** Plans of workflows that are kept, applied once, go on after a break, and can be rolled back. */
export class WorkflowPlans extends Context.Service<WorkflowPlans, Core.Plans<Change, ChangeError>>()(
  "workflow-tool-server/engine/WorkflowPlans"
) {
  static readonly layer: Layer.Layer<WorkflowPlans, never, Instances | PlanConfig | WorkflowJournal> = Layer.effect(
    WorkflowPlans,
    Effect.gen(function* () {
      const { journalProblem: problem, plans } = yield* PlanConfig
      const instances = yield* Instances
      const requireRights = ({ steps }: { readonly steps: ReadonlyArray<Step> }) =>
        Effect.forEach(
          grouped(steps, ({ change }) => change.instance),
          ([instance, changes]) =>
            Effect.flatMap(instances.resolve(instance), (client) =>
              client.requireRights([...new Set(changes.flatMap(({ change }) => callsOf(change)))])
            )
        )
      /** The versions of the instances that freeze nodes, as far as steps have some. */
      const freezingVersions = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
        const concerned = steps.flatMap(({ change }) =>
          (change.kind === "create" && change.content.nodes.some(isOfFrozenType)) ||
          (change.kind === "update" && change.after.nodes.some(isOfFrozenType))
            ? [change.instance]
            : []
        )
        const versions = yield* Effect.forEach([...new Set(concerned)], (name) =>
          Effect.map(
            Effect.flatMap(Effect.option(instances.resolve(name)), (client) =>
              Option.isNone(client) ? Effect.undefined : client.value.freezingVersion
            ),
            (version) => (version === undefined ? [] : [[name, version] as const])
          )
        )
        return new Map(versions.flat())
      })
      const driver = WorkflowDriver.make(instances, { guards: plans.guards, mayApply: requireRights, problem })
      const all = yield* Core.make({ driver, journal: yield* WorkflowJournal, planMinutes: plans.planMinutes })
      return {
        ...all,
        keep: (given) =>
          Effect.gen(function* () {
            const draft = withoutFrozen(given, yield* freezingVersions(given.steps))
            const result = yield* Effect.result(requireRights(draft))
            return yield* all.keep(
              Result.isSuccess(result) ? draft : { ...draft, warnings: [...draft.warnings, result.failure.message] }
            )
          })
      }
    })
  )
}
