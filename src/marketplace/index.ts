/** The marketplace's advertising interface: a typed client, exact money, and plans that can be rolled back. */

/* The client: its service, its settings and what a call can fail with. */
export { MarketplaceAds } from "./client/MarketplaceAds.ts"
export { decode, Guards, MarketplaceConfig, MarketplaceSettings } from "./client/MarketplaceConfig.ts"
export * from "./client/MarketplaceError.ts"
export { type KeyFacts, KeyKind, readKey } from "./client/ApiKey.ts"
export { type Limit, type Operation, operations } from "./client/operations.ts"
export { type Asked, type AskOptions, FloorsPending, LowestBids } from "./report/LowestBids.ts"

/* Its requests and answers. */
export * as Account from "./client/Account.ts"
export { type BidsMin, BidsMinRequest, BidUnit, BidUpdate, NmBid, Wire } from "./client/Bids.ts"
export {
  Article,
  BidType,
  Campaign,
  ManualPlacement,
  NewCampaign,
  PaymentType,
  Placement,
  ProductChange,
  status,
  type Unreadable
} from "./client/Campaign.ts"
export {
  ArticleClusters,
  Cluster,
  ClusterBid,
  type ClusterBidFound,
  type ClusterBidRefused,
  ClusterStat,
  ClusterStatsRequest,
  MinusPhrases
} from "./client/Clusters.ts"
export { Kopecks, kopecksToRubles, Money, money, Rubles, RublesGiven, rublesToKopecks } from "./client/money.ts"
export type { CampaignFilter } from "./client/readCalls.ts"
export { CampaignStats, FullstatsRequest, KeywordsDay, KeywordsRequest } from "./client/Statistics.ts"

/* Planners: pure functions from campaigns and wishes to a draft. */
export { Change } from "./plan/Change.ts"
export type { Floor, OnBelowFloor } from "./plan/floors.ts"
export type { MigrationInput, MigrationOptions } from "./plan/Migration.ts"
export type { Draft as AdsDraft, MigrationPlan, Plan as AdsPlan, Step as AdsStep } from "./plan/Plan.ts"
export { type BidsInput, type BidWish, planBids } from "./plan/planBids.ts"
export { type CampaignInput, planCampaign } from "./plan/planCampaign.ts"
export { type ClusterBidsInput, type ClusterWish, planClusterBids } from "./plan/planClusterBids.ts"
export { planMigration } from "./plan/planMigration.ts"
export { type MinusPhrasesInput, type PhraseMode, planMinusPhrases } from "./plan/planMinusPhrases.ts"
export { planProducts, type ProductsInput } from "./plan/planProducts.ts"
export { OldSettings } from "./plan/Migration.ts"

/* Plans that are kept, applied and rolled back; their errors and reports are those of `workflow-tool-server/changes`. */
export { Entry as AdsEntry, PlanJournal as AdsJournal, Plans as AdsPlans } from "./apply/Plans.ts"
export { adsPlans } from "./tools/catalog.ts"

/* The tools over all of it, for a server of one's own. */
export type { Needs as MarketplaceServices } from "./tools/catalog.ts"
export { MarketplaceToolset } from "./toolset.ts"
