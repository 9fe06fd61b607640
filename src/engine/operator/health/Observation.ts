import type { Drift } from "../../client/History.ts"
import type { ModelPrice, ModelTokens } from "../ai/ModelPrices.ts"
import type { FailureClass } from "../explain/failureClass.ts"
import type { Expectation, Expectations } from "./expectations.ts"
import type { Cause } from "./failureCause.ts"
import type { Run, Runs } from "./runs.ts"
import type { WorkflowFacts } from "./workflowFacts.ts"

/** A credential as lists tell of it. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly updatedAt: number | undefined
}

/** The credentials of an instance, and what the engine's tests of those in use say. */
export interface CredentialFacts {
  readonly listed: ReadonlyMap<string, Credential>
  readonly failing: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly type: string
    readonly message: string
  }>
  readonly untested: number
  /** The reason why none is tested, if so. */
  readonly lack: string | undefined
}

/** The error of a failed execution, as far as its record tells. */
export interface ErrorRead {
  readonly execution: number
  readonly node: string | undefined
  readonly message: string
  /** The same for errors that are alike: at one node, and different in numbers and quoted texts alone. */
  readonly kind: string
  readonly class: FailureClass
  /** The cause that other workflows may fail for as well. */
  readonly cause?: Cause | undefined
}

/** The tokens that each model took in a run. */
export interface RunUsage {
  readonly execution: number
  readonly models: ReadonlyArray<ModelTokens>
}

/** A run with its workflow. */
export interface WorkflowRun extends Run {
  readonly workflowId: string
}

/** The last change of a workflow, as far as a history or the engine tells. */
export interface LastChange {
  readonly when: string
  readonly by: string
  readonly change?: string
  /** The time at which the workflow said it was changed when this was asked. */
  readonly of?: number | undefined
}

/** One instance as it was read at a moment, by which the rules judge it. */
export interface Observation {
  readonly instance: string
  /** The beginning of the span in which failures and missed runs are told, and its end, in milliseconds since 1970. */
  readonly from: number
  readonly now: number
  /** Whether a process watches it: then what is over is not told any more, even if it was so within the span. */
  readonly isWatched: boolean
  readonly workflows: ReadonlyArray<WorkflowFacts>
  /** Whether these are all. */
  readonly isWhole: boolean
  readonly runs: ReadonlyMap<string, Runs>
  /** The runs that are under way; undefined where the engine does not list them. */
  readonly running: ReadonlyArray<WorkflowRun> | undefined
  readonly waiting: ReadonlyArray<WorkflowRun>
  /** The failed runs of the span, and the errors of those that were read. */
  readonly failed: ReadonlyArray<WorkflowRun>
  readonly errors: ReadonlyMap<number, ErrorRead>
  /** The times at which workflows were switched on, as far as it was asked. */
  readonly activations: ReadonlyMap<string, number>
  readonly lastChanges: ReadonlyMap<string, LastChange>
  readonly credentials: CredentialFacts | undefined
  /** Changes since `from` that were not made through this server. */
  readonly changes: ReadonlyArray<Drift>
  /** The tokens of the last runs of workflows that ask language models, the newest first; only who remembers them has them. */
  readonly usage: ReadonlyMap<string, ReadonlyArray<RunUsage>>
  readonly prices: Readonly<Record<string, ModelPrice>>
  readonly keyEndsAt: number | undefined
  readonly expectations: Expectations
}

/** The expectation of a person about a workflow; the first that fits. */
export const expectationOf = (
  { expectations, instance }: Pick<Observation, "expectations" | "instance">,
  workflow: Pick<WorkflowFacts, "id" | "name">
): Partial<Expectation> =>
  expectations.find(
    (one) => (one.workflow === workflow.id || one.workflow === workflow.name) && (one.instance ?? instance) === instance
  ) ?? {}
