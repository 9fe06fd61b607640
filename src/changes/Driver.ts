import { Array as Arrays, Effect, type Order, type Result } from "effect"

import type { ActionEntry, CreatedId, StoredEntry } from "./Journal.ts"
import type { Blocked, Draft, Estimate, Plan, Step } from "./Plan.ts"
import type { Judgement, RemoteState, Row } from "./RemoteState.ts"

/** The outcome of a call that was answered. */
export interface Sent<C> {
  readonly created?: CreatedId
  /** A note for people, such as what the call has overwritten. */
  readonly caveat?: string
  /** Changes that were not accepted, although the call as a whole succeeded. */
  readonly refused: ReadonlyArray<{ readonly change: C; readonly reason: string }>
}

/** The consequence of an error of the upstream for the apply. */
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
  readonly entries: ReadonlyArray<StoredEntry<C>>
  readonly now: number
}

/** The things that an upstream's steps create, with texts about them. */
export interface Creations<C> {
  readonly isCreation: (change: C) => boolean
  /** Such as `campaign "Winter"`; only used for changes for which `isOne` is true. */
  readonly describe: (change: C) => string
  /** The reason of an apply that stops because nobody knows yet whether one was made. */
  readonly unknownReason: string
  /** The deed of the next call about a creation whose answer was lost. */
  readonly search: string
  /** Advice where something else is there instead. */
  readonly advice: string
  /** The reason for which a step cannot be done without the step that creates what it is about. */
  readonly missing: string
  /** Words for a person after an apply that has created something. By default `created` says it. */
  readonly afterwards?: string
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
  /** The id of several actions that were one call. */
  readonly group?: string
}

/** The reason for which nothing may be changed, and the error of an apply then: by default a `GuardViolation` with that reason. */
export interface ReadOnly<E = unknown> {
  readonly reason: string
  readonly error?: E
}

/** The beginning of a plan, as a person reads it. */
export interface Overview<C> {
  /** The effect of all steps in one line. */
  readonly digest: (steps: ReadonlyArray<Step<C>>) => string | undefined
  /** The riskiest steps first: the order in which a plan shows a few of them. */
  readonly byRisk: Order.Order<Step<C>>
}

/** The texts of an upstream about its changes. Pure. */
export interface Describing<C> {
  /** The kind of a change, by which plans are summed up. */
  readonly kindOf: (change: C) => string
  /** The id of the thing that a change is about, as callers know it; undefined if an earlier step creates it. */
  readonly subjectOf: (change: C) => CreatedId | undefined
  readonly describe: (change: C) => Described
  /**
   * A text that changes of one kind share, and the name of what a change is about: of such changes a plan shows one, and names the
   * others. By default every change is one of its own.
   */
  readonly likeness?: (change: C) => { readonly key: string; readonly name: string }
  /** By default a plan begins with its steps, in the order of work. */
  readonly overview?: Overview<C>
  /** By default nothing is created. */
  readonly creations?: Creations<C>
  /** By default what was done, and its outcome, about nothing. */
  readonly describeAction?: (action: ActionEntry) => DescribedAction
  /** The changes that the upstream has made to what was sent, as fields of the answer of an apply, and a sentence on them. */
  readonly describeAdjusted?: (steps: ReadonlyArray<{ readonly step: string; readonly detail: unknown }>) => {
    readonly fields: Readonly<Record<string, unknown>>
    readonly advice: string
  }
  /** Hours by which the upstream's days begin before those of UTC. By default none. */
  readonly hoursAhead?: number
  /** The upstream's name inside of a sentence, such as `the marketplace`. */
  readonly upstream: string
  /** The end of warnings that a person has to agree to, which tells a model how. */
  readonly agreementAdvice?: string
  /** Undefined if changes are allowed at that time, which by default they are. */
  readonly readOnly?: (now: number) => ReadOnly | undefined
}

/** The way in which a change is sent. */
export interface Sending {
  /** Whether it needs a call of its own; several such calls may be made at the same time. By default it does. */
  readonly isAlone?: boolean
  /** Whether it does no harm to make it twice. By default it does. */
  readonly isRepeatable?: boolean
}

/** Other steps of a plan on which a change hangs. */
export interface Relations {
  /** The step that it depends on: if that was refused, this one is not sent either. */
  readonly follows?: string | undefined
  /** Further steps that it depends on in the same way. */
  readonly needs?: ReadonlyArray<string> | undefined
  /** The step that brings about what it is for, if that is done: it counts as done then, also where it was refused. */
  readonly settledBy?: string | undefined
}

/** The rules by which a change is made on top of another one, which a plan has made meanwhile. */
export interface Rebase<C> {
  /** The thing that a change is about, as one text for all kinds of change; undefined if others do not matter to it. */
  readonly about: (change: C) => string | undefined
  /**
   * The change on top of another one, itself where that does not matter to it; fails with the place that both change, "" if they
   * cannot be merged at all.
   */
  readonly onto: (change: C, other: C) => Result.Result<C, string>
}

/** The rules of rollbacks, beside the changes that undo others. */
export interface RollbackRules<C, S> {
  /** Says what a step of a rollback does about a change; by default it names the step that is undone. */
  readonly undoes?: (change: C) => string
  /**
   * The steps of a rollback, of which some delete what a later rollback makes anew: what undoes the others names that by its step, as
   * it gets another id. By default they stay as they are.
   */
  readonly relink?: (steps: ReadonlyArray<Step<C>>) => ReadonlyArray<Step<C>>
  /** For things that are unmade with what they are in: the place of a change, and the place that it brings back. */
  readonly containing?: {
    readonly belongsTo: (change: C) => string
    readonly bringsBack: (change: C) => string | undefined
  }
  /** The changes that can never be undone, or only later, and the certainty that reading has brought. By default nothing. */
  readonly limits?: (
    touched: ReadonlyArray<Step<C>>,
    wanted: ReadonlyArray<Step<C>>,
    read: ReadonlyArray<S>,
    plan: Plan<C>
  ) => {
    readonly irreversible: ReadonlyArray<Blocked>
    readonly later: ReadonlyArray<Blocked>
    readonly premise?: unknown
  }
  /** Warnings about side effects of a rollback; may read more. None by default. */
  readonly warnings?: (steps: ReadonlyArray<Step<C>>, read: ReadonlyArray<S>) => Effect.Effect<ReadonlyArray<string>>
}

/** The guards of the configuration, and a person's agreement; by default there are none. */
export interface GuardRules<C, E> {
  /** Removes from a draft, or from a rollback's rollback, what is forbidden at this time. */
  readonly hold?: (draft: Draft<C>, circumstances: Effect.Effect<Circumstances<C>>) => Effect.Effect<Draft<C>>
  /** Checks a rollback: it may exceed the guards and says so; a rollback of a rollback (`isForward`) may not. */
  readonly holdRollback?: (draft: Draft<C>, isForward: boolean) => Draft<C>
  /** The problems that forbid a whole plan when it is applied. */
  readonly problems?: (
    plan: Plan<C>,
    circumstances: Circumstances<C> & {
      /** Whether it reverts another plan; the rollback of a rollback goes forward again, and reverts none. */
      readonly isRevert: boolean
      /** Whether a person has agreed to what the configuration protects. */
      readonly isProtectedConfirmed: boolean
    }
  ) => ReadonlyArray<string>
  /** Fails where a plan cannot be applied at all, such as for want of rights. */
  readonly mayApply?: (plan: Plan<C>) => Effect.Effect<unknown, E>
  /** The question to a person before a plan is applied; undefined if that needs no agreement. */
  readonly question?: (plan: Plan<C>) => string | undefined
  /** The addresses that a plan is sent to, which an agreement covers. */
  readonly addresses?: (plan: Plan<C>) => Effect.Effect<ReadonlyArray<string>, E>
}

/**
 * An upstream whose changes can be planned, applied and rolled back: its kinds of change `C`, reading and writing them, and
 * rules. `S` is what it reads, `E` what its calls fail with. All but the reads and the sending is pure. What an upstream has
 * nothing of is left out.
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
  readonly sending?: (change: C) => Sending
  /** By default a change hangs on no other step. */
  readonly relations?: (change: C) => Relations
  /** Milliseconds that a change may take to show. By default 10 seconds: a lost answer may belong to a write under way. */
  readonly visibleMs?: number

  /** Reads what the changes of one batch are about, with as few calls as possible. */
  readonly readRemoteState: (
    changes: ReadonlyArray<C>,
    plan: Draft<C> & Partial<Pick<Plan<C>, "id">>
  ) => Effect.Effect<S, E>
  /** Rows that must not be sent, and do not count as done either, whatever the upstream shows, with the reasons; may read more. None by default. */
  readonly holdBack?: (
    rows: ReadonlyArray<Row<C> & { readonly judgement: Judgement }>
  ) => Effect.Effect<ReadonlyMap<string, string>>
  /** Sends changes of one batch in one call. */
  readonly send: (changes: ReadonlyArray<C>, state: S) => Effect.Effect<Sent<C>, E>
  /** The consequence of an error for the apply; `changes` are those that the call was about. */
  readonly explain: (error: E, changes: ReadonlyArray<C>) => Failure
  readonly readOnly?: (now: number) => ReadOnly<E> | undefined
  /** By default one call for each step, and no time. */
  readonly estimate?: (steps: ReadonlyArray<Step<C>>) => Estimate

  /** The changes that undo one. */
  readonly invert: (change: C) => ReadonlyArray<C>
  readonly rollback?: RollbackRules<C, S>
  /** By default what another plan has changed meanwhile counts as changed by somebody else. */
  readonly rebase?: Rebase<C>
  readonly guards?: GuardRules<C, E>
}

type LeftOut = "batches" | "creations" | "estimate" | "relations" | "resolve" | "sending" | "visibleMs"

/** A driver without gaps, as plans work with it. */
export interface CompleteDriver<C, S extends RemoteState<C>, E>
  extends Omit<Driver<C, S, E>, LeftOut | "guards" | "rollback">, Required<Pick<Driver<C, S, E>, LeftOut>> {
  readonly guards: Required<GuardRules<C, E>>
  readonly rollback: RollbackRules<C, S> & Required<Pick<RollbackRules<C, S>, "limits" | "warnings">>
}

export const complete = <C, S extends RemoteState<C>, E>(driver: Driver<C, S, E>): CompleteDriver<C, S, E> => ({
  batches: (steps) => Arrays.chunksOf(steps, 20),
  creations: {
    isCreation: () => false,
    describe: () => "",
    unknownReason: "OutcomeUnknown",
    search: "",
    advice: "",
    missing: "what it belongs to was not created"
  },
  estimate: (steps) => ({ calls: steps.length, seconds: 0 }),
  relations: () => ({}),
  resolve: (change) => change,
  sending: () => ({}),
  visibleMs: 10_000,
  ...driver,
  guards: {
    addresses: () => Effect.succeed([]),
    hold: Effect.succeed,
    holdRollback: (draft) => draft,
    mayApply: () => Effect.void,
    problems: () => [],
    question: () => undefined,
    ...driver.guards
  },
  rollback: {
    limits: () => ({ irreversible: [], later: [] }),
    warnings: () => Effect.succeed([]),
    ...driver.rollback
  }
})
