import { each, fields, only, type Selection } from "../../../internal/json/Selection.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../../internal/schema/JsonObject.ts"

/** What is selected of one item of a node, by its index. */
type Items = (place: string | number) => Selection

/** Selects the wanted items of an execution, and everything else except for copies of items. */
const withItems = (itemsOf: (node: string) => Items): Selection => {
  const runData: Selection = (node) => {
    const outputs = each(each(itemsOf(String(node))))
    return each(fields({ data: outputs, inputOverride: outputs }))
  }
  return fields({
    data: fields({ resultData: fields({ runData, pinData: "nothing" }), executionData: "nothing" }),
    workflowData: fields({ pinData: "nothing", staticData: "nothing" })
  })
}

const first: Items = (place) => (place === 0 ? "whole" : "nothing")

/** The course of a large execution: of each output only the first item and the number of items. */
export const outline: Selection = withItems(() => first)

/** Only the errors of an execution. */
export const errorsOnly: Selection = only({
  id: "whole",
  status: "whole",
  workflowData: "nothing",
  data: only({
    resultData: only({
      error: "whole",
      lastNodeExecuted: "whole",
      runData: each(
        each(only({ error: "whole", inputOverride: "nothing", startTime: "whole", executionIndex: "whole" }))
      )
    })
  })
})

/** Of the items of these nodes the fields of these names, and the items at these indexes as a whole; of all other nodes the first item. */
export const closeUp = (wanted: ReadonlyMap<string, ReadonlySet<string>>, whole: ReadonlySet<number>): Selection =>
  withItems((node) => {
    const names = wanted.get(node)
    if (names === undefined) return first
    const json: Selection = (name) => (names.has(String(name)) ? "whole" : "nothing")
    return (place) => (place === 0 || whole.has(Number(place)) ? "whole" : only({ json }))
  })

/** Whether an execution was so large that only a selection of it was kept. */
export const isOutline = ({ data }: JsonObject): boolean => isJsonObject(data) && data.executionData === null
