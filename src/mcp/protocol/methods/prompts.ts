import { Effect, Schema } from "effect"

import type { Prompt } from "../../Prompt.ts"
import * as Method from "../Method.ts"
import { invalidParams } from "../ProtocolError.ts"
import type { Revision } from "../Revision.ts"
import { cursor, onePage, shelfLife } from "./paging.ts"

/** `prompts/list` and `prompts/get`. */
export const promptMethods = (prompts: ReadonlyArray<Prompt>) => {
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]))

  return {
    "prompts/list": Method.make(
      { cursor },
      (params, { revision }) => onePage(params, { prompts: prompts.map((prompt) => listing(prompt, revision)) }),
      { ttlMs: shelfLife }
    ),
    "prompts/get": Method.make(
      { name: Schema.String, arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) },
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

const listing = ({ arguments: args, description, name, title }: Prompt, { structure }: Revision) => ({
  name,
  ...(structure ? { title } : {}),
  description,
  arguments: args
})
