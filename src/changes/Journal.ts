import { Effect, Ref, Schema } from "effect"

import { type Plan, planOf, type Step, stepsOf } from "./Plan.ts"
import type { JournalFailed } from "./PlanError.ts"

/** Milliseconds since 1970 that fit into a date. */
const Moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))

/** The id of something that a step has created, as the upstream gives it. */
export const CreatedId = Schema.Union([Schema.Int, Schema.String])
export type CreatedId = typeof CreatedId.Type

const base = { at: Moment, plan_id: Schema.String }
/** The caller by the names of its client and its login, as far as they are known. */
const by = { who: Schema.optionalKey(Schema.String) }
const about = { ...base, steps: Schema.Array(Schema.String) }

/** A line of the journal about the progress of a plan. */
export const ProgressEntry = Schema.Union([
  /**
   * The steps are about to be sent: without another entry about them, their outcome is unknown. With `read_back`, what was done
   * before has been read back.
   */
  Schema.Struct({
    type: Schema.Literal("begun"),
    ...about,
    ...by,
    /** Milliseconds on the clock of the machine that nobody sets, which mostly counts from its start. */
    uptime: Schema.optionalKey(Schema.Int),
    read_back: Schema.optionalKey(Schema.Literal(true)),
    /** The id of the last thing that was there before what the steps create. */
    latest: Schema.optionalKey(CreatedId),
    /** Without steps: from here on the plan goes on without a caller. */
    background: Schema.optionalKey(Schema.Struct({ is_protected_confirmed: Schema.Boolean }))
  }),
  /** The call did not arrive, or was refused without being looked at: nothing of the steps was done. */
  Schema.Struct({ type: Schema.Literal("unsent"), ...about }),
  /** The upstream has taken the steps, or things were as wanted already (`found`). */
  Schema.Struct({
    type: Schema.Literal("done"),
    ...about,
    // oxlint-disable-next-line id-denylist -- a field of journals on disk
    found: Schema.Boolean,
    created: Schema.optionalKey(CreatedId)
  }),
  /** The steps were not done: the upstream refused them, or someone else has changed what they are about. */
  Schema.Struct({
    type: Schema.Literal("refused"),
    ...about,
    problem: Schema.String,
    /** They were sent before, and it stays unknown whether they were done. */
    outcome_unknown: Schema.optionalKey(Schema.Boolean)
  }),
  /**
   * Something else shows, or may show, in the place of what was sent: one detail for each step, in the upstream's terms. The
   * steps count as done, are open as long as it stands, or were undone.
   */
  Schema.Struct({
    type: Schema.Literal("observed"),
    ...about,
    /** The upstream's word for it, by which the audit log calls it. */
    word: Schema.String,
    details: Schema.Array(Schema.Unknown),
    standing: Schema.Literals(["done", "open", "undone"]),
    problem: Schema.optionalKey(Schema.String)
  }),
  /** Read back afterwards and not seen as set; a read model may take minutes. */
  Schema.Struct({ type: Schema.Literal("unconfirmed"), ...about }),
  /** Seen as set after all. */
  Schema.Struct({ type: Schema.Literal("confirmed"), ...about }),
  Schema.Struct({ type: Schema.Literal("stopped"), ...base, problem: Schema.String }),
  /** A person has agreed for this caller to the plan of this digest; what is left of it needs no other agreement. */
  Schema.Struct({ type: Schema.Literal("agreed"), ...base, caller: Schema.String, digest: Schema.String }),
  /** Of earlier versions: a person was asked to look at the first amount. */
  Schema.Struct({ type: Schema.Literal("asked"), ...base, problem: Schema.String }),
  /** Every step has had its turn; `refused` of them were not taken and can be tried again. */
  Schema.Struct({ type: Schema.Literal("finished"), ...base, refused: Schema.optionalKey(Schema.Int) })
])
export type ProgressEntry = typeof ProgressEntry.Type

/** The first line about a plan. */
export interface PlannedEntry<C> {
  readonly type: "planned"
  readonly at: number
  readonly plan_id: string
  readonly plan: Plan<C>
  readonly who?: string
  /** The number of its steps that stand in lines before this one, and not in it. */
  readonly steps_before?: number
}

/** A plan that was never begun and can be begun no more: its steps are gone. */
export const ExpiredEntry = Schema.Struct({
  type: Schema.Literal("expired"),
  ...base,
  kind: Schema.String,
  step_count: Schema.Int,
  reverses: Schema.optionalKey(Schema.String)
})
export type ExpiredEntry = typeof ExpiredEntry.Type

/** Steps of a large plan, whose own line comes when all of them are written. */
interface StepsEntry<C> {
  readonly type: "steps"
  readonly at: number
  readonly plan_id: string
  readonly of_plan: ReadonlyArray<Step<C>>
}

/** Steps of a plan as they are on top of what another plan has changed since it was made. */
interface RebasedEntry<C> {
  readonly type: "rebased"
  readonly at: number
  readonly plan_id: string
  readonly of_plan: ReadonlyArray<Step<C>>
}

/** A change that needed no plan, with whatever else the upstream says of it. */
export interface ActionEntry {
  readonly type: "action"
  readonly at: number
  readonly operation: string
  readonly outcome: string
  readonly who?: string
  readonly [field: string]: unknown
}

/** One line of the journal; moments are milliseconds since 1970. Nothing is ever changed; only expired plans lose their steps. */
export type Entry<C> = ActionEntry | ExpiredEntry | PlannedEntry<C> | ProgressEntry | RebasedEntry<C> | StepsEntry<C>

/** A line that is not a valid entry: it is reported in its place, and the others are still read. */
export interface UnreadableEntry {
  readonly type: "unreadable"
  /** The moment of the entry before it. */
  readonly at: number
  /** The plan that it seems to be about. */
  readonly plan_id?: string
  readonly problem: string
}

/** Everything in the journal, in the order of writing. */
export type StoredEntry<C> = Entry<C> | UnreadableEntry

/** The lines of an upstream's journal, by the schema of its changes and the fields that its actions have. */
export const entryOf = <C, const F extends Schema.Struct.Fields>(
  change: Schema.Codec<C, unknown>,
  action: F,
  invert?: (change: C) => ReadonlyArray<C>
) =>
  Schema.Union([
    Schema.Struct({
      type: Schema.Literal("planned"),
      ...base,
      ...by,
      plan: planOf(change, invert),
      steps_before: Schema.optionalKey(Schema.Int)
    }),
    Schema.Struct({ type: Schema.Literal("steps"), ...base, of_plan: stepsOf(change, invert) }),
    Schema.Struct({ type: Schema.Literal("rebased"), ...base, of_plan: stepsOf(change, invert) }),
    ProgressEntry,
    ExpiredEntry,
    Schema.Struct({
      type: Schema.Literal("action"),
      at: Moment,
      operation: Schema.String,
      ...by,
      ...action,
      outcome: Schema.String
    })
  ])

/** The plans, their progress and the audit log of an upstream: a list that only grows. */
export interface Journal<C> {
  /** Returns when the entries, in their order, would survive a crash. */
  readonly append: (...entries: ReadonlyArray<Entry<C>>) => Effect.Effect<void, JournalFailed>
  /** All entries, those of other processes included. */
  readonly entries: Effect.Effect<ReadonlyArray<StoredEntry<C>>>
  /** The results of a function for each entry; the entries, which are large where plans are, are not kept. */
  readonly mapEntries: MapEntries<C>
  /** Keeps every other process from writing while the work is done; fails where another one keeps this one from it. */
  readonly hold: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | JournalFailed, R>
}

export type MapEntries<C> = <A>(make: (entry: StoredEntry<C>) => A) => Effect.Effect<ReadonlyArray<A>>

/** The reading side of a journal, by the way in which it goes through its entries. */
export const readingBy = <C>(mapEntries: MapEntries<C>): Pick<Journal<C>, "entries" | "mapEntries"> => ({
  entries: Effect.suspend(() => mapEntries((entry) => entry)),
  mapEntries
})

/** A journal in memory. */
export const inMemory = <C>(): Effect.Effect<Journal<C>> =>
  Effect.map(Ref.make<ReadonlyArray<Entry<C>>>([]), (stored) => ({
    append: (...more) => Ref.update(stored, (entries) => [...entries, ...more]),
    ...readingBy<C>((make) => Effect.map(Ref.get(stored), (entries) => entries.map((entry) => make(entry)))),
    hold: (work) => work
  }))
