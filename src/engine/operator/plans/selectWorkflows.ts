import { Clock, Effect, Schema, Struct } from "effect"

import * as Arguments from "../../../mcp/Arguments.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { isArchived } from "../../changes/content.ts"
import { fits } from "../../changes/settings.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow } from "../../client/models.ts"
import { optional, text } from "../../tools/parameters.ts"
import { matchesIn } from "../search/criteria.ts"
import { criteria } from "../search/searchWorkflows.ts"

/** Which workflows are meant: as a search would find them, and by what only a whole list tells. */
const selection = Arguments.make({
  ...Struct.omit(criteria, ["calledBy"]),
  ids: optional(Schema.Array(Schema.String)),
  name: optional(text("Name; * stands for anything")),
  idle_days: optional(Schema.Int)
})

/** The workflows that are meant, of all that there are; of idle ones, what nobody can tell is named. */
export const select = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  all: ReadonlyArray<Workflow>,
  where: unknown
) {
  const { ids, idle_days, name, ...search } = yield* selection.decode(where ?? {})
  const isEmpty = ids === undefined && name === undefined && idle_days === undefined && Object.keys(search).length === 0
  if (isEmpty) {
    return yield* new InvalidArgument({
      argument: "where",
      problem: 'must say which workflows; {"name": "*"} means all'
    })
  }
  const stranger = ids?.find((id) => !all.some((workflow) => workflow.id === id))
  if (stranger !== undefined) {
    return yield* new InvalidArgument({
      argument: "where.ids",
      problem: `${client.instance} has no workflow ${stranger}`
    })
  }
  const found = all.filter(
    (workflow) =>
      (ids === undefined || ids.includes(workflow.id)) &&
      (name === undefined || fits(name, workflow.name)) &&
      matchesIn(workflow, search) !== undefined
  )
  const idle = idle_days === undefined ? { selected: found, problems: [] } : yield* idleAmong(client, found, idle_days)
  const warnings =
    idle_days === undefined ? [] : ["Idle means without a recorded run: engines forget old runs, mostly after 14 days"]
  return { warnings, ...idle }
})

const dayMs = 86_400_000

/** Those of which no run is recorded for so many days, and which are not younger themselves. */
const idleAmong = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  workflows: ReadonlyArray<Workflow>,
  days: number
) {
  const since = (yield* Clock.currentTimeMillis) - days * dayMs
  const old = workflows.filter((workflow) => !isArchived(workflow) && Date.parse(workflow.createdAt ?? "") < since)
  const unknown = old.filter(({ settings }) => settings?.["saveDataSuccessExecution"] === "none")
  const judged = yield* Effect.forEach(
    old.filter((workflow) => !unknown.includes(workflow)),
    (workflow) =>
      Effect.map(client.listExecutions({ workflowId: workflow.id, limit: 1 }), ({ data: [last] }) => ({
        workflow,
        isIdle: last === undefined || Date.parse(String(last["startedAt"])) < since
      })),
    { concurrency: 5 }
  )
  return {
    selected: judged.flatMap(({ isIdle, workflow }) => (isIdle ? [workflow] : [])),
    problems: unknown.map(({ id, name }) => ({
      what: `${name} (${id})`,
      reason: "its successful runs are not recorded, so that nobody can tell whether it is idle"
    }))
  }
})
