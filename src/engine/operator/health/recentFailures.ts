import { Effect, Option } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import type { Execution, Page, PageQuery } from "../../workflow/models.ts"
import { failureOf, kindOfMessage, messageOf, wordsOf } from "../explain/failure.ts"
import { errorsOnly } from "../explain/readExecutions.ts"
import { runDataOf } from "../explain/runData.ts"
import type { Engine } from "./workflowFacts.ts"

/** Failed executions whose data is read for their errors, over one instance. */
const mostRead = 24

/** Failures by workflow: their number, the first and the last, the last success, and the errors of those that were read. */
export const failuresOf = Effect.fnUntraced(function* (
  engine: Engine,
  startedAfter: string,
  names: ReadonlyMap<string, string>
) {
  const error = yield* executionsSince(
    (query) => engine.listExecutions({ status: "error", startedAfter, ...query }),
    startedAfter
  )
  const crashed = yield* executionsSince(
    (query) => engine.listExecutions({ status: "crashed", startedAfter, ...query }),
    startedAfter
  ).pipe(Effect.orElseSucceed((): Listed => ({ runs: [], isMore: false })))
  const failed = new Map([...error.runs, ...crashed.runs].map((run) => [run.id, run])).values()
  const byWorkflow = grouped(failed, ({ workflowId }) => String(workflowId))
  const groups = [...byWorkflow].sort(([, a], [, b]) => b.length - a.length)
  const share = Math.max(Math.floor(mostRead / Math.max(groups.length, 1)), 1)
  const rows = yield* Effect.forEach(
    groups,
    ([id, runs], index) =>
      Effect.gen(function* () {
        const read = index < mostRead ? runs.slice(0, share) : []
        const kinds = yield* Effect.forEach(read, (run) => Effect.option(errorOf(engine, run)))
        const succeeded =
          index < mostRead
            ? yield* Effect.option(engine.listExecutions({ workflowId: id, status: "success", limit: 1 }))
            : Option.none()
        const times = runs.map(({ startedAt }) => String(startedAt)).sort()
        return {
          workflow: names.get(id) ?? id,
          id,
          failures: runs.length,
          first: times[0],
          last: times.at(-1),
          ...Option.match(succeeded, {
            onNone: () => ({}),
            onSome: ({ data: [run] }) => ({ lastSuccess: run === undefined ? "none on record" : run.startedAt })
          }),
          ...(read.length === 0 ? {} : { errors: counted(kinds.flatMap(Option.toArray)) }),
          ...(read.length < runs.length ? { read: read.length } : {})
        }
      }),
    { concurrency: 4 }
  )
  return { rows, isMore: error.isMore || crashed.isMore }
})

const errorOf = (engine: Engine, { id }: Execution) =>
  Effect.map(engine.getExecution(id, true, errorsOnly), (execution) => {
    const data = runDataOf(execution)
    const failure = data && failureOf(data)
    if (failure === undefined) return { node: undefined, message: "no error on record", kind: "", id }
    const message = String(wordsOf(failure.error, 160).message)
    return { node: failure.at?.node, message, kind: kindOfMessage(messageOf(failure.error)), id }
  })

type ErrorRead = Effect.Success<ReturnType<typeof errorOf>>

/** Errors grouped by node and kind, the commonest first, each with its newest execution. */
const counted = (all: ReadonlyArray<ErrorRead>) => {
  const groups = grouped(all, ({ kind, node = "" }) => `${node}: ${kind}`)
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap(([first, ...rest]) =>
      first === undefined
        ? []
        : [
            {
              ...(first.node === undefined ? {} : { node: clipped(first.node, 60) }),
              message: maskText(first.message),
              count: rest.length + 1,
              execution: first.id
            }
          ]
    )
    .slice(0, 3)
}

/** Pages that are read of a list. */
const mostPages = 4

interface Listed {
  readonly runs: ReadonlyArray<Execution>
  readonly isMore: boolean
}

/** The executions of a list since a time, as many as a few pages hold; older engines list earlier ones as well. */
export const executionsSince = (
  list: (query: PageQuery) => Effect.Effect<Page<Execution>, EngineError>,
  startedAfter: string
): Effect.Effect<Listed, EngineError> => {
  const from = Date.parse(startedAfter)
  return Effect.map(
    firstPages(list, { pages: mostPages, isEnough: (later, all) => later < all }, (executions) =>
      executions.filter(({ startedAt }) => Date.parse(String(startedAt)) >= from)
    ),
    ({ matches: runs, isWhole }) => ({ runs, isMore: !isWhole })
  )
}
