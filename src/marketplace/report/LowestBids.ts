import { Cache, Context, Effect, Exit, Layer, Option, Schema } from "effect"

import { monotonicMillis } from "../../internal/time.ts"
import type { BidsMinRequest } from "../client/Bids.ts"
import { type Campaign, paymentOf, type Placement, placementsOf } from "../client/Campaign.ts"
import { MarketplaceAds } from "../client/MarketplaceAds.ts"
import type { MarketplaceConfig } from "../client/MarketplaceConfig.ts"
import { AdsUnreadable, MarketplaceError } from "../client/MarketplaceError.ts"
import { isKopecks, type Kopecks } from "../client/money.ts"
import { KeptStatistics } from "./KeptStatistics.ts"

/** The minimum bid of an article at a placement, for a payment type. */
export interface Floor {
  readonly nm_id: number
  readonly placement: Placement
  readonly payment_type: string
  readonly kopecks: Kopecks
}

/** A campaign and the articles to ask about; at the campaign's own placements if none are given. */
export interface Asked {
  readonly campaign: Campaign
  readonly nm_ids: ReadonlyArray<number>
  readonly placements?: ReadonlyArray<Placement>
}

/** Options for reading about several campaigns. */
export interface AskOptions {
  /** The moment to stop, on the clock that nobody sets (`monotonicMillis`). */
  readonly until: number
  /** Called with the number of campaigns read so far. */
  readonly onRead?: (count: number) => Effect.Effect<void>
}

/** Minutes for which a minimum bid is cached. */
export const keptMinutes = 15

/** The minimum bids of `read` of `total` campaigns are read and cached; the rate limit allows the others only later. */
export class FloorsPending extends Schema.TaggedError<FloorsPending>()("FloorsPending", {
  read: Schema.Int,
  total: Schema.Int
}) {
  override get message() {
    return (
      `No plan yet: the lowest bids of ${this.read} of ${this.total} campaigns are read, and the marketplace allows few ` +
      `such calls a minute. They are kept for ${keptMinutes} minutes: call again with the same arguments to go on.`
    )
  }
}

/** The minimum bids, cached for 15 minutes: a repeated plan need not wait for their tight rate limit again. */
export class LowestBids extends Context.Service<
  LowestBids,
  {
    /** Minimum bids of articles of one campaign. */
    readonly of: (request: Asked) => Effect.Effect<ReadonlyArray<Floor>, MarketplaceError>
    /** Minimum bids of several campaigns; fails with FloorsPending if time runs out, and continues when called again. */
    readonly ofAll: (
      requests: ReadonlyArray<Asked>,
      options: AskOptions
    ) => Effect.Effect<ReadonlyArray<Floor>, FloorsPending | MarketplaceError>
  }
>()("workflow-tool-server/marketplace/LowestBids") {
  /** Together with the statistics that are kept. */
  static readonly layer: Layer.Layer<KeptStatistics | LowestBids, never, MarketplaceAds | MarketplaceConfig> =
    Layer.merge(
      KeptStatistics.layer,
      Layer.effect(
        LowestBids,
        Effect.gen(function* () {
          const ads = yield* MarketplaceAds
          const answers = yield* Cache.makeWith((request: BidsMinRequest) => ads.getBidsMin(request), {
            capacity: 1000,
            timeToLive: (exit) => (Exit.isSuccess(exit) ? `${keptMinutes} minutes` : 0)
          })

          const of = Effect.fn("LowestBids.of")(function* ({
            campaign,
            nm_ids,
            placements = placementsOf(campaign)
          }: Asked) {
            const payment_type = paymentOf(campaign)
            const request = { advert_id: campaign.id, nm_ids, payment_type, placement_types: placements }
            const { bids } = yield* Cache.get(answers, request)
            const lowestBids = bids.flatMap(({ bids: lowest, nm_id }) =>
              placements.flatMap((placement) => {
                const bid = lowest.find(({ type }) => type === placement)
                return bid === undefined ? [] : [{ nm_id, placement, payment_type, value: bid.value }]
              })
            )
            return yield* Effect.forEach(lowestBids, ({ value, ...place }) =>
              isKopecks(value)
                ? Effect.succeed<Floor>({ ...place, kopecks: value })
                : Effect.fail(oddFloor(place, value))
            )
          })

          const ofAll = Effect.fn("LowestBids.ofAll")(function* (requests: ReadonlyArray<Asked>, options: AskOptions) {
            const floors: Array<Floor> = []
            for (const [index, one] of requests.entries()) {
              const left = options.until - (yield* monotonicMillis)
              const reading = yield* Effect.timeoutOption(of(one), Math.max(0, left))
              if (Option.isNone(reading)) return yield* new FloorsPending({ read: index, total: requests.length })
              floors.push(...reading.value)
              if (options.onRead !== undefined) yield* options.onRead(index + 1)
            }
            return floors
          })

          return LowestBids.of({ of, ofAll })
        })
      )
    )
}

/** No plan is based on a minimum bid that is not a valid amount. */
const oddFloor = ({ nm_id, placement }: Omit<Floor, "kopecks">, value: number | null | undefined) =>
  new MarketplaceError({
    operation: "getBidsMin",
    reason: new AdsUnreadable({
      kind: "read",
      detail: `the lowest bid of article ${nm_id} at ${placement} is told as ${value ?? "nothing"}, and should be whole kopecks`,
      body: ""
    })
  })
