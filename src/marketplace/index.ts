/** The marketplace's advertising interface: a typed client, exact money, and plans that can be rolled back. */

/* The client: its service, its settings and what a call can fail with. */
export { MarketplaceAds } from "./client/MarketplaceAds.ts"
export { decode, Guards, MarketplaceConfig, MarketplaceSettings } from "./client/MarketplaceConfig.ts"
export * from "./client/MarketplaceError.ts"
export { type KeyFacts, KeyKind, readKey } from "./client/ApiKey.ts"
export { type Limit, type Operation, operations } from "./client/operations.ts"
export { type Asked, type AskOptions, FloorsPending, LowestBids } from "./client/LowestBids.ts"

/* What it takes and answers. */
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
export { Blocked, type Draft, Estimate, type MigrationPlan, type Plan, type Step } from "./plan/Plan.ts"
export { type BidsInput, type BidWish, planBids } from "./plan/planBids.ts"
export { type CampaignInput, planCampaign } from "./plan/planCampaign.ts"
export { type ClusterBidsInput, type ClusterWish, planClusterBids } from "./plan/planClusterBids.ts"
export { planMigration } from "./plan/planMigration.ts"
export { type MinusPhrasesInput, type PhraseMode, planMinusPhrases } from "./plan/planMinusPhrases.ts"
export { planProducts, type ProductsInput } from "./plan/planProducts.ts"
export { OldSettings } from "./plan/Migration.ts"

/* Plans that are kept, applied and rolled back. */
export type { Report } from "../changes/apply/runPlan.ts"
export type { Entry as JournalEntry, Journal, Kept } from "../changes/Journal.ts"
export * from "../changes/PlanError.ts"
export type { Action, ApplyOptions } from "../changes/Plans.ts"
export type { PlanState } from "../changes/PlanState.ts"
export { Entry, PlanJournal, Plans } from "./apply/Plans.ts"
export { adsPlans } from "./tools/plans/source.ts"

/* The tools over all of it, for a server of one's own. */
export type { Needs as MarketplaceServices } from "./tools/catalog.ts"
export { MarketplaceToolset } from "./toolset.ts"
