/** The marketplace's advertising interface: a typed client, exact money, and plans that can be taken back. */
export * as Account from "./client/Account.ts"
export { type KeyFacts, KeyKind, readKey } from "./client/ApiKey.ts"
export { type BidsMin, BidsMinRequest, BidUpdate, NmBid } from "./client/Bids.ts"
export { BidUnit, Wire } from "./client/Bids.ts"
export { Article, BidType, Campaign, ManualPlacement, PaymentType, Placement, status } from "./client/Campaign.ts"
export {
  ArticleClusters,
  Cluster,
  ClusterBid,
  type ClusterBidFound,
  ClusterStat,
  ClusterStatsRequest
} from "./client/Clusters.ts"
export type { CampaignFilter } from "./client/readCalls.ts"
export { type Asked, FloorsPending, LowestBids } from "./client/LowestBids.ts"
export { MarketplaceAds } from "./client/MarketplaceAds.ts"
export { decode, Guards, MarketplaceConfig, MarketplaceSettings } from "./client/MarketplaceConfig.ts"
export * from "./client/MarketplaceError.ts"
export { MinusPhrases } from "./client/Clusters.ts"
export { Kopecks, kopecksToRubles, Money, money, Rubles, RublesGiven, rublesToKopecks } from "./client/money.ts"
export { NewCampaign } from "./client/Campaign.ts"
export type { Limit } from "./client/operations.ts"
export { type Operation, operations } from "./client/operations.ts"
export { Change } from "./plan/Change.ts"
export type { Floor, OnBelowFloor } from "./plan/floors.ts"
export { Blocked, Draft, Estimate, type MigrationPlan, Plan, Step } from "./plan/Plan.ts"
export { type BidsInput, type BidWish, planBids } from "./plan/planBids.ts"
export { type CampaignInput, planCampaign } from "./plan/planCampaign.ts"
export { type ClusterBidsInput, type ClusterWish, planClusterBids } from "./plan/planClusterBids.ts"
export * from "./apply/PlanError.ts"
export type { MigrationInput, MigrationOptions } from "./plan/Migration.ts"
export { planMigration } from "./plan/planMigration.ts"
export { type MinusPhrasesInput, type PhraseMode, planMinusPhrases } from "./plan/planMinusPhrases.ts"
export { planProducts, type ProductsInput } from "./plan/planProducts.ts"
export { type ApplyOptions, Plans } from "./apply/Plans.ts"
export { Entry, PlanStore } from "./apply/PlanStore.ts"
export type { Report } from "./apply/Progress.ts"
export { OldSettings } from "./plan/Snapshot.ts"
export { ProductChange } from "./client/Campaign.ts"
export type { Unreadable } from "./client/Campaign.ts"
export { CampaignStats, FullstatsRequest, KeywordsDay, KeywordsRequest } from "./client/Statistics.ts"
