import type { Effect } from "effect"

import type { ActionEntry, CreatedId, Kept } from "./Journal.ts"
import type { Blocked, Draft, Estimate, Plan, Step } from "./Plan.ts"
import type { StepRecord } from "./PlanState.ts"

/** How a change stands at the upstream: still to do, already as wanted, or changed by someone else. */
export type Judgement = "already" | "drift" | "pending"

/** A step whose change names everything by its id, also what an earlier step has created. */
export interface Row<C> {
  readonly step: string
  readonly change: C
}

/** What the journal knows of a step, beside what the upstream shows. */
export interface Known {
  readonly own: StepRecord
  /** In a rollback: the step that it undoes. */
  readonly original?: StepRecord
}

/** What the upstream shows in the place of a change that was sent. */
export type Shown =
  | { readonly _tag: "Wanted" }
  | { readonly _tag: "Other" }
  /** Another amount, which is the wanted one rounded. */
  | { readonly _tag: "Rounded"; readonly amount: number }
  /** Another amount, which is the wanted one read in another unit. */
  | { readonly _tag: "Misread"; readonly amount: number }

/** What a creation whose answer was lost has made; or which others are in its place, and why they are not it. */
export interface Lost {
  readonly created?: CreatedId
  readonly others?: string
}

/** What the upstream shows of the changes of one batch, read at once. */
export interface RemoteState<C> {
  readonly judge: (change: C, known: Known) => Judgement
  /** Why a change that is still to do cannot be done, where that shows. */
  readonly obstacle: (change: C) => string | undefined
  /** What shows of a change that was sent. */
  readonly shown: (change: C) => Shown
  /** The change from what shows, where that is what the undone step's own change has become: rounded, or misread. */
  readonly fromOwn: (change: C, original: StepRecord) => C | undefined
  /** What became of a creation that was sent at that moment and not answered. */
  readonly lost: (change: C, sentAt: number) => Lost
  /** In words, what it means that changes find something else than they were planned for; may read more. */
  readonly explainDrift: Effect.Effect<(change: C) => string>
}

/** What came of a call that was answered. */
export interface Sent<C> {
  readonly created?: CreatedId
  /** Changes that an answer of success says were not taken. */
  readonly refused: ReadonlyArray<{ readonly change: C; readonly reason: string }>
}

/** What follows from an error of the upstream. */
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

/** The moment, and what the journal tells, for guards that count over several plans. */
export interface Circumstances<C> {
  readonly entries: ReadonlyArray<Kept<C>>
  readonly now: number
}

/** Words for what an upstream's steps create; only asked for where `isOne` says yes. */
export interface Creations<C> {
  readonly isOne: (change: C) => boolean
  /** Such as `campaign "Winter"`. */
  readonly describe: (change: C) => string
  /** The reason of an apply that stops because nobody knows yet whether one was made. */
  readonly unknownReason: string
  /** What the next call does about one whose answer was lost. */
  readonly search: string
  /** What to do where another one is in its place. */
  readonly advice: string
  /** Why a step cannot be done without the step that creates what it is about. */
  readonly missing: string
  /** Whether a call waits for one that a broken apply has left open, where it has time until that must show. */
  readonly isAwaited?: boolean
}

/** What a change leads from and to, as data that can be shown. */
export interface Described {
  readonly before: unknown
  readonly after: unknown
}

/** An action of the journal as a row of the audit log, without its moment, and the id of what it is about. */
export interface DescribedAction {
  readonly subject: string
  readonly row: Readonly<Record<string, unknown>>
}

/** How an upstream tells its changes to people. Pure. */
export interface Describing<C> {
  /** The kind of a change, by which plans are summed up. */
  readonly kindOf: (change: C) => string
  /** The id of what a change is about, as callers know it; nothing where an earlier step creates it. */
  readonly subjectOf: (change: C) => CreatedId | undefined
  readonly describe: (change: C) => Described
  /** An amount as it is shown to people. */
  readonly describeAmount: (amount: number) => unknown
  readonly describeAction: (action: ActionEntry) => DescribedAction
  /** What stands at a step whose amount was sent as a probe by an earlier version. */
  readonly describeProbe: (step: string, amount: number) => string
  /** What stands where amounts were read in another unit, and what a person can do about it. */
  readonly describeMisread: (
    first: { readonly step: string; readonly amount: number },
    others: number
  ) => { readonly reason: string; readonly problem: string; readonly remedy: string }
  /** The upstream's name inside of a sentence, such as `the marketplace`. */
  readonly upstream: string
  /** What a person should know after an apply that has created something, or of which amounts were rounded. */
  readonly afterCreation: string
  readonly afterRounding: string
  /** Why nothing may be changed at that moment; nothing where it may. */
  readonly readOnlyReason: (now: number) => string | undefined
}

/**
 * What an upstream brings so that its changes can be planned, applied and rolled back: its kinds of change `C`, how to
 * read and write them, and rules. `S` is what it reads, `E` what its calls fail with. All but the reads and the sending is
 * pure.
 */
export interface Driver<C, S extends RemoteState<C>, E> extends Describing<C> {
  /** What a change is about, as one text: the id of its step. */
  readonly idOf: (change: C) => string
  /** The change with the ids of what earlier steps have created; nothing where that is not there. */
  readonly resolve: (change: C, created: (step: string) => CreatedId | undefined) => C | undefined
  /** The order in which steps are applied. */
  readonly order: (a: Step<C>, b: Step<C>) => number
  /** Steps in their order, cut into those that share their reads and, unless they are sent alone, their write. */
  readonly batches: (steps: ReadonlyArray<Step<C>>) => ReadonlyArray<ReadonlyArray<Step<C>>>
  /** Whether a change has a call of its own. Some of them go out at the same time. */
  readonly isSentAlone: (change: C) => boolean
  /** Whether a change does no harm when it is carried out twice. */
  readonly isRepeatable: (change: C) => boolean
  readonly creations: Creations<C>
  /** How long a change may take to show, in milliseconds. */
  readonly visibleMs: number

  /** Reads what the changes of one batch are about, with as few calls as there can be. */
  readonly readRemoteState: (changes: ReadonlyArray<C>, plan: Draft<C>) => Effect.Effect<S, E>
  /** Why rows are not to be sent, and do not count as done either, whatever shows; may read more. */
  readonly holdBack: (
    rows: ReadonlyArray<Row<C> & { readonly judgement: Judgement }>
  ) => Effect.Effect<ReadonlyMap<string, string>>
  /** The step that a change follows from: where that one was refused, this one is not sent either. None by default. */
  readonly follows?: (change: C) => string | undefined
  /** Sends changes of one batch in one call. */
  readonly send: (changes: ReadonlyArray<C>, state: S) => Effect.Effect<Sent<C>, E>
  /** What follows from an error; `changes` are those that the call was about. */
  readonly explain: (error: E, changes: ReadonlyArray<C>) => Failure

  /** The changes that undo one. */
  readonly invert: (change: C) => ReadonlyArray<C>
  /** What a step of a rollback does about a change, in words; the id of its step otherwise. */
  readonly undoes?: (change: C) => string
  /** What is unmade with something else: the thing that a change belongs to, and the one that it brings back. */
  readonly belongsTo: (change: C) => string
  readonly bringsBack: (change: C) => string | undefined
  /** What of a rollback can never be, what can only be later, and what was proven on the way. */
  readonly limitRollback: (
    touched: ReadonlyArray<Step<C>>,
    wanted: ReadonlyArray<Step<C>>,
    read: ReadonlyArray<S>,
    plan: Plan<C>
  ) => {
    readonly irreversible: ReadonlyArray<Blocked>
    readonly later: ReadonlyArray<Blocked>
    readonly provenUnit?: string
  }
  /** Warnings about what a rollback does besides. */
  readonly warnOfRollback: (steps: ReadonlyArray<Step<C>>, read: ReadonlyArray<S>) => ReadonlyArray<string>

  /** Leaves out of a draft, or of a rollback's rollback, what the guards forbid at this time. */
  readonly checkDraft: (draft: Draft<C>, circumstances: Circumstances<C>) => Draft<C>
  /** Holds a rollback against the guards: one goes past them and says so, a rollback of a rollback (`isForward`) does not. */
  readonly checkRollback: (draft: Draft<C>, isForward: boolean) => Draft<C>
  /** What forbids a whole plan at the moment of its apply. */
  readonly problemsOf: (
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
  /** Fails where nothing may be changed at that moment. */
  readonly mayApply: (now: number) => Effect.Effect<void, E>

  readonly estimate: (steps: ReadonlyArray<Step<C>>) => Estimate
}
