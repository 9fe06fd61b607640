import { Effect, Predicate } from "effect"

import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { changeLines, differences } from "../../workflow/difference.ts"
import type { Workflow } from "../../workflow/models.ts"

/**
 * Whether the engine's numbers show that somebody else wrote between our reading and our writing. Engines of generation
 * 2 count the changes of nodes and settings one by one, and give nodes, connections and groups a new id only when they
 * change; older ones give a new id each time, which proves nothing.
 */
export const isConcurrentWrite = (
  latest: Workflow,
  written: Workflow,
  { connections, nodeGroups, nodes }: Changes
): boolean => {
  const [before, after] = [latest.versionCounter, written.versionCounter]
  if (!Predicate.isNumber(before) || !Predicate.isNumber(after)) return false
  const keptGraph = nodes === undefined && connections === undefined && nodeGroups === undefined
  return after - before > 1 || (keptGraph && latest.versionId !== written.versionId)
}

/** Versions that may have been made in the moment of one write. */
const mostVersions = 10

/** Changes of somebody else's that a notice names. */
const mostChanges = 5

/**
 * A notice of the changes that somebody else wrote between our read and our write, from the engine's own versions, with the
 * call that restores them.
 */
export const overwritten = Effect.fnUntraced(
  function* ({ id, ...latest }: Workflow, written: Workflow) {
    const engine = yield* EngineClient
    const { data } = yield* Effect.fromOption(yield* engine.listVersionsIfSupported(id, { limit: mostVersions }))
    const before = data.findIndex(({ versionId }) => versionId === latest.versionId)
    const theirs = data.slice(0, Math.max(0, before)).find(({ versionId }) => versionId !== written.versionId)
    const { versionId } = yield* Effect.fromNullishOr(theirs)
    const { connections, nodes } = yield* Effect.fromOption(yield* engine.getVersionIfSupported(id, versionId))
    const changes = changeLines(differences(latest, { ...latest, connections, nodes }), mostChanges)
    return (
      `${inSameMoment}, and this update has overwritten that: ${changes.join("; ")}. It is version ${versionId} of the engine's own: ` +
      `restore_workflow { "id": "${id}", "version": "${versionId}" } brings it back in the place of this update, ` +
      `compare_workflows { "a": "${id}", "versionA": "${versionId}" } tells what differs.`
    )
  },
  Effect.orElseSucceed(
    () =>
      `${inSameMoment}, and this update may have overwritten that. The engine shows no version of it: versions hold nodes and ` +
      "connections, no names and settings."
  )
)

const inSameMoment = "Somebody else changed this workflow in the same moment"
