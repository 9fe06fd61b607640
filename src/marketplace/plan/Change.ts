import { Match, Schema } from "effect"

import { Purse } from "../client/Account.ts"
import { BidKopecks } from "../client/Bids.ts"
import { ManualPlacement, PaymentType, Placement, status } from "../client/Campaign.ts"
import { AdvertId, NmId } from "../client/ids.ts"
import { Kopecks } from "../client/money.ts"

/** A campaign by its id, or the one that an earlier step of the same plan creates. */
export const Target = Schema.Union([AdvertId, Schema.Struct({ created_by: Schema.String })])
export type Target = typeof Target.Type

const at = { target: Target, nm_id: NmId }

/** A new campaign of type 9 with manual bids; its name is its identity until the marketplace gives it an id. */
export const Create = Schema.Struct({
  kind: Schema.Literal("create"),
  name: Schema.String,
  nms: Schema.Array(NmId),
  payment_type: PaymentType,
  placement_types: Schema.Array(ManualPlacement),
  /** The campaign of which it is the manual twin. */
  twin_of: Schema.optionalKey(AdvertId)
})
export type Create = typeof Create.Type

/** Whether an article belongs to a campaign. */
const Product = Schema.Struct({
  kind: Schema.Literal("product"),
  ...at,
  before: Schema.Boolean,
  after: Schema.Boolean
})
type Product = typeof Product.Type

/** The bid of an article at a placement; `before` is null if there is none to restore. */
const Bid = Schema.Struct({
  kind: Schema.Literal("bid"),
  ...at,
  placement: Placement,
  before: Schema.NullOr(Kopecks),
  after: BidKopecks,
  /** The article's current bid in the campaign that it comes from, to which the largest change is relative. */
  today: Schema.optionalKey(Kopecks)
})
type Bid = typeof Bid.Type

/** All minus-phrases of an article. */
export const Phrases = Schema.Struct({
  kind: Schema.Literal("phrases"),
  ...at,
  before: Schema.Array(Schema.String),
  after: Schema.Array(Schema.String)
})
export type Phrases = typeof Phrases.Type

/** The bid for a search cluster of an article; null means none. */
const ClusterChange = Schema.Struct({
  kind: Schema.Literal("cluster"),
  ...at,
  norm_query: Schema.NonEmptyString,
  before: Schema.NullOr(Kopecks),
  after: Schema.NullOr(BidKopecks)
})
type ClusterChange = typeof ClusterChange.Type

/** Deletes a campaign that was never started. */
const Delete = Schema.Struct({ kind: Schema.Literal("delete"), target: Target, name: Schema.String })
type Delete = typeof Delete.Type

/** The start, the pause or the end of a campaign; one that has ended never runs again. */
const State = Schema.Struct({
  kind: Schema.Literal("state"),
  target: Target,
  before: Schema.Int,
  after: Schema.Literals([status.active, status.paused, status.finished]),
  /** The campaign that takes its place, or whose place it takes: of the two, one pauses once the other runs. */
  partner: Schema.optionalKey(AdvertId)
})
type State = typeof State.Type

/** The statuses from which a campaign comes into another one. */
const origins: { readonly [after in State["after"]]: ReadonlyArray<number> } = {
  [status.active]: [status.ready, status.paused],
  [status.paused]: [status.active],
  [status.finished]: [status.active, status.paused]
}

/** Whether a campaign in one status can be brought into another. */
export const canMove = (now: number, after: State["after"]): boolean => origins[after].includes(now)

/** The name of a campaign. */
const Name = Schema.Struct({
  kind: Schema.Literal("name"),
  target: Target,
  before: Schema.String,
  after: Schema.String
})
type Name = typeof Name.Type

/** The placements of a campaign with manual bids that pays per view. */
const Placements = Schema.Struct({
  kind: Schema.Literal("placements"),
  target: Target,
  before: Schema.Array(ManualPlacement),
  after: Schema.Array(ManualPlacement)
})
type Placements = typeof Placements.Type

/** Money for the budget of a campaign; `before` is what it had. */
const Deposit = Schema.Struct({
  kind: Schema.Literal("deposit"),
  target: Target,
  rubles: Schema.Int.check(Schema.isGreaterThan(0)),
  purse: Purse,
  before: Kopecks
})

/** The most that a campaign may spend in a day; null means no limit. */
const DailyLimit = Schema.Struct({
  kind: Schema.Literal("limit"),
  target: Target,
  before: Schema.NullOr(BidKopecks),
  after: Schema.NullOr(BidKopecks)
})
type DailyLimit = typeof DailyLimit.Type

/** One change of one thing, with its values before and after; money in kopecks. */
export const Change = Schema.Union([
  Create,
  Product,
  Bid,
  Phrases,
  ClusterChange,
  Delete,
  State,
  Name,
  Placements,
  Deposit,
  DailyLimit
])
export type Change = typeof Change.Type

/** The operation that a change needs: cluster bids are set by one and deleted by another. */
export type Work = Exclude<Change["kind"], "state"> | "drop" | "end" | "pause" | "start"
export const workOf = (change: Change): Work => {
  if (change.kind === "state") return moves[change.after]
  return change.kind === "cluster" && change.after === null ? "drop" : change.kind
}

const moves = { [status.active]: "start", [status.paused]: "pause", [status.finished]: "end" } as const

/** The order of changes: an article must be in a campaign before it can have a bid, and campaigns are deleted last. */
export const order: ReadonlyArray<Work> = [
  "create",
  "name",
  "placements",
  "product",
  "bid",
  "phrases",
  "drop",
  "cluster",
  "limit",
  "deposit",
  "start",
  "pause",
  "end",
  "delete"
]

const targetKey = (target: Target): string => (typeof target === "number" ? String(target) : `<${target.created_by}>`)

/** The subject of a change as text: unique within a plan. */
export const changeKey: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: ({ name }) => `create ${name}`,
    delete: ({ target }) => `delete ${targetKey(target)}`,
    product: ({ nm_id, target }) => `product ${targetKey(target)}/${nm_id}`,
    bid: ({ nm_id, placement, target }) => `bid ${targetKey(target)}/${nm_id}/${placement}`,
    phrases: ({ nm_id, target }) => `phrases ${targetKey(target)}/${nm_id}`,
    cluster: ({ nm_id, norm_query, target }) => `cluster ${targetKey(target)}/${nm_id}/${norm_query}`,
    state: ({ target }) => `state ${targetKey(target)}`,
    name: ({ target }) => `name ${targetKey(target)}`,
    placements: ({ target }) => `placements ${targetKey(target)}`,
    deposit: ({ target }) => `deposit ${targetKey(target)}`,
    limit: ({ target }) => `limit ${targetKey(target)}`
  })
)

/** The changes that revert a change. The contents of a campaign that the plan itself creates are deleted with that campaign. */
export const invert = (change: Change): ReadonlyArray<Change> => {
  if (change.kind === "create") {
    return [{ kind: "delete", target: { created_by: changeKey(change) }, name: change.name }]
  }
  if (change.kind === "delete" || change.kind === "deposit" || typeof change.target !== "number") return []
  return swapped(change)
}

const swapped = Match.type<Bid | ClusterChange | DailyLimit | Name | Phrases | Placements | Product | State>().pipe(
  Match.withReturnType<ReadonlyArray<Change>>(),
  Match.discriminatorsExhaustive("kind")({
    bid: (change) => (change.before === null ? [] : [{ ...change, before: change.after, after: change.before }]),
    cluster: (change) => [{ ...change, before: change.after, after: change.before }],
    phrases: (change) => [{ ...change, before: change.after, after: change.before }],
    product: (change) => [{ ...change, before: change.after, after: change.before }],
    limit: (change) => [{ ...change, before: change.after, after: change.before }],
    name: (change) => [{ ...change, before: change.after, after: change.before }],
    placements: (change) => [{ ...change, before: change.after, after: change.before }],
    // A campaign that was started once is paused, never ready again.
    state: (change) => {
      if (change.after === status.finished) return []
      const after = change.after === status.active ? status.paused : status.active
      return [{ ...change, before: change.after, after }]
    }
  })
)
