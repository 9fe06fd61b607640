import { Array as Arrays, Effect, type Order } from "effect"

import type { ActionEntry, CreatedId, Kept } from "./Journal.ts"
import type { Blocked, Draft, Estimate, Plan, Step } from "./Plan.ts"
import type { Judgement, RemoteState, Row } from "./RemoteState.ts"

/** The outcome of a call that was answered. */
export interface Sent<C> {
  readonly created?: CreatedId
  /** What people should know of it, such as what it has overwritten. */
  readonly caveat?: string
  /** Changes that were not accepted, although the call as a whole succeeded. */
  readonly refused: ReadonlyArray<{ readonly change: C; readonly reason: string }>
}

/** What an error of the upstream means for the apply. */
export type Failure =
  /**
   * It does not take, or does not show, something of what was asked, and asking again would not help. The batch is
   * bisected down to the changes that are to blame, unless all of it (`isWhole`) is.
   */
  | { readonly _tag: "Refused"; readonly problem: string; readonly isWhole: boolean }
  /** Nothing can go on now; the apply stops. `isUnsent`: nothing of the call was done. */
  | {
      readonly _tag: "Stopped"
      readonly reason: string
      readonly problem: string
      readonly isUnsent: boolean
      readonly retryAfterSeconds?: number
    }
  /** The call may or may not have been carried out. */
  | { readonly _tag: "OutcomeUnknown"; readonly reason: string; readonly problem: string }

/** The time and the journal, for guards that count over several plans. */
export interface Circumstances<C> {
  readonly entries: ReadonlyArray<Kept<C>>
  readonly now: number
}

/** Texts about what an upstream's steps create; only used for changes for which `isOne` is true. */
export interface Creations<C> {
  readonly isOne: (change: C) => boolean
  /** Such as `campaign "Winter"`. */
  readonly describe: (change: C) => string
  /** The reason of an apply that stops because nobody knows yet whether one was made. */
  readonly unknownReason: string
  /** What the next call does about a creation whose answer was lost. */
  readonly search: string
  /** What to do if something else is there instead. */
  readonly advice: string
  /** Why a step cannot be done without the step that creates what it is about. */
  readonly missing: string
  /** Whether a call waits until a creation that an interrupted apply left open must show, if it has the time. */
  readonly isAwaited?: boolean
}

/** A change before and after, as data that can be shown. */
export interface Described {
  readonly before: unknown
  readonly after: unknown
}

/** An action of the journal as a row of the audit log, without its time, and the id of the thing it is about. */
export interface DescribedAction {
  readonly subject: string
  readonly row: Readonly<Record<string, unknown>>
}

/** How an upstream describes its changes to people. Pure. */
export interface Describing<C> {
  /** The kind of a change, by which plans are summed up. */
  readonly kindOf: (change: C) => string
  /** The id of the thing that a change is about, as callers know it; undefined if an earlier step creates it. */
  readonly subjectOf: (change: C) => CreatedId | undefined
  readonly describe: (change: C) => Described
  /** The effect of all steps in one line, which plans begin with. */
  readonly digestOf?: (steps: ReadonlyArray<Step<C>>) => string | undefined
  /** The riskiest steps first: the order in which a plan shows a few of them. By default the order of work. */
  readonly byRisk?: Order.Order<Step<C>>
  /** By default what was done, and its outcome, about nothing. */
  readonly describeAction?: (action: ActionEntry) => DescribedAction
  /** What the upstream has made of what was sent, as fields of the answer of an apply, and a sentence on it. */
  readonly describeAdjusted?: (steps: ReadonlyArray<{ readonly step: string; readonly detail: unknown }>) => {
    readonly fields: Readonly<Record<string, unknown>>
    readonly advice: string
  }
  /** The upstream's name inside of a sentence, such as `the marketplace`. */
  readonly upstream: string
  /** What a person should know after an apply that has created something. By default `created` says it. */
  readonly afterCreation?: string
  /** Why nothing may be changed at that time; undefined if changes are allowed, which by default they are. */
  readonly readOnlyReason?: (now: number) => string | undefined
}

/**
 * What an upstream brings so that its changes can be planned, applied and rolled back: its kinds of change `C`, how to
 * read and write them, and rules. `S` is what it reads, `E` what its calls fail with. All but the reads and the sending is
 * pure. What an upstream has nothing of is left out.
 */
export interface Driver<C, S extends RemoteState<C>, E> extends Describing<C> {
  /** The id of the step for a change: what it is about, as one text. */
  readonly idOf: (change: C) => string
  /** The change with the ids of what earlier steps have created; undefined if that does not exist. By default itself. */
  readonly resolve?: (change: C, created: (step: string) => CreatedId | undefined) => C | undefined
  /** The order in which steps are applied. By default a plan keeps that of its draft, and its rollback goes the other way. */
  readonly order?: (a: Step<C>, b: Step<C>) => number
  /**
   * Splits steps, in order, into batches that share their reads and, unless they are sent alone, their write. By default 20
   * at a time.
   */
  readonly batches?: (steps: ReadonlyArray<Step<C>>) => ReadonlyArray<ReadonlyArray<Step<C>>>
  /** Whether a change needs a call of its own; several such calls may be made at the same time. By default all do. */
  readonly isSentAlone?: (change: C) => boolean
  /** Whether it does no harm to make a change twice. By default it does. */
  readonly isRepeatable?: (change: C) => boolean
  /** By default nothing is created. */
  readonly creations?: Creations<C>
  /** How long a change may take to show, in milliseconds. By default 10 seconds: a lost answer may belong to a write under way. */
  readonly visibleMs?: number

  /** Reads what the changes of one batch are about, with as few calls as possible. */
  readonly readRemoteState: (changes: ReadonlyArray<C>, plan: Draft<C>) => Effect.Effect<S, E>
  /** Why rows must not be sent, and do not count as done either, whatever the upstream shows; may read more. None by default. */
  readonly holdBack?: (
    rows: ReadonlyArray<Row<C> & { readonly judgement: Judgement }>
  ) => Effect.Effect<ReadonlyMap<string, string>>
  /** The step that a change depends on: if that was refused, this one is not sent either. None by default. */
  readonly follows?: (change: C) => string | undefined
  /** The step that brings about what a change is for, if that is done: the change counts as done then, also where it was refused. None by default. */
  readonly settledBy?: (change: C) => string | undefined
  /** Sends changes of one batch in one call. */
  readonly send: (changes: ReadonlyArray<C>, state: S) => Effect.Effect<Sent<C>, E>
  /** What an error means for the apply; `changes` are those that the call was about. */
  readonly explain: (error: E, changes: ReadonlyArray<C>) => Failure

  /** The changes that undo one. */
  readonly invert: (change: C) => ReadonlyArray<C>
  /** Says what a step of a rollback does about a change; by default it names the step that is undone. */
  readonly undoes?: (change: C) => string
  /** Where things are unmade with what they are in: what a change is in, and what it brings back. */
  readonly containing?: {
    readonly belongsTo: (change: C) => string
    readonly bringsBack: (change: C) => string | undefined
  }
  /** What a rollback can never undo, what it can only undo later, and what reading has made certain. By default nothing. */
  readonly limitRollback?: (
    touched: ReadonlyArray<Step<C>>,
    wanted: ReadonlyArray<Step<C>>,
    read: ReadonlyArray<S>,
    plan: Plan<C>
  ) => {
    readonly irreversible: ReadonlyArray<Blocked>
    readonly later: ReadonlyArray<Blocked>
    readonly premise?: unknown
  }
  /** Warnings about what a rollback does besides; may read more. None by default. */
  readonly warnOfRollback?: (
    steps: ReadonlyArray<Step<C>>,
    read: ReadonlyArray<S>
  ) => Effect.Effect<ReadonlyArray<string>>

  /** Removes from a draft, or from a rollback's rollback, what the guards forbid at this time. By default nothing. */
  readonly checkDraft?: (draft: Draft<C>, circumstances: Circumstances<C>) => Draft<C>
  /** Checks a rollback against the guards: it may exceed them and says so; a rollback of a rollback (`isForward`) may not. */
  readonly checkRollback?: (draft: Draft<C>, isForward: boolean) => Draft<C>
  /** What forbids a whole plan when it is applied. By default nothing. */
  readonly problemsOf?: (
    plan: Plan<C>,
    circumstances: Circumstances<C> & {
      /** Whether it reverts another plan; the rollback of a rollback goes forward again, and reverts none. */
      readonly isRevert: boolean
      /** Whether a person has agreed to what the configuration protects. */
      readonly isProtectedConfirmed: boolean
    }
  ) => ReadonlyArray<string>
  /** What a person has to agree to before a plan is applied, in words for them; absent where no plan needs that. */
  readonly questionOf?: (plan: Plan<C>) => string | undefined
  /** The addresses that a plan is sent to, which an agreement covers. */
  readonly addressesOf?: (plan: Plan<C>) => Effect.Effect<ReadonlyArray<string>, E>
  /** Fails, as the upstream's calls do, if nothing may be changed at that time. By default `readOnlyReason` decides. */
  readonly mayApply?: (now: number) => Effect.Effect<void, E>

  /** By default one call for each step, and no time. */
  readonly estimate?: (steps: ReadonlyArray<Step<C>>) => Estimate
}

type LeftOut =
  | "batches"
  | "checkDraft"
  | "checkRollback"
  | "creations"
  | "estimate"
  | "isRepeatable"
  | "isSentAlone"
  | "limitRollback"
  | "mayApply"
  | "problemsOf"
  | "resolve"
  | "visibleMs"
  | "warnOfRollback"

/** A driver without gaps, as plans work with it. */
export type CompleteDriver<C, S extends RemoteState<C>, E> = Driver<C, S, E> & Required<Pick<Driver<C, S, E>, LeftOut>>

export const complete = <C, S extends RemoteState<C>, E>(driver: Driver<C, S, E>): CompleteDriver<C, S, E> => ({
  batches: (steps) => Arrays.chunksOf(steps, 20),
  checkDraft: (draft) => draft,
  checkRollback: (draft) => draft,
  creations: {
    isOne: () => false,
    describe: () => "",
    unknownReason: "OutcomeUnknown",
    search: "",
    advice: "",
    missing: "what it belongs to was not created"
  },
  estimate: (steps) => ({ calls: steps.length, seconds: 0 }),
  isRepeatable: () => false,
  isSentAlone: () => true,
  limitRollback: () => ({ irreversible: [], later: [] }),
  mayApply: () => Effect.void,
  problemsOf: () => [],
  resolve: (change) => change,
  visibleMs: 10_000,
  warnOfRollback: () => Effect.succeed([]),
  ...driver
})
