import { Effect, MutableHashSet, MutableRef, Struct } from "effect"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { fingerprint } from "../../internal/sha256.ts"
import type { TagId, Workflow, WorkflowId } from "../workflow/models.ts"
import { readTemporaryName } from "../workflow/naming.ts"
import type { Changes, Creation } from "./body.ts"
import { type EngineError, ProtectedWorkflow } from "./EngineError.ts"
import { Agreed, type Changed, type Protected } from "./Protection.ts"
import type { restCalls } from "./restCalls.ts"

type Client = ReturnType<typeof restCalls>

/** A target of a change: a workflow with its current and new name, or a tag that protects workflows. */
interface Target extends Changed {
  readonly kind: "tag" | "workflow"
  /** Its content now and after the change, as far as that is not in the caller's own words. */
  readonly covers: unknown
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
  const requireAgreement = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>) {
    const { changes, cleared, made } = yield* Agreed
    if (changes === "all") return undefined
    const isMade = ({ id }: Target) => id !== undefined && made !== undefined && MutableHashSet.has(made, id)
    const isCleared = (target: Target) => cleared !== undefined && MutableHashSet.has(cleared, keyOf(target))
    const unprovenTargets = targets.filter((target) => isProtected(target) && !isMade(target) && !isCleared(target))
    const fingerprinted = yield* Effect.forEach(unprovenTargets, (target) =>
      Effect.map(
        fingerprint([client.instance, client.host, target.kind, target.id ?? null, target.covers]),
        (mark) => ({
          ...target,
          mark
        })
      )
    )
    const unagreed = fingerprinted.filter(({ mark }) => !changes.has(mark))
    const [first] = unagreed
    if (first === undefined) {
      if (cleared !== undefined) for (const target of fingerprinted) MutableHashSet.add(cleared, keyOf(target))
      return undefined
    }
    const { becoming, id, kind, name } = first
    return yield* new ProtectedWorkflow({
      instance: client.instance,
      kind,
      ...(id === undefined ? {} : { id }),
      name,
      others: unagreed.filter((target) => target.id !== id).map((target) => target.name),
      names: unagreed.map((target) => target.name),
      fingerprints: unagreed.map(({ mark }) => mark),
      ...(becoming === undefined ? {} : { becoming })
    })
  })

  /** Makes a change of these, if it is allowed. */
  const guarded = <A>(
    targets: Effect.Effect<ReadonlyArray<Target>, EngineError>,
    change: Effect.Effect<A, EngineError>
  ) =>
    Effect.gen(function* () {
      const { changes, isBegun } = yield* Agreed
      if (changes !== "all") yield* requireAgreement(yield* targets)
      MutableRef.set(isBegun, true)
      return yield* change
    })

  /** Whether it is protected is known only once it was read: nothing is sent before, also where it is said to be missing. */
  const workflowTarget = (id: WorkflowId) =>
    Effect.map(client.getWorkflow(id), (now): ReadonlyArray<Target> => [
      { kind: "workflow", id, name: now.name, tags: now.tags, covers: coveredBy(now, {}) }
    ])
  const tagTarget = (id: TagId) =>
    Effect.map(client.getTag(id), ({ name }): ReadonlyArray<Target> => [{ kind: "tag", id, name, covers: null }])

  return {
    ...client,
    createWorkflow: Effect.fnUntraced(function* (creation) {
      const created = yield* guarded(Effect.succeed([creationTarget(creation)]), client.createWorkflow(creation))
      const { made } = yield* Agreed
      if (made !== undefined) MutableHashSet.add(made, created.workflow.id)
      return created
    }),
    updateWorkflow: (current, changes) =>
      guarded(Effect.succeed(updateTargets(current, changes)), client.updateWorkflow(current, changes)),
    deleteWorkflow: (id) => guarded(workflowTarget(id), client.deleteWorkflow(id)),
    activateWorkflow: (id) => guarded(workflowTarget(id), client.activateWorkflow(id)),
    deactivateWorkflow: (id) => guarded(workflowTarget(id), client.deactivateWorkflow(id)),
    archiveWorkflowIfSupported: (id, archived) =>
      guarded(workflowTarget(id), client.archiveWorkflowIfSupported(id, archived)),
    setWorkflowTags: (id, tags) => guarded(workflowTarget(id), client.setWorkflowTags(id, tags)),
    mayUpdate: (current, changes) => requireAgreement(updateTargets(current, changes)),
    mayChange: (...workflows) =>
      requireAgreement(
        workflows.map((workflow): Target => {
          const { before, after } = workflow.becoming ?? { before: workflow, after: {} }
          return { ...workflow, kind: "workflow", covers: coveredBy(before, after) }
        })
      ),
    updateTag: (id, name) => guarded(tagTarget(id), client.updateTag(id, name)),
    deleteTag: (id) => guarded(tagTarget(id), client.deleteTag(id))
  }
}

const keyOf = ({ id, name }: Target): string => id ?? name

/** A workflow that would be created. */
const creationTarget = (creation: Creation): Target => ({
  kind: "workflow",
  name: creation.name,
  covers: coveredBy({}, { ...creation })
})

/** A workflow that would be updated, by its current and its new name. */
const updateTargets = (current: Workflow, changes: Changes): ReadonlyArray<Target> => {
  const settings = { ...current.settings, ...changes.settings }
  const after = { ...current, ...changes, name: changes.name ?? current.name, settings }
  const { id, tags } = current
  const covers = coveredBy(current, after)
  return [current.name, after.name].map((name) => ({
    kind: "workflow",
    id,
    tags,
    name,
    covers,
    becoming: { before: current, after }
  }))
}

/** All that makes a workflow what it is; engines keep more, which changes by itself. */
const contents = ["name", "nodes", "connections", "settings", "pinData", "nodeGroups", "active", "isArchived"] as const

const contentOf = (workflow: JsonObject): JsonObject => Struct.pick(workflow, contents)

/** A workflow before and after; nodes that are new have ids of their own at every attempt. */
const coveredBy = (before: object, after: JsonObject): JsonObject => {
  const fieldsBefore = new Map(Object.entries(before))
  const ids = new Set(objectsOf(fieldsBefore.get("nodes")).map(({ id }) => id))
  const tags = objectsOf(fieldsBefore.get("tags")).map(({ name }) => name)
  const nodes = objectsOf(after["nodes"]).map((node) =>
    ids.has(node["id"]) ? node : Struct.omit(node, ["id", "webhookId"])
  )
  return { before: { ...contentOf(Object.fromEntries(fieldsBefore)), tags }, after: { ...contentOf(after), nodes } }
}
