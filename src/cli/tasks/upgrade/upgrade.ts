import { Console, Context, Effect, Layer } from "effect"

import { applyPlan } from "../../../changes/tools/planTools.ts"
import type { Instances } from "../../../engine/client/Instances.ts"
import { checkUpgrade } from "../../../engine/operator/upgrade/checkUpgrade.ts"
import { countsOf } from "../../../engine/operator/upgrade/report.ts"
import { surveyAll } from "../../../engine/operator/upgrade/survey.ts"
import { toPlanFailure, toPlanningFailure } from "../../../engine/plans/failures.ts"
import { WorkflowPlans } from "../../../engine/plans/Plans.ts"
import { planUpgradeTool } from "../../../engine/plans/planTools.ts"
import { verdictRows } from "../../../engine/plans/upgrade/draftUpgrade.ts"
import { planUpgrade } from "../../../engine/plans/upgrade/planUpgrade.ts"
import { toToolFailure } from "../../../engine/tools/errors.ts"
import { newestVersion } from "../../../engine/upgrade/rules.ts"
import { oneLine, visible, visibleJson } from "../../../internal/foreignText.ts"
import { type Options, UsageError } from "../../configuration/flags.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { readLaunch } from "../../configuration/readLaunch.ts"
import { instances } from "../../engine/instances.ts"
import { withFolders } from "../../engine/toolFolders.ts"
import * as PlanServices from "../../plans/workflowPlans.ts"
import { withProgressLine } from "../../terminal.ts"
import { reportMarkdown } from "../promote.ts"
import { written } from "../test.ts"
import { asCall, isOfEngines, reported, untilStopped, watched } from "../watched.ts"
import { upgradeMarkdown } from "./markdown.ts"
import { clientsOf, type UpgradeTaskRequest } from "./request.ts"
import { verified } from "./verified.ts"

/** Nothing to do, something failed, something is to do or left. */
const exitCodes = { nothing: 0, failed: 1, findings: 2 } as const

/**
 * Reports what an upgrade changes, and with `--plan` or `--apply` plans and applies the rewrites that are proved; with
 * `--verify`, reports what went worse since the upgrade.
 */
export const runUpgrade = Effect.fnUntraced(function* (options: Options, request: UpgradeTaskRequest) {
  const { apply, plan, to = newestVersion, verify } = request
  if (Number(apply) + Number(plan) + Number(verify) > 1) {
    return yield* new UsageError({ message: "upgrade takes one of --plan, --apply and --verify" })
  }
  if (!/^\d+(\.\d+){0,2}(-[\w.]+)?$/.test(to)) {
    return yield* new UsageError({ message: "--to: expected a version such as 2.48.5 or 3.0" })
  }
  const launch = yield* readLaunch({ ...options, http: false })
  const work = verify ? verified(launch, request) : upgraded(launch, { ...request, to })
  return yield* untilStopped(work).pipe(watched(launch), Effect.catchIf(isOfEngines, reported))
}, Effect.scoped)

const upgraded = Effect.fnUntraced(function* (launch: Launch, request: UpgradeTaskRequest & { readonly to: string }) {
  const { json, markdown, to } = request
  const engines = yield* withFolders(launch, yield* instances(launch))
  const clients = yield* clientsOf(request.instances).pipe(Effect.provideContext(engines))
  const [first] = clients
  const instance = first?.instance ?? ""
  const { failures, source, surveys } = yield* asCall({
    tool: checkUpgrade,
    instance,
    render: toToolFailure,
    work: Effect.provideContext(surveyAll(clients, to), engines)
  }).pipe(withProgressLine)
  const failed = failures.map((one) => ({ instance: one.instance, error: one.error.message }))
  const plans = request.plan || request.apply ? yield* planned(launch, engines, request, instance) : undefined
  const report = plans !== undefined && request.apply && plans.plan.steps.length > 0 ? yield* plans.apply : undefined
  const text = upgradeMarkdown({ to, source, surveys, failed, planned: plans })
  const whole = report === undefined ? text : `${text}\n${reportMarkdown(report)}`
  if (markdown !== undefined) yield* written(markdown, `${whole}\n`)
  yield* Console.log(
    json
      ? visibleJson(
          JSON.stringify({
            to,
            nodeTypes: source,
            instances: surveys.map((survey) => ({
              instance: survey.instance,
              version: survey.way.from,
              ...countsOf(survey),
              affected: survey.affected
            })),
            ...(plans === undefined
              ? {}
              : {
                  plan: {
                    plan_id: plans.plan.id,
                    steps: plans.plan.steps.length,
                    blocked: plans.plan.blocked,
                    verdicts: plans.verdicts
                  }
                }),
            ...(report === undefined ? {} : { applied: report }),
            ...(failed.length === 0 ? {} : { failed })
          })
        )
      : visible(whole)
  )
  for (const { error, instance: name } of failed) yield* Console.error(oneLine(`${name}: ${error}`))
  if (failed.length > 0 || (report !== undefined && report.state !== "applied")) return exitCodes.failed
  const after = report === undefined ? surveys : (yield* Effect.provideContext(surveyAll(clients, to), engines)).surveys
  const left = after.some(({ affected }) => affected.length > 0)
  return left ? exitCodes.findings : exitCodes.nothing
})

/** The plan of the rewrites, with their proofs, and how it is applied. */
const planned = Effect.fnUntraced(function* (
  launch: Launch,
  engines: Context.Context<Instances>,
  { accept, confirmProtected, instances: names, to }: UpgradeTaskRequest & { readonly to: string },
  instance: string
) {
  const services = yield* Effect.provideContext(Layer.build(PlanServices.layer(launch)), engines)
  const { apply, describing } = Context.get(services, WorkflowPlans)
  const { plan, proven } = yield* asCall({
    tool: planUpgradeTool,
    instance,
    render: toPlanningFailure,
    work: planUpgrade({ to, accept, ...(names.length === 0 ? {} : { instances: names }) }).pipe(
      Effect.provideContext(engines),
      Effect.provideContext(services)
    )
  }).pipe(withProgressLine)
  return {
    plan,
    describing,
    verdicts: verdictRows(proven),
    apply: asCall({
      tool: applyPlan,
      instance,
      input: { plan_id: plan.id },
      render: toPlanFailure,
      work: apply(plan.id, { isProtectedConfirmed: confirmProtected })
    })
  }
})
