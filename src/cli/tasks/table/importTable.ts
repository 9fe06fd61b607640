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
  const engines = yield* instances(launch)
  const client = yield* Context.get(engines, Instances).resolve(request.instance)
  const { instance } = client
  const bytes = yield* bytesOf(request.file)
  const work = findTable(client, request.table)
  const table = yield* asCall({ tool: readDataTable, instance, render: toToolFailure, work })
  const wanted = yield* Effect.mapError(
    Effect.fromResult(rowsIn(bytes, table, request)),
    (problems) => new UsageError({ message: misfits(request.file, problems) })
  )
  const parts = partsOf(wanted)
  yield* Console.error(outset(wanted, table, instance, parts.length))
  const services = yield* Effect.provideContext(Layer.build(PlanServices.layer(launch)), engines)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const print = (value: Readonly<Record<string, unknown>>) =>
    Console.log(request.json ? visibleJson(JSON.stringify(value)) : render(value, outputStyle(canColor)))
  const target = { instance, table, by: request.by, services: Context.merge(engines, services), print }
  return yield* request.apply ? appliedInTurn(target, parts) : shownOnly(target, parts)
})

/** The place to which the rows go, and the way in which it is told. */
interface Target {
  readonly instance: string
  readonly table: DataTable
  readonly by: string | undefined
  readonly services: Context.Context<Instances | WorkflowPlans>
  readonly print: (value: Readonly<Record<string, unknown>>) => Effect.Effect<void>
}

/** The rows of one plan, with the lines on which they begin and end, and the line of the next plan. */
interface Part {
  readonly rows: CsvRows["rows"]
  readonly first: number | undefined
  readonly last: number | undefined
  readonly next: number | undefined
  readonly isFirst: boolean
  /** Its place in the file, as the answer says it; nothing where it is the only one. */
  readonly place: { readonly lines?: string }
}

const partsOf = ({ lines, rows }: Rows): ReadonlyArray<Part> =>
  Arrays.chunksOf(rows, mostRowsKept).map((part, at) => {
    const start = at * mostRowsKept
    const [first, last, next] = [lines[start], lines[start + part.length - 1], lines[start + mostRowsKept]]
    const place = rows.length > mostRowsKept ? { lines: `${first}-${last}` } : {}
    return { rows: part, first, last, next, isFirst: at === 0, place }
  })

const planned = ({ by, instance, services, table }: Target, { rows }: Part) => {
  const way = by === undefined ? { action: "insert" as const } : { action: "upsert" as const, column: by }
  const work = Effect.provideContext(planTable({ instance, table: table.id, rows, ...way }), services)
  return withProgressLine(asCall({ tool: changeDataTable, instance, render: toPlanningFailure, work }))
}

const shownOnly = Effect.fnUntraced(function* (target: Target, parts: ReadonlyArray<Part>) {
  const { describing } = Context.get(target.services, WorkflowPlans)
  const [part] = parts
  if (part === undefined) return 0
  const plan = yield* planned(target, part)
  yield* target.print({ ...part.place, ...(yield* summary(describing, plan)) })
  if (plan.blocked.length > 0) return 1
  yield* Console.error(
    parts.length > 1
      ? `Nothing is changed yet. This is the first of ${parts.length} plans; --apply makes all of them, one after the other`
      : "Nothing is changed yet: --apply does it, or apply_plan with this plan_id"
  )
  return 0
})

const appliedInTurn = Effect.fnUntraced(function* (target: Target, parts: ReadonlyArray<Part>) {
  for (const part of parts) {
    if (!(yield* applied(target, part))) return 1
  }
  return 0
})

/** Whether all rows of a part are in; if they are not, how to go on is told. */
const applied = Effect.fnUntraced(function* (target: Target, part: Part) {
  const { instance, print, services } = target
  const { first, isFirst, last, next, place } = part
  const notBegun = isFirst
    ? Effect.void
    : Console.error(`The lines before ${first} are in: --from-line ${first} goes on behind them`)
  const { apply, describing } = Context.get(services, WorkflowPlans)
  const plan = yield* Effect.onError(planned(target, part), () => notBegun)
  if (plan.steps.length === 0) {
    yield* print({ ...place, ...(yield* summary(describing, plan)) })
    const isDone = plan.blocked.length === 0
    if (!isDone) yield* notBegun
    return isDone
  }
  const notDone = Console.error(
    `Lines ${first} to ${last} are not all in: apply_plan with plan_id ${plan.id} goes on with them` +
      (next === undefined ? "" : `, and after that --from-line ${next} with the others`)
  )
  const progress = yield* Progress
  const work = apply(plan.id, { onProgress: (done, total) => progress({ progress: done, total }) })
  const input = { plan_id: plan.id }
  const report = yield* asCall({ tool: applyPlan, instance, input, render: toPlanFailure, work }).pipe(
    withProgressLine,
    Effect.onError(() => notDone)
  )
  yield* print({ ...place, ...report })
  const isDone = report.state === "applied"
  if (!isDone) yield* notDone
  return isDone
})

const outset = ({ leftOut, rows }: Rows, table: DataTable, instance: string, plans: number) =>
  `${rows.length} rows for ${nameText(table.name)} on ${instance}` +
  (plans > 1 ? `, in ${plans} plans of at most ${mostRowsKept} rows` : "") +
  (leftOut.length === 0 ? "" : `. The engine itself writes ${leftOut.join(", ")}, so that they are left out`)

const misfits = (file: string, problems: ReadonlyArray<CsvProblem>) =>
  [...problems.map((problem) => `${file}: ${oneLine(csvProblemText(problem))}`), "Nothing was sent."].join("\n")

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
