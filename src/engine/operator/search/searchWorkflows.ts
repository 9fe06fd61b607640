import { Effect, Schema } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { Instances } from "../../client/Instances.ts"
import { cursor, flag, optional, text, timestamp, workflowId } from "../../tools/parameters.ts"
import * as AcrossTool from "../AcrossTool.ts"
import {
  type Detail,
  details,
  type Findings,
  type Place,
  readCursor,
  searchInstance,
  shownRow,
  sizeOf,
  writeCursor
} from "./searchInstance.ts"

/** The arguments of a search. */
export const criteria = {
  text: optional(text("In names, notes, parameters or code")),
  nodeType: optional(text("e.g. webhook")),
  credential: optional(text("Id, name or type")),
  path: optional(text("Webhook path or URL")),
  uses: optional(text("Data table or variable")),
  calls: optional(workflowId.annotate({ description: "Call this one" })),
  calledBy: optional(workflowId.annotate({ description: "Are called by it" })),
  errorWorkflow: optional(workflowId.annotate({ description: "Have this one" })),
  tags: optional(Schema.Array(Schema.String).annotate({ description: "Names" })),
  active: optional(flag("State")),
  archived: optional(flag("Default both")),
  changedSince: optional(timestamp("ISO 8601"))
}
const CriteriaFields = Schema.Struct(criteria)
const decodeCriteria = Schema.decodeUnknownEffect(CriteriaFields)

/** Bytes of the hits of one page. */
const room = 5700

export const searchWorkflows = AcrossTool.make("search_workflows", {
  title: "Search workflows",
  description: "Find workflows by all that is given. Answers state, and the node, field and text that match",
  annotations: reads,
  arguments: { ...criteria, cursor },
  run: Effect.fnUntraced(function* ({ cursor, ...given }, engines) {
    const { looked, wanted, places } = yield* beginning(cursor, given, engines)
    const findings = yield* Effect.forEach(
      places,
      (place, index) => {
        const engine = looked[index]
        return engine === undefined ? Effect.succeed(nothing) : searchInstance(engine, wanted, place, room)
      },
      { concurrency: "unbounded" }
    )
    const [only] = findings
    if (findings.length === 1 && only?.problem !== undefined && only.hits.length === 0) return yield* only.problem

    const { isBare, left, rows } = firstOf(findings)
    const failed = findings.flatMap(({ next, problem }) =>
      problem === undefined ? [] : [{ instance: next?.instance, error: problem.message }]
    )
    const nextCursor = writeCursor({ ...wanted }, left)
    const notices = [...new Set(findings.flatMap((one) => one.notices))]
    return {
      ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
      data: rows,
      searched: findings.reduce((sum, { searched }) => sum + searched, 0),
      ...(isBare ? { note: "So many were found that matches are left out: narrow the search to see them." } : {}),
      ...(failed.length === 0 ? {} : { failed }),
      ...(nextCursor === undefined ? {} : { nextCursor })
    }
  })
})

const nothing: Findings = { hits: [], searched: 0, next: undefined, problem: undefined, notices: [] }

/** The start of a search, or where a cursor lets it go on, whatever instances are named beside it. */
const beginning = Effect.fnUntraced(function* (
  cursor: string | undefined,
  given: typeof CriteriaFields.Type,
  engines: ReadonlyArray<EngineClient["Service"]>
) {
  if (cursor === undefined) {
    const places = engines.map(({ instance }): Place => ({ instance, skip: 0 }))
    return { wanted: given, places, looked: engines }
  }
  const carried = readCursor(cursor)
  const problem = "must be the nextCursor of an earlier search_workflows; give it alone"
  const refusal = new InvalidArgument({ argument: "cursor", problem })
  if (carried === undefined) return yield* refusal
  const isSame = Object.entries(given).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(carried.criteria[name])
  )
  if (!isSame) return yield* refusal
  const wanted = yield* Effect.mapError(decodeCriteria(carried.criteria), () => refusal)
  const { resolve } = yield* Instances
  const looked = yield* Effect.forEach(carried.places, ({ instance }) => resolve(instance))
  return { wanted, places: carried.places, looked }
})

/**
 * As many hits as a page has room for, with as much detail as all of them can have, and the place to go on in each
 * instance.
 */
const firstOf = (findings: ReadonlyArray<Findings>) => {
  const rows = findings.flatMap(({ hits }) => hits.map(({ row }) => row))
  const fits = (detail: Detail) => rows.reduce((sum, row) => sum + sizeOf(row, detail), 0) <= room
  const detail = details.find(fits) ?? "names"
  const shownRows: Array<JsonObject> = []
  let bytes = 0
  const left = findings.flatMap(({ hits, next, problem }) => {
    for (const { at, row } of hits) {
      bytes += sizeOf(row, detail)
      if (bytes > room && shownRows.length > 0) return [at]
      shownRows.push(shownRow(row, detail))
    }
    return next === undefined || problem !== undefined ? [] : [next]
  })
  return { rows: shownRows, left, isBare: detail === "none" }
}
