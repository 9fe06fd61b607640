import { Effect, Option } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { ForeignAnswer } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import { statusOf } from "../../operator/explain/describeExecution.ts"
import { jsonOf, runDataOf } from "../../operator/explain/runData.ts"
import { type Execution, ExecutionId } from "../../workflow/models.ts"
import { type Change, isRetried } from "../Change.ts"
import { firstFields, markOf } from "./selectRuns.ts"

type Client = EngineClient["Service"]

/** Pages of a list that are read at most, and runs whose call is read. */
const mostPages = 20
const mostMarksRead = 200

/**
 * The newest runs of failed executions, by the numbers of these: their retries, and those that were begun anew. It fails where there
 * may be others that were not read, as each would be begun twice.
 */
export const readRetries = Effect.fnUntraced(function* (client: Client, changes: ReadonlyArray<Change>) {
  const byWorkflow = grouped(changes.filter(isRetried), ({ workflow }) => workflow)
  const rows = yield* Effect.forEach(byWorkflow, ([workflowId, some]) =>
    Effect.gen(function* () {
      const oldest = Math.min(...some.map(({ execution }) => execution))
      const { isWhole, matches } = yield* firstPages(
        (query) => client.listExecutions({ ...query, workflowId }),
        { pages: mostPages, isEnough: (later, all) => later < all },
        (page) => page.filter(({ id }) => id > oldest)
      )
      if (!isWhole) return yield* unread(client, `workflow ${workflowId} has had more runs since than are listed`)
      const oldestFirst = matches.toSorted((a, b) => a.id - b.id)
      const retries = oldestFirst.flatMap(({ id, retryOf }) =>
        retryOf === undefined || retryOf === null ? [] : [[Number(retryOf), id] as const]
      )
      return [...retries, ...(some.some(({ kind }) => kind === "run-anew") ? yield* anewIn(client, oldestFirst) : [])]
    })
  )
  return new Map(rows.flat())
})

const unread = ({ instance }: Client, problem: string) =>
  new ForeignAnswer({
    instance,
    httpStatus: 200,
    kind: "other JSON",
    problem: `${problem}, so that nobody knows which failed ones were begun again`,
    apiResponse: null
  })

/** The marks of runs that have been read, by client: they never change. */
const marks = new WeakMap<Client, Map<number, string>>()

/** The runs that were begun anew, with the number of the execution that each stands for. */
const anewIn = Effect.fnUntraced(function* (client: Client, runs: ReadonlyArray<Execution>) {
  const read = marks.get(client) ?? new Map<number, string>()
  marks.set(client, read)
  const unmarked = runs.filter(({ id, mode }) => mode === "webhook" && !read.has(id))
  yield* Effect.forEach(
    unmarked.slice(-mostMarksRead),
    (run) =>
      Effect.map(
        Effect.option(client.getExecution(ExecutionId.make(run.id), true, firstFields(["headers"]))),
        (execution) => {
          if (Option.isNone(execution)) return
          const data = runDataOf(execution.value)
          const mark = objectOf(jsonOf(data?.runs[0]?.outputs[0]?.[0]).headers)["x-correlation-id"]
          if (typeof mark === "string" || !["new", "running"].includes(statusOf(run))) read.set(run.id, String(mark))
        }
      ),
    { concurrency: 4 }
  )
  if (unmarked.length > mostMarksRead) {
    return yield* unread(
      client,
      `${unmarked.length - mostMarksRead} calls are not read yet (call again to read further ones)`
    )
  }
  return runs.flatMap(({ id }) => {
    const [, execution] = /^anew-(\d+)$/.exec(read.get(id) ?? "") ?? []
    return execution === undefined || read.get(id) !== markOf(Number(execution))
      ? []
      : [[Number(execution), id] as const]
  })
})
