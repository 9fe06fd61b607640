import { Effect } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { fitted } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { onInstance } from "../../tools/errors.ts"
import { optional, workflowId } from "../../tools/parameters.ts"
import { resolvingNames, withNotices } from "../../tools/references.ts"
import { type Change, changeLines, differencesSliced } from "../../workflow/difference.ts"
import type { Workflow, WorkflowId } from "../../workflow/models.ts"
import { namedIds, withWorkflowNames } from "../../workflow/subWorkflows.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { versionArgument } from "../history/namedVersion.ts"
import { namesById } from "../workflowNames.ts"
import { counterpartOf, type Side, sideOf } from "./sides.ts"

/** Lines of differences that are shown. */
const maxLines = 60

/** Bytes that they may have. */
const room = 6500

export const compareWorkflows = AcrossTool.make("compare_workflows", {
  title: "Compare workflows",
  description:
    "Tell what differs from a to b: two workflows, one on two `instances` (a on the first), or two versions of one. Positions " +
    "and ids do not count",
  annotations: reads,
  needsAll: true,
  arguments: {
    a: workflowId,
    b: optional(workflowId.annotate({ description: "Default a, on another instance" })),
    versionA: versionArgument("Of workflow_history (^: before), execution id, previous, published"),
    versionB: versionArgument("Same")
  },
  run: Effect.fnUntraced(
    function* ({ a, b, versionA, versionB }, engines) {
      const [first, second = first, ...more] = engines
      if (first === undefined || second === undefined || more.length > 0) {
        return yield* new InvalidArgument({ argument: "instances", problem: "must be one or two" })
      }
      if (first === second && (b ?? a) === a && versionA === undefined && versionB === undefined) {
        const problem =
          (b === undefined ? "is missing: give it" : "is the same as a: give another") +
          ", or two `instances`, or a version: versionA previous tells what changed last"
        return yield* new InvalidArgument({ argument: "b", problem })
      }
      const on =
        (engine: EngineClient["Service"]) =>
        <A, E>(self: Effect.Effect<A, E, EngineClient>) =>
          onInstance(Effect.provideService(self, EngineClient, engine), engine.instance)
      const { notices: noticesOfA, workflow } = yield* named("a", a).pipe(on(first))
      const { notices, workflow: other } = yield* otherOf(workflow, a, b, first === second).pipe(on(second))
      const before = yield* sideOf(workflow, versionA, "versionA").pipe(on(first))
      const after = yield* sideOf(other, versionB, "versionB").pipe(on(second))
      const isHere = first === second
      const sides = isHere
        ? ([before, after] as const)
        : ([yield* byNames(before).pipe(on(first)), yield* byNames(after).pipe(on(second))] as const)
      const answer = yield* answerOf(...sides)
      return withNotices(answer, [...noticesOfA, ...notices])
    },
    Effect.catchTag("Unavailable", ({ guidance }) => Effect.succeed<JsonObject>({ guidance }))
  )
})

/** The workflows that a side runs, by their names: ids are others on every instance. */
const byNames = (side: Side) =>
  Effect.map(namesById(namedIds(side.content)), (names) => ({
    ...side,
    content: withWorkflowNames(side.content, names)
  }))

/** The workflow that an argument names, and what is to be said of the name. */
const named = (argument: "a" | "b", given: WorkflowId) =>
  resolvingNames([{ argument, kind: "workflow" }], { [argument]: given }, {}, ({ [argument]: id = given }, notices) =>
    Effect.map(
      EngineClient.use(({ getWorkflow }) => getWorkflow(id)),
      (workflow) => ({ workflow, notices })
    )
  )

const otherOf = (workflow: Workflow, a: WorkflowId, b: WorkflowId | undefined, isHere: boolean) => {
  const isSame = isHere && (b ?? a) === a
  if (isSame) return Effect.succeed({ workflow, notices: [] })
  return b === undefined
    ? Effect.map(counterpartOf(workflow), (counterpart) => ({ workflow: counterpart, notices: [] }))
    : named("b", b)
}

const answerOf = Effect.fnUntraced(function* (before: Side, after: Side) {
  const all = yield* inSlices(() => differencesSliced(before.content, after.content))
  const changes = all.filter((change) => !isDefault(change, before, after))
  const unsaid = all.length - changes.length
  return {
    a: before.head,
    b: after.head,
    ...(changes.length === 0 ? { same: true } : { changes: changes.length, differences: fittingLines(changes) }),
    ...(unsaid === 0
      ? {}
      : { note: `${unsaid} parameters that only the run shows are left out: an engine fills in defaults there.` })
  }
})

/** The first changes in words, as many as a model should have to read; what is left out is counted. */
const fittingLines = (changes: ReadonlyArray<Change>) => {
  const lines = changeLines(changes.slice(0, maxLines), maxLines)
  const kept = fitted(lines, room)
  return kept.length === changes.length ? kept : [...kept, `and ${changes.length - kept.length} more changes`]
}

/** Whether a change may be no more than what an engine has put into what it ran. */
const isDefault = ({ after, before, field, kind }: Change, from: Side, to: Side): boolean =>
  kind === "node" &&
  field?.startsWith("parameters") === true &&
  ((from.isFilled && !to.isFilled && after === undefined) || (to.isFilled && !from.isFilled && before === undefined))
