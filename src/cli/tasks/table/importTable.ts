import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Array as Arrays, Console, Context, Effect, FileSystem, Layer, Result, Stdio, Stream } from "effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

import { applyPlan } from "../../../changes/tools/planTools.ts"
import { summary } from "../../../changes/tools/summary.ts"
import { readDataTable } from "../../../engine/api/readDataTable.ts"
import { Instances } from "../../../engine/client/Instances.ts"
import { toPlanFailure, toPlanningFailure } from "../../../engine/plans/failures.ts"
import { WorkflowPlans } from "../../../engine/plans/Plans.ts"
import { changeDataTable, planTable } from "../../../engine/plans/tables/planTable.ts"
import { findTable } from "../../../engine/tools/dataTables.ts"
import { toToolFailure } from "../../../engine/tools/errors.ts"
import { isSystem } from "../../../engine/workflow/cells.ts"
import {
  type CsvProblem,
  csvProblemText,
  type CsvRows,
  type CsvStyle,
  csvText,
  keyProblem,
  mostCsvBytes,
  rowsOfCsv
} from "../../../engine/workflow/csv.ts"
import { columnsOf, type DataTable, mostRowsKept } from "../../../engine/workflow/dataTables.ts"
import { nameText, oneLine, visible, visibleJson } from "../../../internal/foreignText.ts"
import { Progress } from "../../../mcp/callContext.ts"
import { type Options, UsageError } from "../../configuration/flags.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { readLaunch } from "../../configuration/readLaunch.ts"
import { instances } from "../../engine/instances.ts"
import * as NodeStdio from "../../nodeStdio.ts"
import * as PlanServices from "../../plans/workflowPlans.ts"
import { outputStyle, withProgressLine } from "../../terminal.ts"
import { render } from "../call/render.ts"
import { asCall, isOfEngines, reported, untilStopped, watched } from "../watched.ts"

/** The arguments of `table import`. */
export interface ImportRequest extends CsvStyle {
  readonly table: string
  /** `-` for standard input. */
  readonly file: string
  readonly instance: string | undefined
  /** The column by whose values rows are found; without one, all are inserted. */
  readonly by: string | undefined
  readonly encoding: string | undefined
  readonly fromLine: number | undefined
  readonly apply: boolean
  readonly json: boolean
}

/** Plans to write the rows of a CSV file, and applies that if it is asked for; the exit code is 1 if something failed or is left. */
export const runTableImport = Effect.fnUntraced(function* (options: Options, request: ImportRequest) {
  const launch = yield* readLaunch({ ...options, http: false })
  return yield* untilStopped(imported(launch, request)).pipe(watched(launch), Effect.catchIf(isOfEngines, reported))
}, Effect.scoped)

const imported = Effect.fnUntraced(function* (launch: Launch, request: ImportRequest) {
  const { by, json } = request
  const engines = yield* instances(launch)
  const client = yield* Context.get(engines, Instances).resolve(request.instance)
  const { instance } = client
  const bytes = yield* bytesOf(request.file)
  const table = yield* asCall({
    tool: readDataTable,
    instance,
    render: toToolFailure,
    work: findTable(client, request.table)
  })
  const { leftOut, lines, rows } = yield* Effect.fromResult(rowsIn(bytes, table, request)).pipe(
    Effect.mapError((problems) => {
      const texts = problems.map((problem) => `${request.file}: ${oneLine(csvProblemText(problem))}`)
      return new UsageError({ message: [...texts, "Nothing was sent."].join("\n") })
    })
  )
  const services = yield* Effect.provideContext(Layer.build(PlanServices.layer(launch)), engines)
  const { apply, describing } = Context.get(services, WorkflowPlans)
  const parts = Arrays.chunksOf(rows, mostRowsKept)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const print = (value: Readonly<Record<string, unknown>>) =>
    Console.log(json ? visibleJson(JSON.stringify(value)) : render(value, outputStyle(canColor)))
  yield* Console.error(
    `${rows.length} rows for ${nameText(table.name)} on ${instance}${parts.length > 1 ? `, in ${parts.length} plans of at most ${mostRowsKept} rows` : ""}` +
      (leftOut.length === 0 ? "" : `. The engine itself writes ${leftOut.join(", ")}, so that they are left out`)
  )
  for (const [at, part] of parts.entries()) {
    const [first, last] = [lines[at * mostRowsKept], lines[at * mostRowsKept + part.length - 1]]
    const place = parts.length > 1 ? { lines: `${first}-${last}` } : {}
    const notBegun = Effect.suspend(() =>
      at === 0
        ? Effect.void
        : Console.error(`The lines before ${first} are in: --from-line ${first} goes on behind them`)
    )
    const plan = yield* asCall({
      tool: changeDataTable,
      instance,
      render: toPlanningFailure,
      work: planTable({
        instance,
        table: table.id,
        rows: part,
        ...(by === undefined ? { action: "insert" } : { action: "upsert", column: by })
      }).pipe(Effect.provideContext(engines), Effect.provideContext(services))
    }).pipe(
      withProgressLine,
      Effect.onError(() => notBegun)
    )
    if (!request.apply) {
      yield* print({ ...place, ...(yield* summary(describing, plan)) })
      if (plan.blocked.length > 0) return 1
      yield* Console.error(
        parts.length > 1
          ? `Nothing is changed yet. This is the first of ${parts.length} plans; --apply makes all of them, one after the other`
          : "Nothing is changed yet: --apply does it, or apply_plan with this plan_id"
      )
      return 0
    }
    if (plan.steps.length > 0) {
      const progress = yield* Progress
      const rest = lines[(at + 1) * mostRowsKept]
      const notDone = Console.error(
        `Lines ${first} to ${last} are not all in: apply_plan with plan_id ${plan.id} goes on with them` +
          (rest === undefined ? "" : `, and after that --from-line ${rest} with the others`)
      )
      const report = yield* asCall({
        tool: applyPlan,
        instance,
        input: { plan_id: plan.id },
        render: toPlanFailure,
        work: apply(plan.id, { onProgress: (done, total) => progress({ progress: done, total }) })
      }).pipe(
        withProgressLine,
        Effect.onError(() => notDone)
      )
      yield* print({ ...place, ...report })
      if (report.state !== "applied") return yield* Effect.as(notDone, 1)
    } else {
      yield* print({ ...place, ...(yield* summary(describing, plan)) })
      if (plan.blocked.length > 0) return yield* Effect.as(notBegun, 1)
    }
  }
  return 0
})

/** The bytes of a file or of standard input, or as many as show that they are too many. */
const bytesOf = (file: string) =>
  Effect.gen(function* () {
    const { stdin } = yield* Stdio.Stdio
    const { stream } = yield* FileSystem.FileSystem
    let size = 0
    const first = Stream.takeWhile(file === "-" ? stdin : stream(file), ({ length }) => {
      const isWanted = size <= mostCsvBytes
      size += length
      return isWanted
    })
    return Buffer.concat(yield* Stream.runCollect(first))
  }).pipe(
    Effect.provide([NodeFileSystem.layer, NodeStdio.layer]),
    Effect.mapError(({ message }) => new UsageError({ message: `${visible(file)} cannot be read: ${message}` }))
  )

type Rows = Pick<CsvRows, "leftOut" | "lines" | "rows">

/** The rows of a file that are wanted, or all that is wrong with it. */
const rowsIn = (
  bytes: Uint8Array,
  table: DataTable,
  { by, encoding, fromLine = 0, ...style }: ImportRequest
): Result.Result<Rows, ReadonlyArray<CsvProblem>> =>
  Result.flatMap(csvText(bytes, encoding), (text) =>
    Result.flatMap(rowsOfCsv(text, columnsOf(table), style), (all) => {
      if (by !== undefined && isSystem(by)) {
        return Result.fail([
          { problem: `--by ${by}: a column that the engine writes itself. Name one of the table's own` }
        ])
      }
      if (by !== undefined && !all.columns.includes(by)) {
        return Result.fail([{ problem: `its first line names no column ${JSON.stringify(by)}, which --by names` }])
      }
      const problem = by === undefined ? undefined : keyProblem(all, by)
      if (problem !== undefined) return Result.fail([problem])
      const from = all.lines.findIndex((line) => line >= fromLine)
      const start = from < 0 ? all.lines.length : from
      if (start === all.lines.length) return Result.fail([{ problem: "has no rows to write" }])
      return Result.succeed({ leftOut: all.leftOut, rows: all.rows.slice(start), lines: all.lines.slice(start) })
    })
  )
