/** A rate limit: `limit` calls in `periodMs`, `burst` of them at once. */
export interface Limit {
  readonly limit: number
  readonly periodMs: number
  readonly burst: number
}

/** Milliseconds between calls at the full rate. */
export const intervalMs = ({ limit, periodMs }: Limit): number => periodMs / limit

/** The number of calls that may be sent at once: the largest divisor of the limit within the burst. */
export const width = ({ burst, limit }: Limit): number => {
  const most = Math.max(1, Math.min(burst, limit))
  return Array.from({ length: most }, (_, below) => most - below).find((count) => limit % count === 0) ?? 1
}

/** One operation of the marketplace; the limit `full` applies to personal and service keys, `base` to base and test keys. */
export interface Operation {
  readonly name: string
  /** Its task, in words that follow "could not". */
  readonly label: string
  readonly method: "DELETE" | "GET" | "PATCH" | "POST"
  readonly path: string
  /** A write changes something, whatever its HTTP method: it is never retried blindly. */
  readonly kind: "read" | "write"
  readonly limits: { readonly full: Limit; readonly base: Limit }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

const per =
  (periodMs: number) =>
  (limit: number, burst: number = limit) => ({ limit, periodMs, burst })
const perSecond = per(second)
const perMinute = per(minute)
const perHour = (limit: number) => per(hour)(limit, 1)

/** The operations of the specification, then others that the tools need. */
export const operations = {
  getAdvertsV2: {
    name: "getAdvertsV2",
    label: "read campaigns",
    method: "GET",
    path: "/api/advert/v2/adverts",
    kind: "read",
    limits: { full: perSecond(5), base: perHour(1) }
  },
  updateBids: {
    name: "updateBids",
    label: "set bids",
    method: "PATCH",
    path: "/api/advert/v1/bids",
    kind: "write",
    limits: { full: perSecond(5), base: perHour(2) }
  },
  updateCampaignProducts: {
    name: "updateCampaignProducts",
    label: "add or remove articles",
    method: "PATCH",
    path: "/adv/v0/auction/nms",
    kind: "write",
    limits: { full: perSecond(1), base: perHour(2) }
  },
  getMinusPhrases: {
    name: "getMinusPhrases",
    label: "read minus-phrases",
    method: "POST",
    path: "/adv/v0/normquery/get-minus",
    kind: "read",
    limits: { full: perSecond(5, 10), base: perHour(5) }
  },
  setMinusPhrases: {
    name: "setMinusPhrases",
    label: "set minus-phrases",
    method: "POST",
    path: "/adv/v0/normquery/set-minus",
    kind: "write",
    limits: { full: perSecond(5, 10), base: perHour(5) }
  },
  getNormqueryStats: {
    name: "getNormqueryStats",
    label: "read cluster statistics",
    method: "POST",
    path: "/adv/v0/normquery/stats",
    kind: "read",
    limits: { full: perMinute(10, 20), base: perHour(5) }
  },
  setNormqueryBids: {
    name: "setNormqueryBids",
    label: "set cluster bids",
    method: "POST",
    path: "/adv/v0/normquery/bids",
    kind: "write",
    limits: { full: perSecond(2, 4), base: perHour(5) }
  },
  getAdvFullstats: {
    name: "getAdvFullstats",
    label: "read campaign statistics",
    method: "GET",
    path: "/adv/v3/fullstats",
    kind: "read",
    limits: { full: perMinute(3, 1), base: perHour(1) }
  },
  getStatsKeywords: {
    name: "getStatsKeywords",
    label: "read keyword statistics",
    method: "GET",
    path: "/adv/v0/stats/keywords",
    kind: "read",
    limits: { full: perSecond(4), base: perSecond(4) }
  },
  getBidsMin: {
    name: "getBidsMin",
    label: "read the lowest bids",
    method: "POST",
    path: "/api/advert/v1/bids/min",
    kind: "read",
    limits: { full: perMinute(20, 5), base: perHour(5) }
  },
  createSeacatSaveAd: {
    name: "createSeacatSaveAd",
    label: "create a campaign",
    method: "POST",
    path: "/adv/v2/seacat/save-ad",
    kind: "write",
    limits: { full: perMinute(5), base: perHour(5) }
  },
  getNormqueryBids: {
    name: "getNormqueryBids",
    label: "read cluster bids",
    method: "POST",
    path: "/adv/v0/normquery/get-bids",
    kind: "read",
    limits: { full: perSecond(5, 10), base: perHour(5) }
  },
  deleteNormqueryBids: {
    name: "deleteNormqueryBids",
    label: "drop cluster bids",
    method: "DELETE",
    path: "/adv/v0/normquery/bids",
    kind: "write",
    limits: { full: perSecond(5, 10), base: perHour(5) }
  },
  startCampaign: {
    name: "startCampaign",
    label: "start the campaign",
    method: "GET",
    path: "/adv/v0/start",
    kind: "write",
    limits: { full: perSecond(5), base: perHour(5) }
  },
  pauseCampaign: {
    name: "pauseCampaign",
    label: "pause the campaign",
    method: "GET",
    path: "/adv/v0/pause",
    kind: "write",
    limits: { full: perSecond(5), base: perHour(5) }
  },
  deleteCampaign: {
    name: "deleteCampaign",
    label: "delete the campaign",
    method: "GET",
    path: "/adv/v0/delete",
    kind: "write",
    limits: { full: perSecond(5), base: perHour(5) }
  },
  getBudgets: {
    name: "getBudgets",
    label: "read budgets",
    method: "POST",
    path: "/api/advert/v2/budget",
    kind: "read",
    limits: { full: perMinute(20, 4), base: perHour(4) }
  },
  getBudget: {
    name: "getBudget",
    label: "read the budget",
    method: "GET",
    path: "/adv/v1/budget",
    kind: "read",
    limits: { full: perSecond(4), base: perHour(4) }
  },
  getCampaignCount: {
    name: "getCampaignCount",
    label: "count the campaigns",
    method: "GET",
    path: "/adv/v1/promotion/count",
    kind: "read",
    limits: { full: perSecond(5), base: perHour(4) }
  }
} as const satisfies Record<string, Operation>

/** The name of an operation, which is also that of its method. */
export type OperationName = keyof typeof operations

/** The task of an operation, for people who do not know its name. */
export const labelOf = (name: string): string =>
  Object.values(operations).find((operation) => operation.name === name)?.label ?? name

/** The most items that one call may contain. */
export const caps = {
  campaignIds: 50,
  bidCampaigns: 50,
  bidsPerCampaign: 50,
  productCampaigns: 20,
  productsPerCampaign: 50,
  pairs: 100,
  clusterBids: 100,
  minBidArticles: 100,
  newCampaignArticles: 50,
  phrases: 1000,
  budgets: 50,
  fullstatsDays: 31,
  clusterStatsDays: 30,
  keywordDays: 7
} as const
