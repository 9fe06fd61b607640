import { Effect, Schema } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { listAll } from "../../client/listAll.ts"
import { type Tag, TagId } from "../../workflow/models.ts"

/** The ids of tags that are given by id or name, looked up before anything is made that would be left without them. */
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

/** An id goes before a name that looks like one. */
const tagIn = (tags: ReadonlyArray<Tag>, given: string) =>
  tags.find(({ id }) => id === given) ?? tags.find(({ name }) => name === given.trim())
