import { Effect, Predicate } from "effect"

import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { ApiError } from "../../client/EngineError.ts"
import { isSameContent } from "../../client/version.ts"
import type { Workflow } from "../../client/Workflow.ts"
import { stopIfChanged } from "./exclusively.ts"
import { namingCollisions } from "./namingCollisions.ts"
import { leftOut } from "./shown.ts"
import { stepFailed } from "./steps.ts"

/**
 * Puts the changes over the workflow, unless somebody else changed it since `current` was read; that it was
 * deactivated since is then our own doing. Answers the workflow as it was written, and what the caller should know of it.
 */
export const write = Effect.fnUntraced(function* (current: Workflow, wanted: Changes, deactivated: boolean) {
  const engine = yield* EngineClient
  const read = engine.versions.remember(deactivated ? { ...current, active: false } : current)
  const latest = yield* engine.getWorkflow(current.id)
  yield* stopIfChanged(engine.versions.changesSince(read, latest), latest, "meanwhile")

  const { dropped, workflow: written } = yield* engine.updateWorkflow(latest, wanted).pipe(
    namingCollisions(latest.id, wanted.nodes),
    Effect.catchTag("ApiError", (error) => stateTruth(latest, error))
  )
  return { written, notices: [...(cameBetween(latest, written, wanted) ? [overwritten] : []), ...leftOut(dropped)] }
})

const overwritten =
  "Somebody else changed this workflow in the same moment, and this update may have overwritten that: compare with its " +
  "history in the engine UI."

/**
 * Whether the engine's numbers show that somebody else wrote between our reading and our writing. Engines of generation
 * 2 count the changes of nodes and settings one by one, and give nodes and connections a new id only when they change;
 * older ones give a new id each time, which proves nothing.
 */
const cameBetween = (latest: Workflow, written: Workflow, { connections, nodes }: Changes): boolean => {
  const [before, after] = [latest.versionCounter, written.versionCounter]
  if (!Predicate.isNumber(before) || !Predicate.isNumber(after)) return false
  const keptGraph = nodes === undefined && connections === undefined
  return after - before > 1 || (keptGraph && latest.versionId !== written.versionId)
}

/** What somebody else changed after our own write, which left the workflow like this, and before it was read back. */
export const changedSince = Effect.fnUntraced(function* (written: Workflow, latest: Workflow) {
  const { versions } = yield* EngineClient
  const changed = versions.changesSince(versions.remember(written), latest)
  return changed.length === 0
    ? []
    : [
        `This update was written, and then somebody else changed the workflow, which is shown as it is now: ${changed.join(", ")}.`
      ]
})

/** Engines save a change of an active workflow before they refuse to run it. */
const stateTruth = Effect.fnUntraced(function* (before: Workflow, error: ApiError) {
  if (!before.active) return yield* error
  const { id } = before
  const engine = yield* EngineClient
  const after = yield* engine.getWorkflow(id)
  if (isSameContent(before, after)) return yield* error
  const story = { id, done: "saved with the changes", step: "running it in its new form" }
  return yield* stepFailed(error, { ...story, instance: engine.instance })
})
