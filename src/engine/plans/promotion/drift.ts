import { Struct } from "effect"

import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Workflow } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { isSameJson } from "../../workflow/versions.ts"
import type { Content } from "../Change.ts"
import { differingParts } from "../content.ts"
import type { Input } from "./Input.ts"
import { tagsOf } from "./settingsAndTags.ts"

/** The change that somebody has made to a counterpart, and that a promotion would go over. */
export interface Drift {
  /** In words, for what is blocked or overwritten. */
  readonly problem: string
  /** Whether a version of the engine's own holds it, so that its author can be told. */
  readonly isVersioned: boolean
}

interface Compared {
  readonly counterpart: Workflow
  readonly current: Content
  readonly isChanged: boolean
  readonly wanted: ReadonlyArray<string>
}

/** Holds a counterpart against what promotions have last written there; nothing where nobody has changed it since. */
export const driftOf = (
  { editors, promoted, to }: Input,
  { isChanged, current, counterpart, wanted }: Compared
): Drift | undefined => {
  const last = promoted.written.get(counterpart.id)
  const parts = last === undefined || !isChanged ? [] : differingParts(last, current)
  const present = tagsOf(counterpart)
  const untagged = (promoted.brought.get(counterpart.id)?.tags ?? []).filter(
    (name) => wanted.includes(name) && !present.includes(name)
  )
  const isDraft = isChanged && isUnpublished(counterpart)
  const what = [...parts, ...untagged.map((name) => `tag ${name} taken away`)]
  const who = editors.get(counterpart.id)
  const problems = [
    ...(what.length === 0 ? [] : [`it was changed on ${to} since the last promotion (${what.join(", ")})`]),
    ...(isDraft ? [`it has changes on ${to} that are not published`] : [])
  ]
  if (problems.length === 0) return undefined
  return {
    problem: `${problems.join(", and ")}${who ?? ""}`,
    isVersioned: isDraft || parts.includes("nodes") || parts.includes("connections")
  }
}

/** Whether a workflow shows something else than what runs; a version of its own may hold the same. */
export const isUnpublished = (workflow: Workflow): boolean => {
  const { active, activeVersion, activeVersionId, connections, nodes, versionId } = workflow
  if (!active || typeof activeVersionId !== "string" || versionId === activeVersionId) return false
  return (
    !isJsonObject(activeVersion) ||
    !isSameJson(nodes.map(withoutId), nodesOf(activeVersion).map(withoutId)) ||
    !isSameJson(connections, activeVersion.connections)
  )
}

/** Nothing hangs on the id of a node. */
const withoutId = (node: JsonObject) => Struct.omit(node, ["id"])
