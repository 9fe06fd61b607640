import { Effect, Layer } from "effect"
import { McpHttp, Server } from "workflow-tool-server"
import { ChangesToolset, PlanSource } from "workflow-tool-server/changes"
import { adsPlans, LowestBids, MarketplaceToolset } from "workflow-tool-server/marketplace"

/** The tools of the marketplace, and those that show, apply and roll back its plans; over `AdsPlans` and `MarketplaceAds`. */
export const AdsServer = Server.layer({ toolsets: [MarketplaceToolset, ChangesToolset] }).pipe(
  Layer.provide(
    Layer.effect(
      PlanSource.PlanSources,
      Effect.map(adsPlans, (plans) => [plans])
    )
  ),
  Layer.provide(LowestBids.layer)
)

/** `POST /mcp` and `GET /health` for your `HttpRouter`. */
export const AdsRoutes = McpHttp.layer().pipe(Layer.provide(AdsServer))
