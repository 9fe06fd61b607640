import type { Step } from "../plan/Plan.ts"
import { locate, type Located } from "./Located.ts"
import type { Progress } from "./Progress.ts"

/** A step whose campaign has its id. */
export interface Row {
  readonly step: string
  readonly change: Located
}

export const rowsOf = (steps: ReadonlyArray<Step>, { created }: Progress): ReadonlyArray<Row> =>
  steps.flatMap((step): ReadonlyArray<Row> => {
    const change = locate(step.change, created)
    return change === undefined ? [] : [{ step: step.id, change }]
  })

export const changesOf = <C>(rows: ReadonlyArray<{ readonly change: C }>): ReadonlyArray<C> =>
  rows.map(({ change }) => change)
export const stepsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => rows.map(({ step }) => step)
