import { Effect } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Edited } from "../../operator/edit/applyOperations.ts"
import type { Workflow } from "../../workflow/models.ts"
import { isSameJson } from "../../workflow/versions.ts"
import type { Change } from "../Change.ts"
import { contentOf, descriptionOf, groupsOf, isArchived, partsBefore, pinDataOf } from "../content.ts"
import { type Draft, stepOf } from "../Step.ts"

/** The change that a fix makes of its workflow. */
export const draftFix = Effect.fnUntraced(function* ({
  edited: { stillBroken, tags, warnings, workflow: fixed },
  instance,
  workflow
}: {
  readonly instance: string
  readonly workflow: Workflow
  readonly edited: Edited
}): Effect.fn.Return<Draft, InvalidArgument> {
  const labels = (workflow.tags ?? []).map(({ name }) => name)
  if (!isSameJson([...tags].toSorted(), labels.toSorted())) {
    return yield* refusal("change tags, which no run can show: use edit_workflow for them")
  }
  const others = {
    ...(isSameJson(groupsOf(fixed), groupsOf(workflow)) ? {} : { nodeGroups: groupsOf(fixed).nodeGroups ?? [] }),
    ...(isSameJson(pinDataOf(fixed), pinDataOf(workflow)) ? {} : { pinData: pinDataOf(fixed) }),
    ...(descriptionOf(fixed) === descriptionOf(workflow) ? {} : { description: descriptionOf(fixed) })
  }
  const after = { ...contentOf(fixed), ...others }
  const current = {
    ...contentOf(workflow),
    ...groupsOf(workflow),
    pinData: pinDataOf(workflow),
    description: descriptionOf(workflow)
  }
  const before = partsBefore(after, current)
  if (Object.keys(before).length === 0) return yield* refusal("change nothing: the workflow is so already")
  const { id, name } = workflow
  const change: Change = {
    kind: "update",
    instance,
    workflow: id,
    name,
    labels,
    before,
    after,
    references: [],
    level: 0
  }
  return {
    kind: "fix",
    steps: isArchived(workflow) ? [] : [stepOf(change, "a fix")],
    warnings: [...stillBroken.map((rule) => `As before: ${rule}`), ...warnings],
    blocked: isArchived(workflow) ? [{ what: `${name} (${id})`, reason: "it is archived" }] : []
  }
})

const refusal = (problem: string) => Effect.fail(new InvalidArgument({ argument: "operations", problem }))
