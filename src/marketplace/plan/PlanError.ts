import { Schema } from "effect"

/** No plan has this id; plans that were never begun are forgotten with the process unless they are kept in a file. */
export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no plan ${this.id}. Make a plan first and use the id that it returns.`
  }
}

/** The plan waited too long; what it was worked out from may have changed. */
export class PlanExpired extends Schema.TaggedError<PlanExpired>()("PlanExpired", { id: Schema.String }) {
  override get message() {
    return `Plan ${this.id} has expired; nothing was changed. Make the plan again.`
  }
}

/** A plan is applied once. */
export class PlanSpent extends Schema.TaggedError<PlanSpent>()("PlanSpent", {
  id: Schema.String,
  state: Schema.Literals(["applied", "taken back"])
}) {
  override get message() {
    return `Plan ${this.id} has been ${this.state} already; nothing was changed. Make a new plan.`
  }
}

/** Something is no longer as it was when the plan was made; its part of the plan was not sent. */
export class PlanStale extends Schema.TaggedError<PlanStale>()("PlanStale", {
  id: Schema.String,
  changed: Schema.Array(Schema.String),
  done: Schema.Int
}) {
  override get message() {
    const shown = this.changed.slice(0, 5).join("; ")
    const more = this.changed.length > 5 ? ` and ${this.changed.length - 5} more` : ""
    return (
      `Plan ${this.id} stopped after ${this.done} changes: someone else has changed ${shown}${more}. ` +
      "Make a new plan from the present state, or roll this one back."
    )
  }
}

/** The configuration forbids what the plan would do; nothing was sent. */
export class GuardViolation extends Schema.TaggedError<GuardViolation>()("GuardViolation", {
  id: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Plan ${this.id} is not allowed: ${this.problems.slice(0, 3).join("; ")}. Plan less, or change the guards in the configuration.`
  }
}

/** A call failed on the way; what is done stays done and is written down, and applying again goes on from there. */
export class ApplyStopped extends Schema.TaggedError<ApplyStopped>()("ApplyStopped", {
  id: Schema.String,
  done: Schema.Int,
  total: Schema.Int,
  problem: Schema.String,
  /** The tag of the error that stopped it. */
  reason: Schema.String,
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    const when =
      this.retryAfterSeconds === undefined
        ? "When that is settled"
        : `After ${Math.ceil(this.retryAfterSeconds)} seconds`
    return (
      `Plan ${this.id} stopped after ${this.done} of ${this.total} changes: ${this.problem} ` +
      `${when}, apply the same plan again: it goes on where it stopped. Or roll it back.`
    )
  }
}

/** There is nothing to take back: the plan was never begun, or what it did cannot be undone. */
export class NothingToRollBack extends Schema.TaggedError<NothingToRollBack>()("NothingToRollBack", {
  id: Schema.String
}) {
  override get message() {
    return `Plan ${this.id} has changed nothing that could be taken back.`
  }
}

/** The journal cannot be written or read; without it nothing is changed. */
export class PlanStoreFailed extends Schema.TaggedError<PlanStoreFailed>()("PlanStoreFailed", {
  problem: Schema.String
}) {
  override get message() {
    return `The journal of plans cannot be used: ${this.problem}. Nothing further was changed.`
  }
}

export type PlanError =
  | ApplyStopped
  | GuardViolation
  | NothingToRollBack
  | PlanExpired
  | PlanNotFound
  | PlanSpent
  | PlanStale
  | PlanStoreFailed
