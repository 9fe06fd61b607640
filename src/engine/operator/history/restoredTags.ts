import { Effect, Schema } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { listWhole } from "../../client/listAll.ts"
import { tagsIn } from "../../history/restoring.ts"
import { TagId } from "../../workflow/models.ts"

const isTagId = Schema.is(TagId)
const toTagId = Schema.decodeUnknownEffect(TagId)

/** The ids of the tags that a record names; tags that are gone are taken by their name, or made anew. */
export const restoredTags = Effect.fnUntraced(function* (record: JsonObject) {
  const engine = yield* EngineClient
  const wanted = tagsIn(record)
  if (wanted.length === 0) return []
  const known = (yield* listWhole(engine, engine.listTags)).filter(({ id }) => isTagId(id))
  return yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* ({ id, name }) {
      const found = known.find((tag) => tag.id === id) ?? known.find((tag) => tag.name === name)
      return yield* Effect.orDie(toTagId((found ?? (yield* engine.createTag(name))).id))
    })
  )
})
