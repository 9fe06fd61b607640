import { Match, Option, Schema } from "effect"

import type { Described, DescribedAction } from "../../changes/Driver.ts"
import type { ActionEntry } from "../../changes/Journal.ts"
import { statusText } from "../client/Campaign.ts"
import { type Kopecks, kopecksToRubles, isKopecks, money } from "../client/money.ts"
import { labelOf } from "../client/operations.ts"
import type { Change } from "./Change.ts"

const phrases = (list: ReadonlyArray<string>) => ({ count: list.length, phrases: list.slice(0, 10) })
const amount = (kopecks: Kopecks | null) => (kopecks === null ? null : money(kopecks))
const membership = (isIn: boolean): string => (isIn ? "in the campaign" : "not in it")

/** The values before and after a change; money in both units, lists of phrases shortened. */
export const describe: (change: Change) => Described = Match.type<Change>().pipe(
  Match.withReturnType<Described>(),
  Match.discriminatorsExhaustive("kind")({
    create: ({ name, nms, placement_types }) => ({
      before: null,
      after: { name, articles: nms.length, placements: placement_types }
    }),
    delete: ({ name }) => ({ before: { name }, after: null }),
    product: ({ after, before }) => ({ before: membership(before), after: membership(after) }),
    bid: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    cluster: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    phrases: ({ after, before }) => ({ before: phrases(before), after: phrases(after) }),
    state: ({ after, before }) => ({ before: statusText(before), after: statusText(after) }),
    name: ({ after, before }) => ({ before, after }),
    placements: ({ after, before }) => ({ before, after }),
    deposit: ({ before, rubles: sum }) => ({
      before: amount(before),
      after: describeBid(before + sum * 100)
    }),
    limit: ({ after, before }) => ({ before: amount(before), after: amount(after) })
  })
)

/** An amount in both units. */
const describeBid = (bid: number) => (isKopecks(bid) ? money(bid) : null)

const rubles = (bid: number): string => (isKopecks(bid) ? kopecksToRubles(bid) : String(bid))

/** A start or a pause as a row: the campaign, its status before, and the outcome. */
export const describeAction = ({ advert_id, before, operation, outcome, pause }: ActionEntry): DescribedAction => ({
  subject: String(advert_id),
  row: {
    what: labelOf(operation),
    advert_id,
    status_before: before,
    outcome,
    ...(pause === undefined ? {} : { pause_id: pause })
  },
  ...(typeof pause === "string" ? { group: pause } : {})
})

/** The fields of a start or a pause in the journal; `pause` is the id of one of several campaigns, `caller` who has agreed to it. */
export const actionFields = {
  advert_id: Schema.Int,
  before: Schema.Int,
  pause: Schema.optionalKey(Schema.String),
  caller: Schema.optionalKey(Schema.String)
}

/** The notice that the probe bid of an earlier version may still be set. */
export const describeProbe = (step: string, bid: number): string =>
  `An earlier version has sent ${step} as ${bid}, to see how it is read, and that may stand: ${rubles(bid)} rub where ` +
  `the marketplace reads kopecks, ${bid}.00 rub where it reads rubles (D2).`

/** Bids that the marketplace has rounded, as an answer shows them. */
export const describeAdjusted = (steps: ReadonlyArray<{ readonly step: string; readonly detail: unknown }>) => {
  const rounded = steps.flatMap(({ detail, step }) => {
    const bid = observedIn(detail).rounded
    return bid === undefined ? [] : [{ step, bid: describeBid(bid) }]
  })
  return {
    fields: { rounded: rounded.slice(0, 20), rounded_count: rounded.length },
    advice: rounded.length === 0 ? "" : "The marketplace has rounded some bids: rounded shows what stands."
  }
}

/** The explanation of cluster bids that were read in the other unit: the setting was wrong. */
export const explainMisread = (first: { readonly step: string; readonly amount: number }, others: number) => {
  const more = others === 0 ? "" : `, and ${others} more likewise`
  return {
    reason: "ClusterBidUnit",
    problem:
      `The marketplace has read the cluster bid ${first.step} in another unit than it was sent in (D2): it stands at ` +
      `${rubles(first.amount)} rub${more}.`,
    remedy:
      "No other bid is sent. Set marketplace.wire to the other form and restart; plan_rollback plans the rollback."
  }
}

/** The bid that stands, or may stand, in the place of one that was sent; kopecks. */
const Observed = Schema.Struct({
  /** The bid that the marketplace has rounded it to. */
  rounded: Schema.optionalKey(Schema.Int),
  /** The bid as it shows where it was read in another unit. */
  misread: Schema.optionalKey(Schema.Int),
  /** The low bid that an earlier version has sent first, to see in which unit it is read. */
  probe: Schema.optionalKey(Schema.Int)
})
type Observed = typeof Observed.Type

const decode = Schema.decodeUnknownOption(Observed)

/** The detail of a step of the journal; empty where there is none. */
export const observedIn = (detail: unknown): Observed => Option.getOrElse(decode(detail), () => ({}))
