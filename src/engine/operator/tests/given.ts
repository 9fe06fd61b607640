import { Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Run } from "../run/items.ts"

const items = (message: string) => Schema.Array(JsonObject.annotate({ message })).annotate({ message })

const inWords = 'a list of items, each an object, or {"outputs": […]}, or {"runs": […]}'
const oneRun = 'a list of items, each an object, or {"outputs": […]}'

const Outputs = Schema.Struct({ outputs: Schema.Array(items(oneRun)) }).annotate({ message: oneRun })
const OneRun = Schema.Union([items(oneRun), Outputs]).annotate({ message: `must be ${oneRun}` })

/**
 * What a node gives out, as test files say it: the items of its one run; `outputs` where they leave by several; `runs`
 * where it runs more often.
 */
export const Given = Schema.Union([
  items(inWords),
  Outputs,
  Schema.Struct({ runs: Schema.Array(OneRun) }).annotate({ message: inWords })
]).annotate({ message: `must be ${inWords}` })
export type Given = typeof Given.Type

const isList = (given: typeof OneRun.Type): given is ReadonlyArray<JsonObject> => Array.isArray(given)

const runOf = (given: typeof OneRun.Type): Run => (isList(given) ? [given] : given.outputs)

/** All runs of what a node gives out. */
export const runsOf = (given: Given): ReadonlyArray<Run> => ("runs" in given ? given.runs.map(runOf) : [runOf(given)])

/** The shortest way to say what a node gives out; trailing outputs without items are left out. */
export const givenOf = (runs: ReadonlyArray<Run>): Given => {
  const told = runs.map((run) => {
    const last = run.findLastIndex((items) => items.length > 0)
    return last <= 0 ? (run[0] ?? []) : { outputs: run.slice(0, last + 1) }
  })
  const [only, ...others] = told
  return only !== undefined && others.length === 0 ? only : { runs: told }
}

/** Whether what is given is said of one run alone, so that later runs are like it. */
export const isOfEveryRun = (given: Given): boolean => !("runs" in given)
