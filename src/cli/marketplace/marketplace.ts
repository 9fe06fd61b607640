import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"

import type { PlanSource } from "../../changes/tools/PlanSource.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { overAccounts, plansOf } from "../../marketplace/accounts.ts"
import { PlanJournal, Plans } from "../../marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../marketplace/client/MarketplaceAds.ts"
import { decode, MarketplaceConfig } from "../../marketplace/client/MarketplaceConfig.ts"
import { EmbeddedMarketplace } from "../../marketplace/embedded/EmbeddedMarketplace.ts"
import { LowestBids } from "../../marketplace/report/LowestBids.ts"
import { adsPlans } from "../../marketplace/tools/catalog.ts"
import { MarketplaceToolset } from "../../marketplace/toolset.ts"
import * as Toolset from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { configured, readAccounts } from "./configured.ts"

const services = Layer.merge(Plans.layer, LowestBids.layer).pipe(Layer.provideMerge(MarketplaceAds.layer))

/** The toolset `marketplace` over the configured marketplace, for one seller or several, or over the embedded one. */
export const load = Effect.fnUntraced(function* (launch: Launch) {
  if (launch.embedded !== undefined) {
    const { plans, toolset } = yield* built(embedded(launch))
    const { check: _, ...rest } = toolset
    return { toolset: rest, plans: [plansFrom(plans)] }
  }
  const { accounts, standard } = yield* readAccounts(launch)
  const all = yield* Effect.forEach(accounts, ([account, settings]) =>
    Effect.map(built(configured(launch, settings)), (one) => ({ account, ...one }))
  )
  const [first] = all
  if (standard === undefined && first !== undefined) return { toolset: first.toolset, plans: [plansFrom(first.plans)] }
  return {
    toolset: overAccounts({
      standard: standard ?? "",
      toolsets: new Map(all.map(({ account, toolset }) => [account, toolset]))
    }),
    plans: all.map(({ account, plans }) => plansFrom(plansOf(account, plans)))
  }
})

const plansFrom = (source: PlanSource) => ({ isWritable: source.isWritable, source: Effect.succeed(source) })

/** The toolset and the plans of one account; none of its services is another one's. */
const built = <E extends { readonly message: string }, R>(
  marketplace: Layer.Layer<HttpClient.HttpClient | MarketplaceConfig | PlanJournal, E, R>
) =>
  Layer.build(Layer.fresh(Layer.provideMerge(services, marketplace))).pipe(
    Effect.mapError(({ message }) => new ConfigurationError({ message: `marketplace: ${message}` })),
    Effect.flatMap((context) =>
      Effect.map(Effect.provideContext(adsPlans, context), (plans) => ({
        toolset: Toolset.provide(MarketplaceToolset, context),
        plans
      }))
    )
  )

/** The marketplace in this process, writable unless the server is read-only: a whole migration can be tried on it. */
const embedded = ({ readOnly }: Launch) =>
  Layer.unwrap(
    Effect.map(EmbeddedMarketplace, ({ apiKey, host, httpClient }) => {
      const settings = Effect.map(
        decode({ baseUrl: host, apiKey: Redacted.value(apiKey), readOnly: false }),
        (settings) => ({ ...settings, serverReadOnly: readOnly })
      )
      return Layer.mergeAll(
        Layer.effect(MarketplaceConfig, settings),
        Layer.succeed(HttpClient.HttpClient, httpClient),
        PlanJournal.layerMemory
      )
    })
  ).pipe(Layer.provide(EmbeddedMarketplace.layer()))
