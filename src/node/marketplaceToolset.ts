import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { ConfigurationError } from "../config/ConfigurationError.ts"
import { EmbeddedMarketplace } from "../embedded/marketplace/EmbeddedMarketplace.ts"
import { HttpClients, type UnusableConnection } from "../http/HttpClients.ts"
import { MarketplaceAds } from "../marketplace/MarketplaceAds.ts"
import { decode, MarketplaceConfig } from "../marketplace/MarketplaceConfig.ts"
import { LowestBids } from "../marketplace/plan/LowestBids.ts"
import type { PlanStoreFailed } from "../marketplace/plan/PlanError.ts"
import { Plans } from "../marketplace/plan/Plans.ts"
import { PlanStore } from "../marketplace/plan/PlanStore.ts"
import { type Needs, offered } from "../tools/marketplace/toolset.ts"
import * as FilePlanStore from "./FilePlanStore.ts"
import * as NodeHttpClients from "./NodeHttpClients.ts"

export interface MarketplaceLaunch {
  /** The `marketplace` object of the configuration file, as it was read. */
  readonly marketplace: unknown
  /** Whether to serve the marketplace that runs in this process. */
  readonly embedded: boolean
  /** Whether the whole server is read-only. */
  readonly readOnly: boolean
}

type ToolsetNeeds = Layer.Layer<Needs, ConfigurationError | PlanStoreFailed | UnusableConnection>

/** The tools of the marketplace toolset, with everything they need, for as long as the scope lasts. */
export const marketplaceToolset = Effect.fnUntraced(function* (launch: MarketplaceLaunch) {
  const needs: ToolsetNeeds = launch.embedded ? embedded(launch.readOnly) : Layer.unwrap(configured(launch))
  const context = yield* Layer.build(needs).pipe(
    Effect.catchTags({
      PlanStoreFailed: ({ problem }) => unusable(`.journal: ${problem}`),
      UnusableConnection: ({ message }) => unusable(`: ${message}`)
    })
  )
  return yield* Effect.provideContext(offered, context)
})

const unusable = (problem: string) => Effect.fail(new ConfigurationError({ message: `marketplace${problem}` }))

const tools = Layer.merge(Plans.layer, LowestBids.layer).pipe(Layer.provideMerge(MarketplaceAds.layer))

/** In memory, writable unless the server is not: the whole of a migration can be tried out on it. */
const embedded = (readOnly: boolean) => {
  const configuration = Layer.effect(
    MarketplaceConfig,
    Effect.gen(function* () {
      const { host } = yield* EmbeddedMarketplace
      const settings = yield* decode({ baseUrl: host, apiKey: "embedded", readOnly: false })
      return { ...settings, serverReadOnly: readOnly }
    })
  )
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) => httpClient)
  )
  return tools.pipe(
    Layer.provideMerge(Layer.mergeAll(configuration, PlanStore.layerMemory)),
    Layer.provide(client),
    Layer.provide(EmbeddedMarketplace.layer())
  )
}

/** The `marketplace` object of the configuration file, checked; the environment goes before it. */
export const readMarketplace = (marketplace: unknown) => {
  const { MARKETPLACE_API_KEY, MARKETPLACE_HOST } = process.env
  return decode(marketplace, { MARKETPLACE_API_KEY, MARKETPLACE_HOST })
}

const configured = Effect.fnUntraced(function* ({ marketplace, readOnly }: MarketplaceLaunch) {
  const settings = { ...(yield* readMarketplace(marketplace)), serverReadOnly: readOnly }
  const store = settings.readOnly || readOnly ? PlanStore.layerMemory : FilePlanStore.layer(settings.journal)
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.flatMap(HttpClients, (clients) => clients.make({}))
  ).pipe(Layer.provide(NodeHttpClients.layer))
  return tools.pipe(
    Layer.provideMerge(Layer.merge(Layer.succeed(MarketplaceConfig, settings), store)),
    Layer.provide(client)
  )
})
