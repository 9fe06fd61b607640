import type { JsonObject } from "../../../internal/schema/JsonObject.ts"

/** Kinds of findings with their severity, the gravest first; `event` ones are over when they are told. */
export const kinds = {
  failures: { severity: "error" },
  missedSchedules: { severity: "error" },
  noWorkingTrigger: { severity: "error" },
  webhooksThatCollide: { severity: "error" },
  credentialsFailing: { severity: "error" },
  credentialsGone: { severity: "error" },
  runningTooLong: { severity: "warning" },
  rarerThanBefore: { severity: "warning" },
  quieterThanBefore: { severity: "warning" },
  waitingTooLong: { severity: "warning" },
  slowerThanUsual: { severity: "warning" },
  dearerThanUsual: { severity: "warning" },
  keyEnds: { severity: "warning" },
  switchedOff: { severity: "info" },
  runsOldVersion: { severity: "info" },
  changedByOthers: { severity: "info", isEvent: true },
  credentialsUnusedSinceChange: { severity: "info" },
  credentialsUnused: { severity: "info" }
} as const satisfies Readonly<Record<string, { readonly severity: Severity; readonly isEvent?: boolean }>>

export type Kind = keyof typeof kinds

/** A kind's severity, as in logs. */
export type Severity = "error" | "info" | "warning"

/** The names of all kinds, in the order in which they are told. */
export const kindNames: ReadonlyArray<Kind> = Object.keys(kinds).filter((name): name is Kind =>
  Object.hasOwn(kinds, name)
)

/** Something that is not as it should be on an instance. */
export interface Finding {
  readonly kind: Kind
  /** The thing that it is about: together with the kind, it is the same finding as long as it lasts. */
  readonly subject: string
  /** The name of the thing, for people. */
  readonly name: string
  readonly workflowId?: string
  /** Findings of one cause are one to people. */
  readonly cause?: { readonly key: string; readonly words: string }
  /** One sentence that goes on after the name. */
  readonly text: string
  /** The facts, as instance_health answers them. */
  readonly row: JsonObject
  /** Whether it has always been so: told where somebody asks, and to nobody else. */
  readonly isUsual?: boolean
}
