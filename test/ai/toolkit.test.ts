import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel } from "effect/ai"

import { toolNames } from "../support/everyTool.ts"
import { assistant } from "./sample.ts"

/** A model that says what the script says, and that notes which tools it was offered. */
const scripted = (name: string, params: object) => {
  const offered: Array<string> = []
  const model = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ tools }) =>
        Effect.sync(() => {
          offered.push(...tools.map((tool) => tool.name))
          return [{ type: "tool-call", id: "call-1", name, params }]
        }),
      streamText: () => Stream.empty
    })
  )
  return { model, offered }
}

const Listed = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
const decodeListed = Schema.decodeUnknownSync(Listed)

describe("an effect/ai toolkit of the engine's tools", () => {
  it.effect("lets a model call a tool that only reads, and gives it the answer", () =>
    Effect.gen(function* () {
      const { model, offered } = scripted("list_workflows", { limit: 2 })
      const { toolResults } = yield* Effect.provide(assistant("What is there?"), model)
      assert.include(offered, "list_workflows")
      assert.lengthOf(offered, toolNames.length)
      assert.lengthOf(toolResults, 1)
      assert.isFalse(toolResults[0]?.isFailure)
      assert.lengthOf(decodeListed(toolResults[0]?.result).data, 2)
    })
  )

  it.effect("tells the model what was wrong with its arguments", () =>
    Effect.gen(function* () {
      const { model } = scripted("list_workflows", { limit: 0 })
      const { toolResults } = yield* Effect.provide(assistant("What is there?"), model)
      assert.isTrue(toolResults[0]?.isFailure)
      assert.deepInclude(toolResults[0]?.result, {
        code: "VALIDATION_ERROR",
        message: "Invalid limit: must be between 1 and 250"
      })
    })
  )

  it.effect("asks a person before a destructive tool is called", () =>
    Effect.gen(function* () {
      const { model } = scripted("delete_workflow", { id: "1" })
      const { content, toolResults } = yield* Effect.provide(assistant("Away with it"), model)
      assert.deepStrictEqual(toolResults, [])
      assert.deepInclude(
        content.map(({ type }) => type),
        "tool-approval-request"
      )
    })
  )
})
