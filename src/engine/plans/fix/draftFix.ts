import { Result } from "effect"

import type { Edited } from "../../operator/edit/applyOperations.ts"
import type { Workflow } from "../../workflow/models.ts"
import { isSameJson } from "../../workflow/versions.ts"
import type { Change } from "../Change.ts"
import { contentOf, descriptionOf, groupsOf, isArchived, partsBefore, pinDataOf } from "../content.ts"
import { type Draft, stepOf } from "../Step.ts"

/** The workflow on an instance, as operations make it. */
interface Fix {
  readonly instance: string
  readonly workflow: Workflow
  readonly edited: Edited
}

/** The change that a fix makes of its workflow; the failure says why there is none. */
export const draftFix = ({ edited, instance, workflow }: Fix): Result.Result<Draft, string> => {
  const { stillBroken, tags, warnings, workflow: fixed } = edited
  const labels = (workflow.tags ?? []).map(({ name }) => name)
  if (!isSameJson([...tags].toSorted(), labels.toSorted())) {
    return Result.fail("change tags, which no run can show: use edit_workflow for them")
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
  if (Object.keys(before).length === 0) return Result.fail("change nothing: the workflow is so already")
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
  return Result.succeed({
    kind: "fix",
    steps: isArchived(workflow) ? [] : [stepOf(change, "a fix")],
    warnings: [...stillBroken.map((rule) => `As before: ${rule}`), ...warnings],
    blocked: isArchived(workflow) ? [{ what: `${name} (${id})`, reason: "it is archived" }] : []
  })
}
