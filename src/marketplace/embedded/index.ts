export { EmbeddedMarketplace, type EmbeddedMarketplaceOptions } from "./EmbeddedMarketplace.ts"
export * as MarketplaceState from "./State.ts"
export type { Advert, Row, State } from "./State.ts"
