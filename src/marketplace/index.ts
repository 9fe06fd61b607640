/** The marketplace's advertising interface: a typed client, exact money, and plans that can be taken back. */
export * as Account from "./Account.ts"
export { type KeyFacts, KeyKind, readKey } from "./ApiKey.ts"
export { type BidsMin, BidsMinRequest, BidUpdate, NmBid } from "./Bids.ts"
export { BidUnit, Wire } from "./BidUnit.ts"
export { Article, BidType, Campaign, ManualPlacement, PaymentType, Placement, status } from "./Campaign.ts"
export {
  ArticleClusters,
  Cluster,
  ClusterBid,
  type ClusterBidFound,
  ClusterStat,
  ClusterStatsRequest
} from "./Clusters.ts"
export type { CampaignFilter } from "./readCalls.ts"
export { type Asked, FloorsPending, LowestBids } from "./LowestBids.ts"
export { MarketplaceAds } from "./MarketplaceAds.ts"
export { decode, Guards, MarketplaceConfig, MarketplaceSettings } from "./MarketplaceConfig.ts"
export * from "./AdsRefused.ts"
export * from "./MarketplaceError.ts"
export { storyOf } from "./story.ts"
export { MinusPhrases } from "./MinusPhrases.ts"
export { Kopecks, kopecksToRubles, Money, money, Rubles, RublesGiven, rublesToKopecks } from "./money.ts"
export { NewCampaign } from "./NewCampaign.ts"
export type { Limit } from "./Limit.ts"
export { type Operation, operations } from "./operations.ts"
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
export { ProductChange } from "./Products.ts"
export type { Unreadable } from "./Unreadable.ts"
export { CampaignStats, FullstatsRequest, KeywordsDay, KeywordsRequest } from "./Statistics.ts"
