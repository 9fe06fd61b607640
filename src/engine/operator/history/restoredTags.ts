import { Effect, Schema } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { type Tag, TagId } from "../../client/models.ts"
import { tagsIn } from "../../history/wanted.ts"

const toTagId = Schema.decodeUnknownEffect(TagId)

/** The ids of the tags that a record names; tags that are gone are taken by their name, or made anew. */
export const restoredTags = Effect.fnUntraced(function* (record: JsonObject) {
  const { createTag } = yield* EngineClient
  const wanted = tagsIn(record)
  if (wanted.length === 0) return []
  const known = yield* allTags
  return yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* ({ id, name }) {
      const found = known.find((tag) => tag.id === id) ?? known.find((tag) => tag.name === name)
      return yield* Effect.orDie(toTagId((found ?? (yield* createTag(name))).id))
    })
  )
})

const allTags = Effect.gen(function* () {
  const { listTags } = yield* EngineClient
  const tags: Array<Tag> = []
  let cursor: string | undefined
  do {
    const page = yield* listTags({ limit: 250, ...(cursor === undefined ? {} : { cursor }) })
    tags.push(...page.data)
    const next: string | null | undefined = page.nextCursor
    cursor = next === cursor || next === null || next === "" ? undefined : next
  } while (cursor !== undefined)
  return tags
})
