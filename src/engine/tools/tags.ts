import { Effect, Schema } from "effect"

import { changes, creates, reads } from "../../mcp/annotations.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { type EngineError, reworded } from "../client/EngineError.ts"
import { listAll } from "../client/listAll.ts"
import { type Tag, TagId } from "../workflow/models.ts"
import * as EngineTool from "./EngineTool.ts"
import { listPage } from "./paging.ts"
import { cursor, limit, tagId, tagName } from "./parameters.ts"
import * as results from "./results.ts"

/** Adds advice to a conflict, which engines only state. */
const onConflict = (advice: string) =>
  Effect.mapError((error: EngineError) =>
    error._tag === "ApiError" && error.httpStatus === 409
      ? reworded(error, `${error.problem} on instance ${error.instance}: ${advice}`)
      : error
  )

export const createTag = EngineTool.make("create_tag", {
  title: "Create tag",
  description: "Create a tag",
  annotations: creates,
  arguments: { name: tagName },
  result: results.tag,
  run: ({ name }) =>
    EngineClient.use((engine) => engine.createTag(name)).pipe(
      onConflict(`${name}. Use that tag (get_tags shows its id), or give another name`)
    )
})

export const getTags = EngineTool.make("get_tags", {
  title: "List tags",
  description: "List all tags",
  annotations: reads,
  arguments: { limit, cursor },
  result: results.page,
  run: ({ cursor, limit }) =>
    listPage({
      list: "get_tags",
      filters: Schema.Struct({}),
      given: {},
      cursor,
      limit,
      fetch: (_, query) => EngineClient.use((engine) => engine.listTags(query)),
      show: (tag) => tag
    })
})

export const getTag = EngineTool.make("get_tag", {
  title: "Get tag",
  description: "Read one tag",
  annotations: reads,
  arguments: { id: tagId },
  result: results.tag,
  run: ({ id }) => EngineClient.use((engine) => engine.getTag(id))
})

export const updateTag = EngineTool.make("update_tag", {
  title: "Rename tag",
  description: "Rename a tag",
  annotations: changes,
  arguments: { id: tagId, name: tagName },
  result: results.tag,
  run: ({ id, name }) =>
    EngineClient.use((engine) => engine.updateTag(id, name)).pipe(
      onConflict(
        `${name}. Tag ${id} was not renamed. Workaround: delete it with delete_tag and create one of that name with ` +
          "create_tag; its workflows lose it. If another tag has that name already (see get_tags), use that one"
      )
    )
})

export const deleteTag = EngineTool.make("delete_tag", {
  title: "Delete tag",
  description: "Delete a tag, also from its workflows",
  annotations: changes,
  arguments: { id: tagId },
  result: results.deleted,
  run: Effect.fnUntraced(function* ({ id }) {
    const deleted = yield* EngineClient.use((engine) => engine.deleteTag(id))
    return { message: `Tag ${id} was deleted`, id, deleted }
  })
})

/** The ids of tags that are given by id or name, looked up before a workflow is created that would lack them. */
export const tagIds = Effect.fnUntraced(function* (
  given: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<TagId>, EngineError | InvalidArgument, EngineClient> {
  if (given.length === 0) return []
  const { instance, listTags } = yield* EngineClient
  // Where the key may not list them, the engine judges ids by itself.
  const listed = yield* Effect.catchTag(listAll(listTags), "PermissionDenied", () => Effect.undefined)
  return yield* Effect.forEach(given, (name, index) => {
    const id = listed === undefined ? name : tagIn(listed, name)?.id
    return Effect.mapError(
      decodeId(id),
      () =>
        new InvalidArgument({
          argument: `tags.${index}`,
          problem: `is no tag of instance ${instance}: ${JSON.stringify(name)}. get_tags lists them, create_tag makes one`
        })
    )
  })
})

const decodeId = Schema.decodeUnknownEffect(TagId)

/** The tag of an id or a name; ids take precedence over names that look like one. */
const tagIn = (tags: ReadonlyArray<Tag>, given: string) =>
  tags.find(({ id }) => id === given) ?? tags.find(({ name }) => name === given.trim())
