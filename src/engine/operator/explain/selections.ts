import { each, fields, only, type Selection } from "../../../internal/json/Selection.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { isJsonObject } from "../../../internal/schema/JsonObject.ts"

/** What is wanted of one item of a node, by its place. */
type Items = (place: string | number) => Selection

/** Of an execution the items that are wanted, and everything beside them that is not a repetition of items. */
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

/** What happened where: of the items of a large execution only the first of each output, and how many there are. */
export const outline: Selection = withItems(() => first)

/** Only what it failed with. */
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

/** Of the items of these nodes the fields of these names, and some items whole; of all others the first. */
export const closeUp = (wanted: ReadonlyMap<string, ReadonlySet<string>>, whole: ReadonlySet<number>): Selection =>
  withItems((node) => {
    const names = wanted.get(node)
    if (names === undefined) return first
    const json: Selection = (name) => (names.has(String(name)) ? "whole" : "nothing")
    return (place) => (place === 0 || whole.has(Number(place)) ? "whole" : only({ json }))
  })

/** Whether an execution was so large that only what was selected of it was kept. */
export const isOutline = ({ data }: JsonObject): boolean => isJsonObject(data) && data.executionData === null
