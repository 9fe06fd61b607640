import { Effect } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { type Tag, TagId } from "../../workflow/models.ts"

/** The ids of the tags of these names: of those that are known, and of others that are made. */
export const tagsNamed = (names: ReadonlyArray<string>, known: ReadonlyArray<Tag>) =>
  EngineClient.use((engine) =>
    Effect.forEach(names, (name) => {
      const found = known.find((tag) => tag.name === name)
      return Effect.map(found === undefined ? engine.createTag(name) : Effect.succeed(found), ({ id }) =>
        TagId.make(id)
      )
    })
  )
