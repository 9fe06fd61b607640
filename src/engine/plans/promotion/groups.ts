import { listOf, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { groupsAmong } from "../../client/refusedGroups.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { groupProblem } from "../../workflow/nodeGroups.ts"
import type { Content } from "../Change.ts"
import { groupsOf, isSameGroups } from "../content.ts"

interface Sides {
  readonly theirs: Workflow
  readonly counterpart: Workflow | undefined
  /** The nodes and connections that it is to have on the target, in the order of the source. */
  readonly content: Pick<Content, "connections" | "nodes">
  /** The content that a promotion has last written to it. */
  readonly last: Content | undefined
}

/** The groups of nodes that a workflow is to have on the target, and the names of those that cannot stand there any more. */
interface TargetGroups {
  readonly groups: Pick<Content, "nodeGroups">
  readonly torn: ReadonlyArray<string>
}

const nothing: TargetGroups = { groups: {}, torn: [] }

/**
 * The groups of nodes of the source, by the ids that its nodes have on the target. Where it has none, those that a
 * promotion brought go, and the target's own stay as far as they hold together.
 */
export const targetGroups = ({ content, last, theirs, counterpart }: Sides): TargetGroups => {
  const given = objectsOf(theirs["nodeGroups"])
  if (counterpart === undefined) return { groups: groupsOf(theirs), torn: [] }
  if (!Array.isArray(counterpart["nodeGroups"])) return nothing
  if (given.length > 0) {
    const ids = new Map(theirs.nodes.map(({ id }, index) => [id, content.nodes[index]?.["id"]]))
    return standing(
      given.map((group) => ({ ...group, nodeIds: listOf(group["nodeIds"]).map((id) => ids.get(id)) })),
      content
    )
  }
  const present: ReadonlyArray<unknown> = counterpart["nodeGroups"]
  if (present.length === 0) return nothing
  const isBrought = last?.nodeGroups !== undefined && isSameGroups(last.nodeGroups, present)
  if (isBrought && theirs["nodeGroups"] !== undefined) return { groups: { nodeGroups: [] }, torn: [] }
  const left = standing(present, content)
  return left.torn.length === 0 && isSameGroups(left.groups.nodeGroups ?? [], present) ? nothing : left
}

/** Those groups that an engine takes beside each other, without the nodes that are not there. */
const standing = (groups: ReadonlyArray<unknown>, content: Sides["content"]): TargetGroups => {
  const kept: Array<unknown> = []
  for (const group of groupsAmong(groups, content.nodes)) {
    if (groupProblem([...kept, group], content) === undefined) kept.push(group)
  }
  const named = (all: ReadonlyArray<unknown>) => all.map((group) => nameOf(objectOf(group)))
  const names = new Set(named(kept))
  return { groups: { nodeGroups: kept }, torn: named(groups).filter((name) => !names.has(name)) }
}
