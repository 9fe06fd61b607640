import { Effect, Predicate, Struct } from "effect"

import { isJsonObject, type JsonObject, listOf } from "../../../internal/schema/JsonObject.ts"
import type { Changes } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { freshWebhookId, isCalled } from "../../client/webhookIds.ts"
import { addressNotices } from "../../tools/workflows/addressing.ts"
import { whileDone } from "../../tools/workflows/guards.ts"
import { leftOut } from "../../tools/workflows/showWorkflow.ts"
import { nodesWithOwnPaths, sharedAddresses } from "../../workflow/addresses.ts"
import { type Tag, TagId, type Workflow } from "../../workflow/models.ts"
import type { Edited } from "./applyOperations.ts"

/**
 * Makes a new, inactive workflow of an edited one, with its tags and description. Static data stays with the original: it is
 * what triggers there have seen already, which a copy has not.
 */
export const saveCopy = Effect.fnUntraced(function* (
  original: Workflow,
  { tags, workflow }: Edited,
  name: string,
  existingTags: ReadonlyArray<Tag>
) {
  const engine = yield* EngineClient
  yield* engine.requireRights(["POST /workflows", tags.length > 0 && "PUT /workflows/{}/tags"])
  const nodes = yield* copiedNodes(original, workflow)
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
  const described = descriptionOf(original)
  if (described !== undefined) {
    yield* whileDone(engine.updateWorkflow(made, described), { ...done, step: "setting its description" })
  }
  if (tags.length > 0) {
    const tagging = Effect.flatMap(tagsNamed(tags, [...existingTags, ...(workflow.tags ?? [])]), (all) =>
      engine.setWorkflowTags(id, all)
    )
    yield* whileDone(tagging, { ...done, step: "setting its tags" })
  }
  const latest: Workflow = yield* whileDone(engine.getWorkflow(id), { ...done, step: "reading it back" })
  const said = `${id} was made of ${workflow.id}, which is as it was.`
  const bare = nodes.map((node) => Struct.omit(node, ["webhookId"]))
  const addresses = [...addressNotices(bare, [], latest), ...sharedAddresses(nodes, original)]
  return { latest, notices: [said, ...addresses, ...leftOut(dropped)] }
})

/** Notices about the addresses of a copy, before it is made. */
export const noticesOfCopy = (original: Workflow, edited: Workflow): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(copiedNodes(original, edited), (nodes) => sharedAddresses(nodes, original))

/** The nodes of a copy; those that are called from outside have new ids. */
const copiedNodes = (original: Workflow, { nodes }: Workflow): Effect.Effect<ReadonlyArray<JsonObject>> =>
  Effect.map(
    Effect.forEach(nodes, (node) =>
      isCalled(node)
        ? Effect.map(freshWebhookId, (webhookId): JsonObject => ({ ...node, webhookId }))
        : Effect.succeed(node)
    ),
    (withNewIds) => nodesWithOwnPaths(withNewIds, original.nodes)
  )

/** Engines take a description for a workflow that is there, and for no new one. */
const descriptionOf = ({ description }: Workflow): Changes | undefined =>
  Predicate.isString(description) && description !== "" ? { description } : undefined

/** The ids of the tags of these names; tags that do not exist are created. */
export const tagsNamed = (names: ReadonlyArray<string>, existingTags: ReadonlyArray<Tag>) =>
  EngineClient.use((engine) =>
    Effect.forEach(names, (name) => {
      const existingTag = existingTags.find((tag) => tag.name === name)
      return Effect.map(existingTag === undefined ? engine.createTag(name) : Effect.succeed(existingTag), ({ id }) =>
        TagId.make(id)
      )
    })
  )
