import { Effect, Struct } from "effect"

import { isJsonObject, listOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Tag, Workflow } from "../../client/models.ts"
import { addressNotices } from "../../tools/workflows/addressing.ts"
import { whileDone } from "../../tools/workflows/guards.ts"
import { leftOut } from "../../tools/workflows/shown.ts"
import type { Edited } from "./applyOperations.ts"
import { tagsNamed } from "./tagsNamed.ts"

/** Makes a new, inactive workflow of an edited one. Its webhooks get ids of their own; what runs have left there stays behind. */
export const saveCopy = Effect.fnUntraced(function* (
  { tags, workflow }: Edited,
  name: string,
  known: ReadonlyArray<Tag>
) {
  const engine = yield* EngineClient
  const nodes = workflow.nodes.map((node) => Struct.omit(node, ["webhookId"]))
  const { connections, nodeGroups, pinData, settings } = workflow
  const { dropped, workflow: made } = yield* engine.createWorkflow({
    name,
    nodes,
    connections,
    settings: settings ?? {},
    ...(isJsonObject(pinData) ? { pinData } : {}),
    ...(listOf(nodeGroups).length === 0 ? {} : { nodeGroups })
  })
  const { id } = made
  const done = { id, done: "created" } as const
  if (tags.length > 0) {
    const tagging = Effect.flatMap(tagsNamed(tags, [...known, ...(workflow.tags ?? [])]), (all) =>
      engine.setWorkflowTags(id, all)
    )
    yield* whileDone(tagging, { ...done, step: "setting its tags" })
  }
  const latest: Workflow = yield* whileDone(engine.getWorkflow(id), { ...done, step: "reading it back" })
  const said = `${id} was made of ${workflow.id}, which is as it was.`
  return { latest, notices: [said, ...addressNotices(nodes, [], latest), ...leftOut(dropped)] }
})
