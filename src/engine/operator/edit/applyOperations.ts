import { Result } from "effect"

import type { Workflow } from "../../client/models.ts"
import { validate } from "../../workflow/validate.ts"
import * as about from "./about.ts"
import type { Draft, Lookups, Step } from "./Draft.ts"
import * as nodes from "./nodes.ts"
import type { Operation } from "./Operation.ts"
import * as values from "./values.ts"
import * as wiring from "./wiring.ts"

/** Why operations cannot be applied: the first that cannot, counted from 0, or none where the result may not exist. */
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
export const applyOperations = (
  workflow: Workflow,
  operations: ReadonlyArray<Operation>,
  lookups: Lookups
): Result.Result<Edited, EditProblem> =>
  Result.gen(function* () {
    let draft: Draft = { workflow, tags: (workflow.tags ?? []).map(({ name }) => name), told: [] }
    for (const [place, operation] of operations.entries()) {
      draft = yield* Result.mapError(applied(draft, operation, lookups, place), (problem) => ({
        operation: place,
        problem
      }))
    }
    const [before, after] = [brokenRule(workflow), brokenRule(draft.workflow)]
    if (after === undefined) return { ...draft, stillBroken: [] }
    return after === before ? { ...draft, stillBroken: [after] } : yield* Result.fail({ problem: after })
  })

/** The first rule that a workflow breaks. An active one has to have a trigger. */
const brokenRule = ({ active, connections, name, nodes }: Workflow): string | undefined =>
  Result.match(validate({ name, nodes, connections, active }), {
    onFailure: ({ message }) => message,
    onSuccess: () => undefined
  })

const applied = (draft: Draft, operation: Operation, lookups: Lookups, place: number): Step => {
  switch (operation.op) {
    case "set":
      return values.set(draft, operation, lookups, place)
    case "replace":
      return values.replace(draft, operation, lookups, place)
    case "add":
      return nodes.add(draft, operation, lookups, place)
    case "remove":
      return nodes.remove(draft, operation, lookups, place)
    case "rename":
      return nodes.rename(draft, operation, lookups, place)
    case "connect":
      return wiring.connect(draft, operation, lookups, place)
    case "disconnect":
      return wiring.disconnect(draft, operation, lookups, place)
    case "enable":
      return nodes.enable(draft, operation, lookups, place)
    case "disable":
      return nodes.disable(draft, operation, lookups, place)
    case "credential":
      return nodes.credential(draft, operation, lookups, place)
    case "settings":
      return about.settings(draft, operation, lookups, place)
    case "tag":
      return about.tag(draft, operation, lookups, place)
    case "untag":
      return about.untag(draft, operation, lookups, place)
    case "note":
      return nodes.note(draft, operation, lookups, place)
    case "move":
      return nodes.move(draft, operation, lookups, place)
    case "arrange":
      return nodes.arrange(draft, operation, lookups, place)
  }
}

