import { isJsonObject, listOf, objectOf } from "../../internal/schema/JsonObject.ts"
import { describeProbe } from "../plan/describe.ts"

/**
 * A line of the journal of an earlier version as this one writes it. Those versions had entries of their own for bids that
 * were rounded or read in another unit, and sent a low bid, `trial`, before others.
 */
export const upgraded = (line: unknown): unknown => {
  if (!isJsonObject(line)) return line
  const steps = listOf(line["steps"])
  const observed = (standing: string, details: ReadonlyArray<unknown>, more: object = {}) => ({
    at: line["at"],
    plan_id: line["plan_id"],
    steps,
    ...("problem" in line ? { problem: line["problem"] } : {}),
    type: "observed",
    word: line["type"],
    standing,
    details,
    ...more
  })
  switch (line["type"]) {
    case "begun": {
      const { trial } = line
      if (typeof trial !== "number") return line
      return observed("open", [{ probe: trial }], { problem: describeProbe(String(steps[0]), trial) })
    }
    case "tried":
      return { ...observed("done", []), steps: [] }
    case "misread":
      return observed(
        "open",
        steps.map(() => ({}))
      )
    case "undone":
      return observed(
        "undone",
        steps.map(() => ({}))
      )
    case "rounded":
      return observed(
        "done",
        listOf(line["bids"]).map((rounded) => ({ rounded }))
      )
    case "planned": {
      const { provenUnit, ...plan } = objectOf(line["plan"])
      return provenUnit === undefined ? line : { ...line, plan: { ...plan, premise: { unit: provenUnit } } }
    }
    default:
      return line
  }
}
