import { Effect, Predicate } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { fields } from "../../../internal/json/Selection.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { provingPage } from "../../client/listAll.ts"
import type { WorkflowQuery } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { type Criteria, type Matcher, matcherOf } from "./criteria.ts"
import type { Place } from "./SearchCursor.ts"
import { type Row, sizeOf } from "./searchRow.ts"

/** A workflow that was found, and where a search goes on behind it. */
export interface Hit {
  readonly row: Row
  readonly at: Place
}

/** What was found in one instance, and what is left of it. */
export interface Findings {
  readonly hits: ReadonlyArray<Hit>
  readonly searched: number
  /** Where to go on behind all finds; nothing where the instance has been looked through. */
  readonly next: Place | undefined
  readonly problem: EngineError | undefined
}

/** Workflows of a page: their nodes come with them, so that larger pages may be many megabytes. */
const pageSize = 100

/** Pages of one instance that are read in one call. */
const maxPages = 40

/** Looks through one instance from a place on, until so many bytes of finds are there. */
export const searchInstance = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  criteria: Criteria,
  from: Place,
  room: number
): Effect.fn.Return<Findings> {
  const hits: Array<Hit> = []
  let bytes = 0
  let count = 0
  let place: Place = from
  const left = (problem?: EngineError): Findings => ({ hits, searched: count, next: place, problem })
  const prepared = yield* Effect.result(prepare(engine, criteria))
  if (prepared._tag === "Failure") return left(prepared.failure)
  const fits = matcherOf(prepared.success)

  for (let pages = 0; pages < maxPages; pages++) {
    const page = yield* Effect.result(provingPage(engine)(engine.listWorkflows(queryOf(criteria, place), searched)))
    if (page._tag === "Failure") return left(page.failure)
    const { data, nextCursor } = page.success
    count += place.skip === 0 ? data.length : 0
    const rows = (yield* inSlices(() =>
      mapSliced(data, (workflow) => rowOf(engine.instance, workflow, fits), weightOfJson)
    )).flat()
    for (const [index, row] of rows.entries()) {
      if (index < place.skip) continue
      hits.push({ row, at: { ...place, skip: index } })
      bytes += sizeOf(row, "none")
    }
    if (!Predicate.isString(nextCursor) || nextCursor === "" || nextCursor === place.after) {
      return { hits, searched: count, next: undefined, problem: undefined }
    }
    place = { instance: engine.instance, after: nextCursor, skip: 0 }
    if (bytes > room) break
  }
  return left()
})

/** What of a workflow is looked at. */
const searched = fields({ pinData: "nothing", staticData: "nothing", shared: "nothing", activeVersion: "nothing" })

/** What the engine can look for by itself; the rest is looked for here, and these again. */
const queryOf = ({ active, tags = [] }: Criteria, { after }: Place): WorkflowQuery => ({
  ...(active === undefined ? {} : { active }),
  tags: tags.filter((tag) => tag.trim() !== "" && !tag.includes(",")),
  excludePinnedData: true,
  ...(after === undefined ? { limit: pageSize } : { cursor: after })
})

/** The workflows that a workflow runs stand in itself. */
const prepare = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  criteria: Criteria
): Effect.fn.Return<Parameters<typeof matcherOf>[0], EngineError> {
  const { calledBy } = criteria
  if (calledBy === undefined) return criteria
  const caller = yield* engine
    .getWorkflow(calledBy)
    .pipe(Effect.catchIf(isMissing, () => Effect.succeed<JsonObject>({})))
  return { ...criteria, called: new Set(nodesOf(caller).flatMap((node) => subWorkflowOf(node)?.id ?? [])) }
})

const rowOf = (instance: string, workflow: JsonObject, fits: Matcher): ReadonlyArray<Row> => {
  const matches = fits(workflow)
  if (matches === undefined) return []
  const { active, id, isArchived, name } = workflow
  return [
    {
      instance,
      id,
      name: Predicate.isString(name) ? clipped(name, 120) : name,
      active,
      ...(isArchived === true ? { archived: true as const } : {}),
      matches
    }
  ]
}
