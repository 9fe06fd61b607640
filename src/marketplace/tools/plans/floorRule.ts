import { Effect } from "effect"

import { Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { limitOf } from "../../client/keyRules.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { isBecause } from "../../client/MarketplaceError.ts"
import { caps } from "../../client/operations.ts"
import type { Floor, OnBelowFloor } from "../../plan/floors.ts"
import { type Asked, keptMinutes, LowestBids } from "../../report/LowestBids.ts"
import { gatheringUntil } from "../deadline.ts"

/** Minimum bids are read unasked for up to this many campaigns; more may take several calls. */
const askedUnbidden = 20

interface FloorsWanted {
  readonly check_floors?: boolean
  readonly on_below_floor?: OnBelowFloor
}

interface Floors {
  readonly floors: ReadonlyArray<Floor>
  readonly warnings: ReadonlyArray<string>
}

/** A plan's rule for minimum bids; they are read where it says what to do below them. */
export const floorRule = Effect.fnUntraced(function* ({ check_floors, on_below_floor }: FloorsWanted) {
  if (check_floors === false && on_below_floor !== undefined) {
    const problem = `must not be false with on_below_floor ${on_below_floor}: the lowest bids are not known until they are asked for`
    return yield* new InvalidArgument({ argument: "check_floors", problem })
  }
  const until = yield* gatheringUntil
  return {
    onBelowFloor: on_below_floor ?? "block",
    isAsking: (campaigns: number) => check_floors ?? (on_below_floor !== undefined || campaigns <= askedUnbidden),
    /** The minimum bids that can be read within the time of one tool call; reports progress. */
    ask: Effect.fnUntraced(function* (requests: ReadonlyArray<Asked>) {
      const calls = requests.reduce((sum, { nm_ids }) => sum + Math.ceil(nm_ids.length / caps.minBidArticles), 0)
      const { limit, periodMs } = limitOf(yield* MarketplaceConfig, "getBidsMin")
      const most = Math.floor((keptMinutes * 60_000 * limit) / periodMs)
      if (requests.length > askedUnbidden && calls > most) return yield* tooMany(calls, most)
      const tell = yield* Progress
      const onRead = (progress: number) => tell({ progress, total: requests.length })
      const reading = Effect.map(
        LowestBids.use((lowest) => lowest.ofAll(requests, { until, onRead })),
        (floors): Floors => ({ floors, warnings: [] })
      )
      // They are optional: if they cannot be read, the plan does without.
      if (check_floors === true || on_below_floor !== undefined) return yield* reading
      return yield* Effect.catchIf(reading, isWithoutFloors, ({ problem }) =>
        Effect.succeed<Floors>({ floors: [], warnings: [`${problem} ${refusedLater}`] })
      )
    })
  }
})

/** The marketplace does not return minimum bids, and would not the next time. */
const isWithoutFloors = isBecause("AdsBadRequest", "AdsForbidden", "AdsNotFound", "AdsUnreadable")

const tooMany = (calls: number, most: number) =>
  Effect.fail(
    new InvalidArgument({
      argument: "check_floors",
      problem: `would take ${calls} calls for the lowest bids, and only ${most} can be made while they hold good: plan fewer campaigns at once`
    })
  )

const refusedLater = "The marketplace will refuse a bid that is too low when the plan is applied."

/** The warning of plans that cannot be told to ask. */
export const unaskedFloors = `The lowest bids were not asked for. ${refusedLater}`

export const uncheckedFloors = `${unaskedFloors} Set check_floors to true to ask first; with many campaigns that takes several calls.`
