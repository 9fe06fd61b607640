import { Array as Arrays, Effect } from "effect"

import type { Driver } from "../../changes/Driver.ts"
import type { Estimate } from "../../changes/Plan.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { ReadOnlyInstance } from "../client/EngineError.ts"
import type { Instances } from "../client/Instances.ts"
import { Agreed, agreement } from "../client/Protection.ts"
import { readAddressWarnings } from "./addressWarnings.ts"
import { isCreation } from "./call/CallChange.ts"
import { type Change, deletionOf, idOf, isRetried, updateOf } from "./Change.ts"
import { describing, undoes } from "./describe.ts"
import { type ChangeError, explain } from "./failures.ts"
import { holdToGuards, planProblems, warnOfProtected } from "./guards.ts"
import { invert } from "./invert.ts"
import { unremovableSettings } from "./judgement.ts"
import { relinkMadeAnew } from "./madeAnew.ts"
import { changeOnto } from "./merging.ts"
import { batchesOf, order } from "./order.ts"
import { questionOf } from "./planQuestion.ts"
import { readRemoteState, type WorkflowState } from "./RemoteState.ts"
import { resolve } from "./resolve.ts"
import { send } from "./send.ts"
import type { Guards } from "./settings.ts"
import type { Step } from "./Step.ts"
import { creatorOf, makesRows } from "./tables/TableChange.ts"

const callCounts: { readonly [kind in Change["kind"]]: number } = {
  create: 2,
  update: 5,
  tags: 4,
  active: 4,
  archived: 3,
  delete: 4,
  "create-tag": 2,
  "delete-tag": 3,
  "delete-execution": 1,
  retry: 2,
  "run-anew": 4,
  call: 3,
  table: 4
}

/** Calls that an instance takes in a second, as long as nobody has configured otherwise. */
const callsPerSecond = 60

const estimate = (steps: ReadonlyArray<Step>): Estimate => {
  const calls = steps.reduce((sum, { change }) => sum + callCounts[change.kind], 0)
  const paced = steps.filter(({ change }) => isRetried(change)).length
  return { calls, seconds: Math.max(paced, Math.ceil(calls / callsPerSecond)) }
}

/** Workflows, their tags and executions on any instance, for plans that change them. */
export const make = (
  instances: Instances["Service"],
  {
    guards,
    mayApply,
    problem
  }: {
    readonly guards: Guards
    readonly mayApply: (plan: { readonly steps: ReadonlyArray<Step> }) => Effect.Effect<unknown, ChangeError>
    readonly problem?: string | undefined
  }
): Driver<Change, WorkflowState, ChangeError> => {
  const isAllReadOnly = instances.names.every((name) => instances.readOnly.has(name))
  const reason = problem ?? (isAllReadOnly ? "every instance is read-only" : undefined)
  const readOnly = reason === undefined ? undefined : { reason, error: readOnlyError(instances.names, problem) }

  const at = <A>(
    changes: ReadonlyArray<Change>,
    use: (client: EngineClient["Service"]) => Effect.Effect<A, ChangeError>
  ): Effect.Effect<A, ChangeError> => Effect.flatMap(instances.resolve(changes[0]?.instance), use)

  return {
    ...describing,
    idOf,
    resolve,
    order,
    batches: batchesOf,
    sending: (change) => ({
      isAlone: change.kind !== "delete-execution",
      isRepeatable: !isCreated(change) && (change.kind !== "call" || change.read !== undefined)
    }),
    creations: {
      isCreation: isCreated,
      describe: (change) =>
        change.kind === "create"
          ? `workflow "${change.content.name}"`
          : change.kind === "create-tag"
            ? `tag "${change.name}"`
            : isRetried(change)
              ? `the new run of execution ${change.execution}`
              : change.kind === "call"
                ? `the outcome of ${change.call}`
                : idOf(change),
      unknownReason: "OutcomeUnknown",
      search: "The next call looks for it, and only creates it where it is not there.",
      advice: "look at them, and plan again",
      missing: "what it belongs to was not created",
      isAwaited: true
    },
    readRemoteState: (changes, plan) => at(changes, (client) => readRemoteState(client, changes, plan)),
    relations: (change) => ({
      follows: stepItFollows(change),
      needs: change.kind === "create" || change.kind === "update" ? change.needs : undefined,
      // What is deleted runs no more.
      settledBy: change.kind === "active" && !change.after ? deletionOf(change) : undefined
    }),
    // Plans are agreed to as a whole, before they are applied.
    send: (changes) =>
      Effect.provideService(
        at(changes, (client) => send(client, changes)),
        Agreed,
        agreement("all")
      ),
    explain,
    invert,
    rebase: { about: workflowOf, onto: changeOnto },
    rollback: {
      undoes,
      relink: relinkMadeAnew,
      limits: (touched) => ({
        irreversible: touched.flatMap(({ change, id, undo }) => {
          if (undo.length > 0) return []
          if (isRetried(change)) return [{ what: id, reason: "a run cannot be taken back" }]
          if (change.kind === "call") return [{ what: id, reason: "the engine's API has no call that undoes it" }]
          return change.kind === "delete-execution"
            ? [{ what: id, reason: "a deleted execution cannot be brought back" }]
            : []
        }),
        later: []
      }),
      warnings: (steps, read) => {
        const workflows = shownIn(read)
        const addresses = at(
          steps.map(({ change }) => change),
          (client) => readAddressWarnings(client, steps, workflows)
        ).pipe(
          Effect.catch(({ message }) =>
            Effect.succeed([`Whether other workflows lose webhooks to these, or keep them, is not known: ${message}`])
          )
        )
        return Effect.map(addresses, (lines) => [
          ...warningsOf(steps),
          ...unremovableSettings(steps, workflows),
          ...lines
        ])
      }
    },
    guards: {
      hold: (draft) => Effect.succeed(holdToGuards(guards, draft, instances.holdsKey)),
      holdRollback: (draft, isForward) =>
        isForward ? holdToGuards(guards, draft, instances.holdsKey) : warnOfProtected(guards, draft),
      problems: (plan, agreed) => planProblems(guards, plan.steps, agreed),
      mayApply,
      question: (plan) => questionOf(guards, plan),
      addresses: ({ steps }) =>
        Effect.forEach([...new Set(steps.map(({ change }) => change.instance))].toSorted(), (name) =>
          Effect.map(instances.resolve(name), ({ host, instance }) => `${instance} ${host}`)
        )
    },
    readOnly: () => readOnly,
    estimate
  }
}

/** Whether a change makes something new, which must not be made twice. */
const isCreated = (change: Change): boolean =>
  ["create", "create-tag", "retry", "run-anew"].includes(change.kind) ||
  (change.kind === "call" && isCreation(change)) ||
  (change.kind === "table" && makesRows(change))

/** The workflow of a change, with its instance. */
const workflowOf = (change: Change): string | undefined =>
  "workflow" in change &&
  change.kind !== "delete-execution" &&
  !isRetried(change) &&
  typeof change.workflow === "string"
    ? `${change.instance}/${change.workflow}`
    : undefined

/** The step without which a change is not sent: what somebody else has changed is neither tagged nor switched on for what it should have become. */
const stepItFollows = (change: Change): string | undefined => {
  if (change.kind === "call" && isCreation(change)) return change.parent?.created_by
  if (change.kind === "call") return typeof change.thing === "object" ? change.thing.created_by : undefined
  if (change.kind === "create") return typeof change.folder === "object" ? change.folder.created_by : undefined
  if (change.kind === "table") return creatorOf(change)
  if ("workflow" in change && typeof change.workflow !== "string") return change.workflow.created_by
  return change.kind === "tags" || (change.kind === "active" && change.after) ? updateOf(change) : undefined
}

const readOnlyError = (names: ReadonlyArray<string>, problem: string | undefined) =>
  new ReadOnlyInstance({
    instance: names.join(", "),
    operation: "apply_plan",
    ...(problem === undefined ? {} : { reason: `No plan can be applied here: ${problem}.` })
  })

/** Side effects of a rollback, said before it is done. */
const warningsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const kinds = Arrays.groupBy(steps, ({ change }) => change.kind)
  const { create = [], delete: deleted = [] } = kinds
  return [
    ...(deleted.length === 0
      ? []
      : [`Workflows that the plan created are deleted (${deleted.length}), with their executions`]),
    ...(create.length === 0
      ? []
      : [`Deleted workflows are created anew (${create.length}), under new ids and without their executions`])
  ]
}

const shownIn = (read: ReadonlyArray<WorkflowState>) => new Map(read.flatMap(({ workflows }) => [...workflows]))
