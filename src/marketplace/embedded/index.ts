export { EmbeddedMarketplace, type EmbeddedMarketplaceOptions } from "./EmbeddedMarketplace.ts"
export * as MarketplaceState from "./State.ts"
