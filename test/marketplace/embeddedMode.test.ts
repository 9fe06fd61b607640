import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import type { Launch } from "../../src/cli/configuration/Launch.ts"
import { load } from "../../src/cli/marketplace/marketplace.ts"
import { changes as loadPlanTools } from "../../src/cli/toolsets/planningToolsets.ts"
import { inTime } from "./support.ts"

/** The toolset that the command starts with --embedded --toolsets marketplace. */
const launch: Launch = {
  engine: undefined,
  embedded: { file: undefined },
  http: undefined,
  page: false,
  readOnly: false,
  toolsets: ["engine", "marketplace"],
  config: undefined
}

const Planned = Schema.Struct({ plan_id: Schema.String })
const Listed = Schema.Struct({ campaigns: Schema.Array(Schema.Struct({ name: Schema.String })) })

describe("the embedded mode", () => {
  it.effect("returns every name whole, also one that looks like its key", () =>
    Effect.gen(function* () {
      const { plans, toolset } = yield* load(launch)
      const tools = [...toolset.tools, ...(yield* loadPlanTools(plans)).toolset.tools]
      const call = Effect.fnUntraced(function* <A>(name: string, args: object, answer: Schema.Codec<A>) {
        const tool = tools.find((one) => one.name === name)
        if (tool === undefined) return yield* Effect.die(`no tool ${name}`)
        return yield* Schema.decodeUnknownEffect(answer)((yield* inTime(tool.call(args))).structured)
      })
      for (const name of ["embedded", "embedded test", "embedded-marketplace-key"]) {
        const { plan_id } = yield* call("ads_plan_campaign", { name, nms: [500101] }, Planned)
        yield* call("apply_plan", { plan_id, confirm: true }, Schema.Unknown)
      }
      const { campaigns } = yield* call("ads_list_campaigns", {}, Listed)
      assert.includeMembers(
        campaigns.map(({ name }) => name),
        ["embedded", "embedded test", "embedded-marketplace-key"]
      )
    })
  )
})
