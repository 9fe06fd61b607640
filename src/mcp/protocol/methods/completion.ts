import { Effect, Schema } from "effect"

import type { Prompt } from "../../Prompt.ts"
import type { Resources } from "../../Resources.ts"
import * as Method from "../Method.ts"
import { invalidParams } from "../ProtocolError.ts"

const Reference = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
])

/** The protocol's own limit. */
const most = 100

/** `completion/complete`, for the arguments of prompts and the variables of resource templates. */
export const completionMethods = (prompts: ReadonlyArray<Prompt>, resources: Resources["Service"]) => {
  const find = Effect.fnUntraced(function* (ref: typeof Reference.Type, name: string, value: string) {
    if (ref.type === "ref/resource") return yield* resources.complete(ref.uri, name, value)
    const prompt = prompts.find((prompt) => prompt.name === ref.name)
    if (prompt === undefined) return yield* invalidParams(`ref.name: unknown prompt ${ref.name}`)
    return { values: prompt.complete(name, value) }
  })

  return {
    "completion/complete": Method.make(
      { ref: Reference, argument: Schema.Struct({ name: Schema.String, value: Schema.String }) },
      Effect.fnUntraced(function* ({ argument, ref }) {
        const { values, ...rest } = yield* find(ref, argument.name, argument.value)
        const cut = values.length > most ? { total: values.length, hasMore: true } : {}
        return { completion: { values: values.slice(0, most), ...cut, ...rest } }
      }),
      { work: () => ({ lane: resources.lane?.(undefined) ?? "Resources", isSafeToStop: true }) }
    )
  } satisfies Method.Methods
}
