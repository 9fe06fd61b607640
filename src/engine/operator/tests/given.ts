import { Schema } from "effect"

import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { holdsFiles, noFiles, type Run } from "../run/mocks.ts"

/** An item, which holds JSON alone. */
export const item = (message: string) =>
  JsonObject.annotate({ message }).check(Schema.makeFilter((one) => !holdsFiles(one) || noFiles))

const items = (message: string) => Schema.Array(item(message)).annotate({ message })

const inWords = 'a list of items, each an object, or {"outputs": […]}, or {"runs": […]}'
const oneRun = 'a list of items, each an object, or {"outputs": […]}'

const Outputs = Schema.Struct({
  outputs: Schema.Array(items(oneRun)),
  /** The number, from 0 on, of the item that came in for each of them. */
  from: Schema.optionalKey(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))))
}).annotate({ message: oneRun })
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

/** From which item that came in each came, for each run that says so. */
export const pairsOf = (given: Given): ReadonlyArray<ReadonlyArray<number> | undefined> =>
  ("runs" in given ? given.runs : [given]).map((run) => (isList(run) ? undefined : run.from))

/** The shortest way to say what a node gives out; trailing outputs without items are left out. */
export const givenOf = (
  runs: ReadonlyArray<Run>,
  pairs: ReadonlyArray<ReadonlyArray<number> | undefined> = []
): Given => {
  const told = runs.map((run, index) => {
    const last = run.findLastIndex((items) => items.length > 0)
    const from = pairs[index]
    if (last <= 0 && from === undefined) return run[0] ?? []
    return { outputs: run.slice(0, last + 1), ...(from === undefined ? {} : { from }) }
  })
  const [only, ...others] = told
  return only !== undefined && others.length === 0 ? only : { runs: told }
}

/** Whether what is given is said of one run alone, so that later runs are like it. */
export const isOfEveryRun = (given: Given): boolean => !("runs" in given)
