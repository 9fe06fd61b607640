import { Clock, Console, Context, Effect } from "effect"

import { EngineClient } from "../../../engine/client/EngineClient.ts"
import { WorkflowExpectations } from "../../../engine/operator/health/expectations.ts"
import { instanceHealth } from "../../../engine/operator/health/instanceHealth.ts"
import { observe } from "../../../engine/operator/health/observe.ts"
import { findingsIn } from "../../../engine/operator/health/rules.ts"
import { inARow, type Run } from "../../../engine/operator/health/runs.ts"
import { readCases, runTests } from "../../../engine/operator/tests/runTests.ts"
import { runTestsTool, usualConcurrency } from "../../../engine/operator/tests/runTestsTool.ts"
import { countsText, resultLines } from "../../../engine/operator/tests/testReport.ts"
import { toToolFailure } from "../../../engine/tools/errors.ts"
import { oneLine, visible, visibleJson } from "../../../internal/foreignText.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import { isoOf } from "../../../internal/time.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { instances } from "../../engine/instances.ts"
import { testFiles, testFolder } from "../../engine/testFiles.ts"
import { withFolders } from "../../engine/toolFolders.ts"
import { withProgressLine } from "../../terminal.ts"
import { asCall } from "../watched.ts"
import { clientsOf, type UpgradeTaskRequest } from "./request.ts"

/** Hours back from now in which schedules must have fired, and failures are new. */
const hours = 24

/** Whether the last run before a moment failed, so that failures since then are no new ones. */
const failedBefore = (runs: ReadonlyArray<Run>, since: number): boolean =>
  inARow(runs.filter(({ startedAt }) => startedAt < since)) > 0

/** Reports what went worse since the upgrade; the exit code is 0 if nothing did, otherwise 2. */
export const verified = Effect.fnUntraced(function* (launch: Launch, request: UpgradeTaskRequest) {
  const engines = yield* withFolders(launch, yield* instances(launch))
  const clients = yield* clientsOf(request.instances).pipe(Effect.provideContext(engines))
  const now = yield* Clock.currentTimeMillis
  const since = now - hours * 3_600_000
  const folder = testFolder(launch)
  const reports = yield* Effect.forEach(clients, (engine) =>
    Effect.gen(function* () {
      const { instance } = engine
      const expectations = yield* WorkflowExpectations
      const { notLookedAt, observation } = yield* asCall({
        tool: instanceHealth,
        instance,
        render: toToolFailure,
        work: observe(engine, { from: since, now, expectations, keyEndsAt: undefined, isTesting: false })
      })
      const worse = findingsIn(observation).filter(
        ({ isUsual, kind, workflowId = "" }) =>
          kind === "missedSchedules" ||
          (kind === "failures" &&
            isUsual !== true &&
            !failedBefore(observation.runs.get(workflowId)?.runs ?? [], since))
      )
      const report = { instance, worse, notLookedAt }
      if (folder === undefined || engine.isReadOnly) return { ...report, failing: [], tests: "no folder of tests" }
      const cases = yield* readCases(testFiles(folder, launch), undefined)
      const results = yield* asCall({
        tool: runTestsTool,
        instance,
        render: toToolFailure,
        work: runTests(cases, { id: undefined, operations: undefined, concurrency: usualConcurrency }).pipe(
          Effect.provideContext(Context.add(engines, EngineClient, engine))
        )
      })
      const failing = results.filter(({ verdict }) => verdict.outcome !== "passed")
      return { ...report, failing, tests: countsText(results) }
    })
  ).pipe(withProgressLine)
  const from = isoOf(since)
  yield* Console.log(
    request.json
      ? visibleJson(
          JSON.stringify(
            reports.map(({ failing, worse, ...report }) => ({
              ...report,
              since: from,
              failingTests: failing.length,
              worse: worse.map(({ kind, row }) => ({ kind, ...row }))
            }))
          )
        )
      : visible(
          reports
            .flatMap(({ failing, instance, notLookedAt, tests, worse }) => [
              `${instance}, since ${from}`,
              `  recorded tests: ${tests}`,
              ...failing.flatMap((result) => resultLines(result).map((line) => `    ${oneLine(line)}`)),
              `  schedules that did not fire, and failures that are new: ${worse.length}`,
              ...worse.map(({ name, text }) => `    ${oneLine(maskText(`${name}: ${text}`))}`),
              ...notLookedAt.map((one) => `  not looked at: ${oneLine(one)}`)
            ])
            .join("\n")
        )
  )
  return reports.some(({ failing, worse }) => failing.length + worse.length > 0) ? 2 : 0
})
