import { Effect, Option, Predicate, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { inSlices } from "../../../internal/effects.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { fields } from "../../../internal/json/Selection.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { provingPage } from "../../client/listAll.ts"
import type { WorkflowQuery } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { type Criteria, type Match, type Matcher, matcherOf } from "./criteria.ts"

/** A workflow that meets the criteria, and its place. */
interface Hit {
  readonly row: Row
  readonly at: Place
}

/** The hits in one instance, and the place to go on. */
export interface Findings {
  readonly hits: ReadonlyArray<Hit>
  readonly searched: number
  /** The place behind all hits; undefined where the instance has been searched to its end. */
  readonly next: Place | undefined
  readonly problem: EngineError | undefined
}

/** Workflows of a page: their nodes come with them, so that larger pages may be many megabytes. */
const pageSize = 100

/** Pages of one instance that are read in one call. */
const maxPages = 40

/** Searches one instance from a place on, until the rows of its hits have so many bytes. */
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

/** Selects the searched fields of a workflow. */
const searched = fields({ pinData: "nothing", staticData: "nothing", shared: "nothing", activeVersion: "nothing" })

/** The criteria that the engine can filter by itself; the rest is filtered here, and these again. */
const queryOf = ({ active, tags = [] }: Criteria, { after }: Place): WorkflowQuery => ({
  ...(active === undefined ? {} : { active }),
  tags: tags.filter((tag) => tag.trim() !== "" && !tag.includes(",")),
  excludePinnedData: true,
  ...(after === undefined ? { limit: pageSize } : { cursor: after })
})

/** Looks up the workflows that `calledBy` runs, which are named in its nodes. */
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

/** A workflow that meets the criteria, with its matches. */
interface Row {
  readonly instance: string
  readonly id: unknown
  readonly name: unknown
  readonly active: unknown
  readonly archived?: true
  readonly matches: ReadonlyArray<Match>
}

/** The detail of a row's matches: some, the first one, only its node where the rest repeats a criterion, or none. */
export const details = ["some", "first", "names", "none"] as const
export type Detail = (typeof details)[number]

/** Matches of one workflow that are shown at most. */
const most: Readonly<Record<Detail, number>> = { some: 3, first: 1, names: 1, none: 0 }

/** A row of the answer. */
export const shownRow = ({ matches, ...row }: Row, detail: Detail): JsonObject => {
  const shownMatches = matches.slice(0, most[detail]).flatMap((match) => shownMatch(match, detail))
  const more = matches.length - most[detail]
  return {
    ...row,
    ...(shownMatches.length === 0 ? {} : { matches: shownMatches }),
    ...(more > 0 && detail !== "none" ? { more } : {})
  }
}

/** A match as a row shows it; one that repeats a criterion is reduced to its node in the detail `names`. */
const shownMatch = ({ isAsked, ...match }: Match, detail: Detail): ReadonlyArray<JsonObject> => {
  if (detail !== "names" || !isAsked) return [{ ...match }]
  return match.node === undefined ? [] : [{ node: match.node }]
}

/** Bytes of a row with its comma. */
export const sizeOf = (row: Row, detail: Detail): number => jsonBytes(shownRow(row, detail)) + 1

/** A place in the search of one instance: a page of the engine, and the number of its hits that are shown already. */
const Place = Schema.Struct({
  instance: Schema.String,
  /** The engine's cursor of that page, none for the first one. */
  after: Schema.optionalKey(Schema.NonEmptyString),
  skip: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})
export type Place = typeof Place.Type

/** A cursor: the criteria, and the instances in which the search has not ended; opaque to the caller. */
const Cursor = Schema.fromJsonString(
  Schema.Struct({
    list: Schema.Literal("search_workflows"),
    criteria: JsonObject,
    places: Schema.NonEmptyArray(Place)
  })
)

const encode = Schema.encodeSync(Cursor)
const decode = Schema.decodeUnknownOption(Cursor)

/** The cursor of the rest of a search; undefined where it has ended. */
export const writeCursor = (criteria: JsonObject, places: ReadonlyArray<Place>): string | undefined => {
  const [first, ...more] = places
  return first === undefined
    ? undefined
    : Base64.encode(encode({ list: "search_workflows", criteria, places: [first, ...more] }))
}

/** The content of a cursor; undefined where it is none of search_workflows. */
export const readCursor = (text: string) =>
  Option.getOrUndefined(Option.flatMap(Result.getSuccess(Base64.decodeString(text)), decode))
