import { Effect, MutableHashSet, MutableRef } from "effect"

import type { Changes } from "./body.ts"
import { type EngineError, ProtectedWorkflow } from "./EngineError.ts"
import { isMissing } from "./isMissing.ts"
import type { TagId, Workflow, WorkflowId } from "./models.ts"
import { Agreed, type Changed, type Protected } from "./Protection.ts"
import type { restCalls } from "./restCalls.ts"
import { readTemporaryName } from "./temporaryName.ts"

type Client = ReturnType<typeof restCalls>

/** What would be changed: a workflow with its current and new name, or a tag that protects workflows. */
interface Target extends Changed {
  readonly kind: "tag" | "workflow"
}

/** The same client, which changes what is protected only if a person has agreed. */
export const guarding = <C extends Client>(client: C, protection: Protected | undefined): C => {
  if (protection === undefined) return client

  const isProtected = ({ kind, name, tags = [] }: Target) =>
    kind === "tag"
      ? protection.tags.has(name)
      : readTemporaryName(name) === undefined &&
        (protection.hasName(name) || tags.some((tag) => protection.tags.has(tag.name)))

  /** Fails if one of these is protected and nobody has agreed to its change. */
  const allowed = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>) {
    const { made, names } = yield* Agreed
    if (names === "all") return undefined
    const isMade = ({ id }: Target) => id !== undefined && made !== undefined && MutableHashSet.has(made, id)
    const open = targets.filter((target) => isProtected(target) && !names.has(target.name) && !isMade(target))
    const [first] = open
    if (first === undefined) return undefined
    const { becoming, id, kind, name } = first
    return yield* new ProtectedWorkflow({
      instance: client.instance,
      kind,
      ...(id === undefined ? {} : { id }),
      name,
      others: open.filter((target) => target.id !== id).map((target) => target.name),
      names: open.map((target) => target.name),
      ...(becoming === undefined ? {} : { becoming })
    })
  })

  /** Makes a change of these, if it is allowed. */
  const held = <A>(targets: Effect.Effect<ReadonlyArray<Target>, EngineError>, change: Effect.Effect<A, EngineError>) =>
    Effect.gen(function* () {
      const { isBegun, names } = yield* Agreed
      if (names !== "all") yield* allowed(yield* targets)
      MutableRef.set(isBegun, true)
      return yield* change
    })

  /** If it does not exist, the change itself will report that. */
  const workflow = (id: WorkflowId) =>
    client.getWorkflow(id).pipe(
      Effect.map(({ name, tags }): ReadonlyArray<Target> => [{ kind: "workflow", id, name, tags }]),
      Effect.catchIf(isMissing, () => Effect.succeed([]))
    )
  const tag = (id: TagId) =>
    client.getTag(id).pipe(
      Effect.map(({ name }): ReadonlyArray<Target> => [{ kind: "tag", id, name }]),
      Effect.catchIf(isMissing, () => Effect.succeed([]))
    )
  const named = (kind: Target["kind"], name: string): Effect.Effect<ReadonlyArray<Target>> =>
    Effect.succeed([{ kind, name }])

  return {
    ...client,
    createWorkflow: Effect.fnUntraced(function* (creation) {
      const created = yield* held(named("workflow", creation.name), client.createWorkflow(creation))
      const { made } = yield* Agreed
      if (made !== undefined) MutableHashSet.add(made, created.workflow.id)
      return created
    }),
    updateWorkflow: (current, changes) =>
      held(Effect.succeed(updated(current, changes)), client.updateWorkflow(current, changes)),
    deleteWorkflow: (id) => held(workflow(id), client.deleteWorkflow(id)),
    activateWorkflow: (id) => held(workflow(id), client.activateWorkflow(id)),
    deactivateWorkflow: (id) => held(workflow(id), client.deactivateWorkflow(id)),
    archiveWorkflowIfSupported: (id, archived) => held(workflow(id), client.archiveWorkflowIfSupported(id, archived)),
    setWorkflowTags: (id, tags) => held(workflow(id), client.setWorkflowTags(id, tags)),
    mayUpdate: (current, changes) => allowed(updated(current, changes)),
    mayChange: (...workflows) => allowed(workflows.map((workflow): Target => ({ ...workflow, kind: "workflow" }))),
    updateTag: (id, name) => held(tag(id), client.updateTag(id, name)),
    deleteTag: (id) => held(tag(id), client.deleteTag(id))
  }
}

/** A workflow that would be updated, by its current and its new name. */
const updated = (current: Workflow, changes: Changes): ReadonlyArray<Target> => {
  const settings = { ...current.settings, ...changes.settings }
  const after = { ...current, ...changes, name: changes.name ?? current.name, settings }
  const { id, tags } = current
  return [current.name, after.name].map((name) => ({
    kind: "workflow",
    id,
    tags,
    name,
    becoming: { before: current, after }
  }))
}
