import { Effect, Schema } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import { Progress } from "../../../mcp/Progress.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { Plans } from "../../apply/Plans.ts"
import type { Report } from "../../apply/Progress.ts"
import { orRefuse } from "../errors.ts"
import { confirm, planId } from "../parameters.ts"
import { amount } from "../shown.ts"
import * as results from "./results.ts"

export const applyPlan = Tool.make("ads_apply_plan", {
  title: "Apply plan",
  description:
    "Apply a plan, once. What someone else has changed since is left alone; the rest is sent under the marketplace's limits and " +
    "read back. What the marketplace refuses is passed over and told. A plan that takes long, or was broken off, goes on with " +
    "the next call",
  annotations: changes,
  arguments: {
    plan_id: planId,
    confirm,
    max_seconds: optional(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 86_400 }, { message: "must be between 1 and 86400" })
      ).annotate({
        description: "Begin nothing new after so many seconds; default 30"
      })
    )
  },
  result: results.report,
  run: Effect.fn("ads_apply_plan")(function* ({ confirm, max_seconds = 30, plan_id }) {
    if (!confirm) return yield* unconfirmed
    const tell = yield* Progress
    const onProgress = (progress: number, total: number) => tell({ progress, total })
    const report = yield* Plans.use((plans) => plans.apply(plan_id, { maxSeconds: max_seconds, onProgress }))
    return {
      ...report,
      refused: variedFirst(report.refused).slice(0, 20),
      refused_count: report.refused.length,
      unconfirmed: report.unconfirmed.slice(0, 20),
      unconfirmed_count: report.unconfirmed.length,
      rounded: report.rounded.slice(0, 20).map(({ bid, step }) => ({ step, bid: amount(bid) })),
      rounded_count: report.rounded.length,
      next: nextOf(report)
    }
  }, orRefuse)
})

/** The first row of every problem, then the others. */
const variedFirst = (refused: Report["refused"]): Report["refused"] => {
  const firsts = [...new Map(refused.toReversed().map((row) => [row.problem, row])).values()].toReversed()
  return [...firsts, ...refused.filter((row) => !firsts.includes(row))]
}

const nextOf = (report: Report): string => {
  const { notice } = report
  return `${thenBy(report)}${notice === undefined ? "" : ` ${notice}`}`
}

const thenBy = ({ created, done, plan_id, refused, rounded, state, total, unconfirmed }: Report): string => {
  const again = `call ads_apply_plan with plan_id ${plan_id} again`
  const back = "ads_rollback plans the way back"
  if (state === "in progress") return `${whatIsLeft(total - done - refused.length)}: ${again}; or ${back}.`
  if (state !== "applied") {
    return (
      `${done} steps are applied, ${refused.length} are not: refused says why (ads_show_plan lists them all). When that is ` +
      `settled, ${again}, which tries only those; or plan them anew; or ${back}.`
    )
  }
  if (total === 0) return "The plan holds no changes, and nothing was done."
  const start = Object.keys(created).length === 0 ? "" : "; new campaigns wait for money and a start"
  const steps = rounded.length === 0 ? "" : " The marketplace has rounded some bids: rounded shows what stands."
  return unconfirmed.length > 0
    ? `Applied. Some steps do not show yet; the marketplace may take minutes. ${back}${start}.${steps}`
    : `Applied and read back. ${back}${start}.${steps}`
}

const whatIsLeft = (steps: number): string => (steps === 1 ? "1 step is left" : `${steps} steps are left`)

const unconfirmed = new InvalidArgument({
  argument: "confirm",
  problem: "must be true, after a person has agreed; nothing was changed"
})
