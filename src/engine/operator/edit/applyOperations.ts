import { Match, Result } from "effect"

import { weightOfJson } from "../../../internal/json/values.ts"
import type { Sliced } from "../../../internal/Sliced.ts"
import type { Workflow } from "../../workflow/models.ts"
import { validate } from "../../workflow/validate.ts"
import * as adding from "./adding.ts"
import type { Draft, Lookups, Step } from "./Draft.ts"
import * as nodes from "./nodes.ts"
import type { Operation } from "./Operation.ts"
import * as about from "./settingsAndTags.ts"
import * as values from "./values.ts"
import * as wiring from "./wiring.ts"

/**
 * The reason why operations cannot be applied, with the index of the first one that fails; without an index, the resulting
 * workflow breaks a rule.
 */
export interface EditProblem {
  readonly operation?: number
  readonly problem: string
}

/** A workflow as operations make it. */
export interface Edited extends Draft {
  /** Rules that the workflow broke before, and breaks still. */
  readonly stillBroken: ReadonlyArray<string>
}

/**
 * Applies operations in their order, all or none. Everything that they do not name stays as it is, to the same objects.
 * The result keeps the rules about workflows, unless the workflow broke the same rule before.
 */
export function* applyOperations(
  workflow: Workflow,
  operations: ReadonlyArray<Operation>,
  lookups: Lookups
): Sliced<Result.Result<Edited, EditProblem>> {
  let draft: Draft = {
    workflow,
    tags: (workflow.tags ?? []).map(({ name }) => name),
    notes: [],
    warnings: [],
    retyped: []
  }
  const whole = weightOfJson(workflow.nodes)
  for (const [place, operation] of operations.entries()) {
    yield readsAll.has(operation.op) ? whole : 1 + draft.workflow.nodes.length / 20
    const step = applied(draft, operation, lookups, place)
    if (Result.isFailure(step)) return Result.fail({ operation: place, problem: step.failure })
    draft = step.success
  }
  draft = adding.withNotesOfRetyped(draft)
  const torn = nodes.problemOfGroups(draft, operations)
  if (torn !== undefined) return Result.fail({ problem: torn })
  yield whole
  const [before, after] = [brokenRule(workflow), brokenRule(draft.workflow)]
  if (after === undefined) return Result.succeed({ ...draft, stillBroken: [] })
  return after === before ? Result.succeed({ ...draft, stillBroken: [after] }) : Result.fail({ problem: after })
}

/** Operations that go through everything that a workflow holds. */
const readsAll: ReadonlySet<Operation["op"]> = new Set(["arrange", "rename", "replace"])

/** The first rule that a workflow breaks. An active one has to have a trigger. */
const brokenRule = ({ active, connections, name, nodes }: Workflow): string | undefined =>
  Result.match(validate({ name, nodes, connections, active, isActive: active }), {
    onFailure: ({ message }) => message,
    onSuccess: () => undefined
  })

const applied = (draft: Draft, operation: Operation, lookups: Lookups, place: number): Step =>
  Match.value(operation).pipe(
    Match.discriminatorsExhaustive("op")({
      set: (one) => values.set(draft, one, lookups, place),
      replace: (one) => values.replace(draft, one, lookups, place),
      add: (one) => adding.add(draft, one, lookups, place),
      retype: (one) => adding.retype(draft, one, lookups, place),
      remove: (one) => adding.remove(draft, one, lookups, place),
      rename: (one) => nodes.rename(draft, one, lookups, place),
      connect: (one) => wiring.connect(draft, one, lookups, place),
      disconnect: (one) => wiring.disconnect(draft, one, lookups, place),
      enable: (one) => nodes.enable(draft, one, lookups, place),
      disable: (one) => nodes.disable(draft, one, lookups, place),
      credential: (one) => nodes.credential(draft, one, lookups, place),
      settings: (one) => about.settings(draft, one, lookups, place),
      tag: (one) => about.tag(draft, one, lookups, place),
      untag: (one) => about.untag(draft, one, lookups, place),
      note: (one) => nodes.note(draft, one, lookups, place),
      group: (one) => nodes.group(draft, one, lookups, place),
      move: (one) => nodes.move(draft, one, lookups, place),
      arrange: (one) => nodes.arrange(draft, one, lookups, place)
    })
  )
