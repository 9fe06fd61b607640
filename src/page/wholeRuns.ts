import { type NodeRun, runsIn } from "../engine/workflow/runs.ts"
import { type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { numberOf } from "./json.ts"

/** The runs of the nodes in an execution of which only some items were read: the others are counted in. */
export const wholeRunsIn = (execution: JsonObject): ReadonlyMap<string, NodeRun> | undefined => {
  const runs = runsIn(execution)
  const leftOut = objectOf(objectOf(execution.leftOut).items)
  return runs === undefined
    ? undefined
    : new Map(
        [...runs].map(([name, run]) => {
          const more = Object.hasOwn(leftOut, name) ? numberOf(leftOut[name]) : 0
          return [name, more === 0 ? run : { ...run, items: grown(run.items, more) }]
        })
      )
}

/** The items that were left out, added where there were most. */
const grown = (items: ReadonlyArray<number>, more: number): ReadonlyArray<number> => {
  const most = items.indexOf(Math.max(...items))
  return items.length === 0 ? [more] : items.map((count, at) => (at === most ? count + more : count))
}
