import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { countTokens } from "gpt-tokenizer"

import { request } from "../../support/harness.ts"
import { twoEmbedded } from "./support.ts"

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    tools: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
    )
  })
)

describe("the tools of plans", () => {
  it.effect("cost little in the list of tools", () =>
    Effect.gen(function* () {
      const { tools } = decode((yield* request("tools/list")).result)
      const tokensOf = (wanted: string) => {
        const tool = tools.find(({ name }) => name === wanted)
        assert.isDefined(tool, wanted)
        return countTokens(JSON.stringify({ ...tool, outputSchema: undefined }))
      }
      assert.isAtMost(tokensOf("plan_promotion"), 350)
      assert.isAtMost(tokensOf("plan_bulk"), 400)
    }).pipe(Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
  )
})
