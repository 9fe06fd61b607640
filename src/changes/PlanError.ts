import { Schema } from "effect"

import { notAgreed } from "../mcp/agreement.ts"

/** No plan has this id; plans that were never begun are forgotten with the process unless they are kept in a file. */
export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no plan ${this.id}. Make a plan first and use the id that it returns.`
  }
}

/** The plan waited too long; what it is based on may have changed. */
export class PlanExpired extends Schema.TaggedError<PlanExpired>()("PlanExpired", { id: Schema.String }) {
  override get message() {
    return `Plan ${this.id} has expired; nothing was changed. Make the plan again.`
  }
}

/** A plan is applied once. */
export class PlanSpent extends Schema.TaggedError<PlanSpent>()("PlanSpent", {
  id: Schema.String,
  state: Schema.Literals(["applied", "rolled back"])
}) {
  override get message() {
    return `Plan ${this.id} has been ${this.state} already; nothing was changed. Make a new plan.`
  }
}

/** The configuration forbids what the plan, or a call without one, would do; nothing was sent. */
export class GuardViolation extends Schema.TaggedError<GuardViolation>()("GuardViolation", {
  id: Schema.optionalKey(Schema.String),
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    const what = this.id === undefined ? "This" : `Plan ${this.id}`
    return `${what} is not allowed: ${this.problems.slice(0, 3).join("; ")}. Ask for less, or change the guards in the configuration.`
  }
}

/** A person was asked whether a plan may be applied, and has not agreed; nothing was sent. */
export class NotAgreed extends Schema.TaggedError<NotAgreed>()("NotAgreed", {
  id: Schema.String,
  answer: Schema.Literals(["declined", "cancelled", "unanswered"]),
  /** The reason for which nobody has answered. */
  problem: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return notAgreed(`Plan ${this.id} is for a person to agree to`, this, "Applying it again")
  }
}

/** A call failed during an apply; what was done stays done and is recorded, and applying again goes on from there. */
export class ApplyStopped extends Schema.TaggedError<ApplyStopped>()("ApplyStopped", {
  id: Schema.String,
  done: Schema.Int,
  total: Schema.Int,
  problem: Schema.String,
  /** The kind of failure that stopped it, in the upstream's words. */
  reason: Schema.String,
  isOutcomeUnknown: Schema.Boolean,
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    return `Plan ${this.id} stopped after ${this.done} of ${this.total} changes: ${sentence(this.problem)} ${this.advice}`
  }

  get advice() {
    const atOnce = this.isOutcomeUnknown ? "Now" : "When that is settled"
    const when = this.retryAfterSeconds === undefined ? atOnce : `After ${Math.ceil(this.retryAfterSeconds)} seconds`
    return (
      `${when}, apply the same plan again: it goes on where it stopped. ` +
      "If it cannot be settled, make a new plan from the present state, or roll this one back."
    )
  }
}

/** There is nothing to roll back: the plan was never begun, or what it did cannot be undone; `blocked` says what and why. */
export class NothingToRollBack extends Schema.TaggedError<NothingToRollBack>()("NothingToRollBack", {
  id: Schema.String,
  blocked: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String }))
}) {
  override get message() {
    const said = this.blocked.slice(0, 5).map(({ reason, what }) => `${what}: ${reason}`)
    const more = this.blocked.length > 5 ? ` and ${this.blocked.length - 5} more` : ""
    return said.length === 0
      ? `Plan ${this.id} has changed nothing that could be rolled back.`
      : `Nothing of plan ${this.id} can be rolled back: ${said.join("; ")}${more}.`
  }
}

/** The journal cannot be written or read; without it nothing is changed. */
export class JournalFailed extends Schema.TaggedError<JournalFailed>()("JournalFailed", {
  problem: Schema.String
}) {
  override get message() {
    return `The journal of plans cannot be used: ${sentence(this.problem)} Nothing further was changed.`
  }
}

/** A problem as a sentence that others can follow. */
export const sentence = (problem: string): string => problem.replace(/[^.?]$/, "$&.")

/** All errors of the core itself; an upstream adds its own. */
export type PlanError =
  | ApplyStopped
  | GuardViolation
  | NotAgreed
  | NothingToRollBack
  | PlanExpired
  | PlanNotFound
  | PlanSpent
  | JournalFailed
