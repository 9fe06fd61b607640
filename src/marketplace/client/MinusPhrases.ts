import { Schema } from "effect"

import { open } from "../../internal/schema/openStruct.ts"
import { Pair } from "./ids.ts"

/** The whole list of minus-phrases of an article; setting it replaces what was there. */
export const MinusPhrases = Schema.Struct({ ...Pair.fields, norm_queries: Schema.Array(Schema.String) })
export type MinusPhrases = typeof MinusPhrases.Type

export const MinusPhrasesReply = open({
  items: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        open({
          advert_id: Schema.Int,
          nm_id: Schema.Int,
          norm_queries: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
        })
      )
    )
  )
})
