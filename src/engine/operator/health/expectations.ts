import { Context } from "effect"

/** The expectations of a person about a workflow, which go before what follows from its schedule and its past. */
export interface Expectation {
  /** Name or id. */
  readonly workflow: string
  readonly instance?: string
  /** Hours in which it has to run at least once. */
  readonly everyHours?: number
  /** Seconds that a run may take. */
  readonly maxSeconds?: number
  /** Failures in a row that are not told. */
  readonly failures?: number
  /** Kinds of findings that are not told; `all` for every one. */
  readonly ignore?: ReadonlyArray<string>
}

export type Expectations = ReadonlyArray<Expectation>

/** The expectations of workflows that the configuration holds. */
export const WorkflowExpectations = Context.Reference<Expectations>(
  "workflow-tool-server/engine/WorkflowExpectations",
  {
    defaultValue: () => []
  }
)
