import { Clock, Effect, Schema, Struct } from "effect"

import { fitting } from "../../../internal/fits.ts"
import { listed } from "../../../internal/foreignText.ts"
import * as Arguments from "../../../mcp/Arguments.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { matcherOf } from "../../operator/search/criteria.ts"
import { prepare } from "../../operator/search/searchInstance.ts"
import { criteria } from "../../operator/search/searchWorkflows.ts"
import { optional, text } from "../../tools/parameters.ts"
import type { Workflow } from "../../workflow/models.ts"
import { normalName, proposed } from "../../workflow/names.ts"
import { isArchived } from "../content.ts"
import { idsAmong } from "../idsAmong.ts"

/** The arguments of a selection: those of a search, and others that only a whole list can answer. */
const selection = Arguments.make({
  ...Struct.omit(criteria, ["calledBy"]),
  ids: optional(Schema.Array(Schema.String)),
  name: optional(text("Name; * stands for anything")),
  idle_days: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be 1 or more" })))
})

/** The meaning of `where`, for each workflow and for all that are meant. */
export interface Selection {
  readonly fits: (workflow: Workflow) => boolean
  readonly ids: ReadonlyArray<string> | undefined
  /** The pattern of names. */
  readonly name: string | undefined
  readonly idleDays: number | undefined
}

/** Reads `where`. It may be left out where an action itself finds what it changes, as `isFinding` says. */
export const selectionOf = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  where: unknown,
  isFinding = false
) {
  const { ids, idle_days: idleDays, name, ...search } = yield* selection.decode(where ?? {})
  const isEmpty = ids === undefined && name === undefined && idleDays === undefined && Object.keys(search).length === 0
  if (isEmpty && !(isFinding && where === undefined)) {
    return yield* new InvalidArgument({
      argument: "where",
      problem: 'must say which workflows; {"name": "*"} means all'
    })
  }
  const chosen = ids === undefined ? undefined : new Set(ids)
  const names = new Set(ids?.map(normalName))
  const isNamed = fitting(name ?? "*")
  const matches = matcherOf((yield* Effect.provideService(prepare(search, true), EngineClient, client)).search)
  const meant: Selection = {
    ids,
    name,
    idleDays,
    fits: (workflow) =>
      (chosen === undefined || chosen.has(workflow.id) || names.has(normalName(workflow.name))) &&
      isNamed(workflow.name) &&
      matches(workflow) !== undefined
  }
  return meant
})

/**
 * The workflows that are meant, of `all` that there are and those of them that fit; of idle ones, what nobody can tell is
 * named.
 */
export const select = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  { idleDays, ids, name = "*" }: Selection,
  { all, fitting }: { readonly all: ReadonlyArray<Workflow>; readonly fitting: ReadonlyArray<Workflow> }
) {
  const there = new Set(all.map(({ id }) => String(id)))
  const chosen = ids === undefined ? undefined : yield* idsAmong("where.ids", ids, all, client.instance)
  const stranger = chosen?.find((id) => !there.has(id))
  if (stranger !== undefined) {
    return yield* new InvalidArgument({
      argument: "where.ids",
      problem: `${client.instance} has no workflow ${stranger}${proposed(stranger, all)}`
    })
  }
  const candidates = chosen === undefined ? fitting : fitting.filter(({ id }) => chosen.includes(id))
  const idle =
    idleDays === undefined ? { selected: candidates, problems: [] } : yield* idleAmong(client, candidates, idleDays)
  const namesakes = name.includes("*") ? [] : idle.selected.map((one) => `${one.name} (${one.id})`)
  const warnings = [
    ...(idleDays === undefined
      ? []
      : ["Idle means without a recorded run: engines forget old runs, mostly after 14 days"]),
    ...(namesakes.length < 2
      ? []
      : [`${namesakes.length} workflows have this name, and all are meant: ${listed(namesakes, mostNamed)}`])
  ]
  return { warnings, ...idle }
})

/** Workflows that are named in one warning. */
const mostNamed = 10

const dayMs = 86_400_000

/** Those of which no run is recorded for so many days, and which are not younger themselves. */
const idleAmong = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  workflows: ReadonlyArray<Workflow>,
  days: number
) {
  const since = (yield* Clock.currentTimeMillis) - days * dayMs
  const old = workflows.filter((workflow) => !isArchived(workflow) && Date.parse(workflow.createdAt ?? "") < since)
  const isUnsaved = ({ settings }: Workflow) => settings?.["saveDataSuccessExecution"] === "none"
  const unknown = old.filter(isUnsaved)
  const judged = yield* Effect.forEach(
    old.filter((workflow) => !isUnsaved(workflow)),
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
