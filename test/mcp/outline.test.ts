import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

import { operatorTools } from "../../src/engine/operator/catalog.ts"
import { over } from "../../src/engine/tools/overInstances.ts"
import { offerOver } from "../../src/engine/toolset/offer.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import * as Outline from "../../src/mcp/Outline.ts"
import * as Message from "../../src/mcp/protocol/Message.ts"
import { serialize } from "../../src/mcp/protocol/Message.ts"
import { protocolVersions } from "../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../src/mcp/protocol/Session.ts"
import * as Server from "../../src/mcp/Server.ts"
import type { Tool } from "../../src/mcp/Tool.ts"
import type { Offer } from "../../src/mcp/Toolset.ts"

const outlined = <R>(offer: Offer<R>): Offer => Outline.toOffer(Outline.make(offer), Effect.never, () => {})

/** An offer for lists alone. */
const whole = <R>({ instructions, prompts = [], tools }: Offer<R>): Offer => ({
  instructions,
  tools: tools.map((tool): Tool => ({ ...tool, call: () => Effect.never })),
  prompts
})

const one = { defaultName: "production", names: ["production"], readOnly: new Set<string>() }
const several = { defaultName: "eu", names: ["us", "eu", 'a "quoted" $& one'], readOnly: new Set(["us"]) }
const readOnly = { ...one, readOnly: new Set(one.names) }

/** The lists that a server writes, in each revision. */
const lists = (offer: Offer) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    return yield* Effect.forEach(protocolVersions, (protocolVersion) =>
      Effect.forEach(["tools/list", "prompts/list"], (method) => {
        const { receive } = sessions.open(protocolVersion, () => Effect.void)
        return Effect.map(receive(Message.read({ jsonrpc: "2.0", id: 1, method })), (outcome) =>
          serialize(Option.getOrThrow(outcome).response)
        )
      })
    )
  }).pipe(Effect.provide(Server.layer({ toolsets: [{ name: "one", ...offer }], version: "0" })))

describe("an outline", () => {
  for (const [names, instances] of Object.entries({ one, several, readOnly })) {
    it.effect(`is listed as what it stands for, over instances: ${names}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* lists(offerOver(outlined(EngineToolset), instances)),
          yield* lists(offerOver(whole(EngineToolset), instances))
        )
        const operator = { instructions: "", tools: operatorTools }
        assert.deepStrictEqual(
          yield* lists({ ...operator, tools: over(outlined(operator).tools, instances) }),
          yield* lists({ ...operator, tools: over(whole(operator).tools, instances) })
        )
      })
    )
  }

  it("tells of the arguments of tools and prompts what these tell themselves", () => {
    const { prompts, tools } = offerOver(outlined(EngineToolset), several)
    const itself = offerOver(whole(EngineToolset), several)
    assert.deepStrictEqual(
      tools.map(({ inputSchema }) => inputSchema()),
      itself.tools.map(({ inputSchema }) => inputSchema())
    )
    assert.deepStrictEqual(
      prompts?.map((prompt) => prompt.arguments),
      itself.prompts?.map((prompt) => prompt.arguments)
    )
  })
})
