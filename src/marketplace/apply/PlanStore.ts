import { Context, Effect, Layer, Ref, Schema } from "effect"

import { BidKopecks } from "../client/Bids.ts"
import { Kopecks } from "../client/money.ts"
import { Plan } from "../plan/Plan.ts"
import type { PlanStoreFailed } from "./PlanError.ts"

/** Milliseconds since 1970, as far as calendars go. */
const Moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))

const base = { at: Moment, plan_id: Schema.String }

/** One line of the journal; moments are milliseconds since 1970. Nothing is ever changed or taken out. */
export const Entry = Schema.Union([
  Schema.Struct({ type: Schema.Literal("planned"), ...base, plan: Plan }),
  /**
   * The steps are about to be sent; without a `done` for them it is unknown whether they were. Earlier versions sent one
   * cluster bid as a low number first, `trial`, to see how the marketplace reads it (D2).
   */
  Schema.Struct({
    type: Schema.Literal("begun"),
    ...base,
    steps: Schema.Array(Schema.String),
    trial: Schema.optionalKey(BidKopecks)
  }),
  /** Of earlier versions: the marketplace has taken the low number. */
  Schema.Struct({ type: Schema.Literal("tried"), ...base, steps: Schema.Array(Schema.String) }),
  /** The call did not arrive, or was turned away before it was looked at: nothing of the steps was done. */
  Schema.Struct({ type: Schema.Literal("unsent"), ...base, steps: Schema.Array(Schema.String) }),
  /** The marketplace has taken the steps, or things were as wanted already; `created` is the id of a new campaign. */
  Schema.Struct({
    type: Schema.Literal("done"),
    ...base,
    steps: Schema.Array(Schema.String),
    found: Schema.Boolean,
    created: Schema.optionalKey(Schema.Int)
  }),
  /** The steps were not done: the marketplace refused them, or someone else has changed what they are about. */
  Schema.Struct({
    type: Schema.Literal("refused"),
    ...base,
    steps: Schema.Array(Schema.String),
    problem: Schema.String
  }),
  /** Cluster bids that were sent show a hundred times too high or low, and may stand like that (D2): they are not done. */
  Schema.Struct({
    type: Schema.Literal("misread"),
    ...base,
    steps: Schema.Array(Schema.String),
    problem: Schema.String
  }),
  /** Of earlier versions: the steps were done and taken back at once. */
  Schema.Struct({
    type: Schema.Literal("undone"),
    ...base,
    steps: Schema.Array(Schema.String),
    problem: Schema.String
  }),
  /** Read back and seen rounded to the marketplace's step: the bids in kopecks, one for each step. */
  Schema.Struct({
    type: Schema.Literal("rounded"),
    ...base,
    steps: Schema.Array(Schema.String),
    bids: Schema.Array(Kopecks)
  }),
  /** Read back afterwards and not seen as set; the read model may take minutes. */
  Schema.Struct({ type: Schema.Literal("unconfirmed"), ...base, steps: Schema.Array(Schema.String) }),
  /** Seen as set after all. */
  Schema.Struct({ type: Schema.Literal("confirmed"), ...base, steps: Schema.Array(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("stopped"), ...base, problem: Schema.String }),
  /** Of earlier versions: a person was asked to look at the first cluster bid. */
  Schema.Struct({ type: Schema.Literal("asked"), ...base, problem: Schema.String }),
  /** Every step has had its turn; `refused` of them were not taken and can be tried again. */
  Schema.Struct({ type: Schema.Literal("finished"), ...base, refused: Schema.optionalKey(Schema.Int) }),
  /** A start or a pause, which needs no plan. */
  Schema.Struct({
    type: Schema.Literal("action"),
    at: Moment,
    operation: Schema.String,
    advert_id: Schema.Int,
    before: Schema.Int,
    outcome: Schema.String
  })
])
export type Entry = typeof Entry.Type

/** A line of the journal that is no entry: it is named in its place, and hides none of the others. */
export interface UnreadableEntry {
  readonly type: "unreadable"
  /** The moment of the entry before it. */
  readonly at: number
  /** The plan that it seems to be about. */
  readonly plan_id?: string
  readonly problem: string
}

/** What the journal holds, in the order of writing. */
export type Kept = Entry | UnreadableEntry

/** Where plans, their progress and the audit trail are kept: a list that only grows. */
export class PlanStore extends Context.Service<
  PlanStore,
  {
    /** Returns when the entry would survive a crash. */
    readonly append: (entry: Entry) => Effect.Effect<void, PlanStoreFailed>
    /** All entries, those of other processes included. */
    readonly entries: Effect.Effect<ReadonlyArray<Kept>>
    /** Keeps every other process from writing while the work is done; fails where another one keeps this one from it. */
    readonly hold: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | PlanStoreFailed, R>
  }
>()("workflow-tool-server/marketplace/PlanStore") {
  /** Kept as long as the process runs. */
  static readonly layerMemory = Layer.effect(
    PlanStore,
    Effect.map(Ref.make<ReadonlyArray<Entry>>([]), (kept) =>
      PlanStore.of({
        append: (entry) => Ref.update(kept, (entries) => [...entries, entry]),
        entries: Ref.get(kept),
        hold: (work) => work
      })
    )
  )
}
