import { Effect, Schema } from "effect"

import type { Prompt } from "../../Prompt.ts"
import type { Resources } from "../../Resources.ts"
import { invalidParams } from "../errors.ts"
import * as Method from "../Method.ts"
import { listed, onePage, pageParams } from "../Method.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"

/** `prompts/list` and `prompts/get`. */
export const promptMethods = (prompts: ReadonlyArray<Prompt>) => {
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]))

  return {
    "prompts/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) =>
        onePage(params, { prompts: prompts.map((prompt) => listing(prompt, protocolVersion)) }),
      listed
    ),
    "prompts/get": Method.make(
      () => ({
        name: Schema.String,
        arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
      }),
      Effect.fnUntraced(function* (params) {
        const prompt = byName.get(params.name)
        if (prompt === undefined) return yield* invalidParams(`unknown prompt ${params.name}`)
        const given = params.arguments ?? {}
        const missing = prompt.arguments.find(({ name, required }) => required && !Object.hasOwn(given, name))
        if (missing !== undefined) return yield* invalidParams(`arguments.${missing.name}: is required`)
        return { description: prompt.description, messages: yield* prompt.get(given) }
      })
    )
  } satisfies Method.Methods
}

const listing = ({ arguments: args, description, name, title }: Prompt, { structure }: ProtocolVersion) => ({
  name,
  ...(structure ? { title } : {}),
  description,
  arguments: args
})

/** The protocol's own limit. */
const most = 100

const Reference = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
])
type Reference = typeof Reference.Type

/** `completion/complete`, for the arguments of prompts and the variables of resource templates. */
export const completionMethods = (prompts: ReadonlyArray<Prompt>, resources: Resources["Service"]) => {
  const find = Effect.fnUntraced(function* (ref: Reference, name: string, value: string) {
    if (ref.type === "ref/resource") return yield* resources.complete(ref.uri, name, value)
    const prompt = prompts.find((prompt) => prompt.name === ref.name)
    if (prompt === undefined) return yield* invalidParams(`ref.name: unknown prompt ${ref.name}`)
    return { values: yield* prompt.complete(name, value) }
  })

  return {
    "completion/complete": Method.make(
      () => ({ ref: Reference, argument: Schema.Struct({ name: Schema.String, value: Schema.String }) }),
      Effect.fnUntraced(function* ({ argument, ref }) {
        const { values, ...rest } = yield* find(ref, argument.name, argument.value)
        const cut = values.length > most ? { total: values.length, hasMore: true } : {}
        return { completion: { values: values.slice(0, most), ...cut, ...rest } }
      }),
      { work: () => ({ concurrencyGroup: resources.concurrencyGroup?.(undefined) ?? "Resources", isSafeToStop: true }) }
    )
  } satisfies Method.Methods
}
