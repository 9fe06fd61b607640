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

/**
 * The calls of one round, their interval, and the slack: the time by which a place is free again sooner than a round after its
 * answer, for the part of the burst beyond the width. Two arrivals on one place, n rounds apart, are then at least n rounds
 * minus the slack apart; over all places, no period sees more than burst + time / interval arrivals, which is what a bucket of
 * `burst` tokens allows.
 */
export const roundOf = (limit: Limit) => {
  const interval = intervalMs(limit)
  return { width: width(limit), intervalMs: interval, slackMs: Math.max(0, limit.burst - width(limit)) * interval }
}

/** One operation of the marketplace. */
export interface Operation {
  readonly name: string
  /** Its task, in words that follow "could not". */
  readonly label: string
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: string
  /** A write changes something, whatever its HTTP method: it is never retried blindly. */
  readonly kind: "read" | "write"
  /** Limits of personal and service keys and of base keys with a secret (`full`), and of other base keys and test keys. */
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

const operation =
  (kind: Operation["kind"]) =>
  <const Name extends string>(
    name: Name,
    label: string,
    method: Operation["method"],
    path: string,
    full: Limit,
    base: Limit
  ) =>
    ({ name, label, method, path, kind, limits: { full, base } }) satisfies Operation
const read = operation("read")
const write = operation("write")

/** The operations of the specification, then others that the tools need. */
export const operations = {
  getAdvertsV2: read("getAdvertsV2", "read campaigns", "GET", "/api/advert/v2/adverts", perSecond(5), perHour(1)),
  updateBids: write("updateBids", "set bids", "PATCH", "/api/advert/v1/bids", perSecond(5), perHour(2)),
  updateCampaignProducts: write(
    "updateCampaignProducts",
    "add or remove articles",
    "PATCH",
    "/adv/v0/auction/nms",
    perSecond(1),
    perHour(2)
  ),
  getMinusPhrases: read(
    "getMinusPhrases",
    "read minus-phrases",
    "POST",
    "/adv/v0/normquery/get-minus",
    perSecond(5, 10),
    perHour(5)
  ),
  setMinusPhrases: write(
    "setMinusPhrases",
    "set minus-phrases",
    "POST",
    "/adv/v0/normquery/set-minus",
    perSecond(5, 10),
    perHour(5)
  ),
  getNormqueryStats: read(
    "getNormqueryStats",
    "read cluster statistics",
    "POST",
    "/adv/v0/normquery/stats",
    perMinute(10, 20),
    perHour(5)
  ),
  setNormqueryBids: write(
    "setNormqueryBids",
    "set cluster bids",
    "POST",
    "/adv/v0/normquery/bids",
    perSecond(2, 4),
    perHour(5)
  ),
  getAdvFullstats: read(
    "getAdvFullstats",
    "read campaign statistics",
    "GET",
    "/adv/v3/fullstats",
    perMinute(3, 1),
    perHour(1)
  ),
  getStatsKeywords: read(
    "getStatsKeywords",
    "read keyword statistics",
    "GET",
    "/adv/v0/stats/keywords",
    perSecond(4),
    perSecond(4)
  ),
  getBidsMin: read(
    "getBidsMin",
    "read the lowest bids",
    "POST",
    "/api/advert/v1/bids/min",
    perMinute(20, 5),
    perHour(5)
  ),
  createSeacatSaveAd: write(
    "createSeacatSaveAd",
    "create a campaign",
    "POST",
    "/adv/v2/seacat/save-ad",
    perMinute(5),
    perHour(5)
  ),
  getNormqueryBids: read(
    "getNormqueryBids",
    "read cluster bids",
    "POST",
    "/adv/v0/normquery/get-bids",
    perSecond(5, 10),
    perHour(5)
  ),
  setNormqueryBidsV1: write(
    "setNormqueryBidsV1",
    "set cluster bids",
    "POST",
    "/api/advert/v1/normquery/bids",
    perSecond(2, 4),
    perSecond(2, 4)
  ),
  deleteNormqueryBids: write(
    "deleteNormqueryBids",
    "drop cluster bids",
    "DELETE",
    "/adv/v0/normquery/bids",
    perSecond(5, 10),
    perHour(5)
  ),
  getNormqueryDailyStats: read(
    "getNormqueryDailyStats",
    "read cluster statistics by day",
    "POST",
    "/adv/v1/normquery/stats",
    perMinute(10, 20),
    perHour(2)
  ),
  getNormqueryList: read(
    "getNormqueryList",
    "read the lists of clusters",
    "POST",
    "/adv/v0/normquery/list",
    perSecond(5, 10),
    perHour(5)
  ),
  getBidsRecommendations: read(
    "getBidsRecommendations",
    "read recommended bids",
    "GET",
    "/api/advert/v0/bids/recommendations",
    perMinute(5),
    perHour(20)
  ),
  getConfig: read(
    "getConfig",
    "read the steps of bids",
    "GET",
    "/api/advert/v1/config",
    perMinute(1, 10),
    perMinute(1, 10)
  ),
  updateAuctionPlacement: write(
    "updateAuctionPlacement",
    "change placements",
    "PUT",
    "/adv/v0/auction/placements",
    perSecond(1),
    perHour(2)
  ),
  renameCampaign: write("renameCampaign", "rename the campaign", "POST", "/adv/v0/rename", perSecond(5), perHour(2)),
  startCampaign: write("startCampaign", "start the campaign", "GET", "/adv/v0/start", perSecond(5), perHour(5)),
  pauseCampaign: write("pauseCampaign", "pause the campaign", "GET", "/adv/v0/pause", perSecond(5), perHour(5)),
  stopCampaign: write("stopCampaign", "end the campaign", "GET", "/adv/v0/stop", perSecond(5), perHour(5)),
  deleteCampaign: write("deleteCampaign", "delete the campaign", "GET", "/adv/v0/delete", perSecond(5), perHour(5)),
  getBudgets: read("getBudgets", "read budgets", "POST", "/api/advert/v2/budget", perMinute(20, 4), perHour(4)),
  createBudgetDeposit: write(
    "createBudgetDeposit",
    "add money to the campaign",
    "POST",
    "/adv/v1/budget/deposit",
    perSecond(1, 5),
    perHour(5)
  ),
  getDailyLimits: read(
    "getDailyLimits",
    "read daily limits",
    "GET",
    "/api/advert/v0/daily-limits",
    perMinute(5),
    perMinute(5)
  ),
  setDailyLimits: write(
    "setDailyLimits",
    "set daily limits",
    "PUT",
    "/api/advert/v0/daily-limits",
    perMinute(5),
    perMinute(5)
  ),
  getAdvBalance: read("getAdvBalance", "read the balance", "GET", "/adv/v1/balance", perSecond(1, 5), perHour(2)),
  getAdvUpd: read("getAdvUpd", "read the history of spending", "GET", "/adv/v1/upd", perSecond(1, 5), perHour(1)),
  getCampaignCount: read(
    "getCampaignCount",
    "count the campaigns",
    "GET",
    "/adv/v1/promotion/count",
    perSecond(5),
    perHour(4)
  )
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
  placements: 50,
  dailyLimits: 100,
  updDays: 31,
  fullstatsDays: 31,
  clusterStatsDays: 30,
  keywordDays: 7
} as const
