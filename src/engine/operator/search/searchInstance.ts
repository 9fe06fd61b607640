import { Effect, Option, Predicate, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { inSlices } from "../../../internal/effects.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { fields } from "../../../internal/json/Selection.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { provingPage } from "../../client/listAll.ts"
import { allTables, isWithoutTables } from "../../tools/dataTables.ts"
import { exists, workflowsNamed } from "../../tools/references.ts"
import { idPattern, WorkflowId, type WorkflowQuery } from "../../workflow/models.ts"
import { isSameName, takenName } from "../../workflow/names.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { type Criteria, type Match, type Matcher, matcherOf, type Search } from "./criteria.ts"

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
  /** The names of workflows that were taken for their ids. */
  readonly notices: ReadonlyArray<string>
}

/** Workflows of a page: their nodes come with them, so that larger pages may be many megabytes. */
const pageSize = 100

/** Pages of one instance that are read in one call. */
const maxPages = 40

/**
 * Searches one instance from a place on, until the rows of its hits have so many bytes. Where nothing is found, what was taken
 * for the id of a workflow may be a name.
 */
export const searchInstance = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  criteria: Criteria,
  from: Place,
  room: number
): Effect.fn.Return<Findings> {
  const findings = yield* searchWith(engine, criteria, from, { room, isByName: false })
  const { hits, next, notices, problem } = findings
  const mayBeName = [criteria.calledBy, criteria.calls, criteria.errorWorkflow].some((given) => given !== undefined)
  if (hits.length > 0 || next !== undefined || problem !== undefined || !mayBeName) return findings
  const byName = yield* searchWith(engine, criteria, from, { room, isByName: true })
  return byName.notices.length > notices.length ? byName : findings
})

interface SearchOptions {
  readonly room: number
  readonly isByName: boolean
}

const searchWith = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  criteria: Criteria,
  from: Place,
  { isByName, room }: SearchOptions
): Effect.fn.Return<Findings> {
  const hits: Array<Hit> = []
  let bytes = 0
  let count = 0
  let place: Place = from
  let notices: ReadonlyArray<string> = []
  const left = (problem?: EngineError): Findings => ({ hits, searched: count, next: place, problem, notices })
  const prepared = yield* Effect.result(Effect.provideService(prepare(criteria, isByName), EngineClient, engine))
  if (prepared._tag === "Failure") return left(prepared.failure)
  notices = prepared.success.notices
  const fits = matcherOf(prepared.success.search)

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
      return { hits, searched: count, next: undefined, problem: undefined, notices }
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

/** Workflows that a criterion names, by their ids, and what is to be said of it. */
const meantBy = Effect.fnUntraced(function* (given: string, isByName: boolean) {
  const asId = { ids: new Set([given]), notices: [] }
  const isId = idPattern.test(given)
  if (isId && !isByName) return asId
  const things = yield* workflowsNamed(given)
  if (things.length === 0 || (isId && (yield* exists({ kind: "workflow", given })))) return asId
  return { ids: new Set(things.map(({ id }) => id)), notices: things.map((thing) => takenName(thing, "workflow")) }
})

/**
 * Looks up the workflows that criteria name, and those that `calledBy` runs. What can be an id is one, unless with `isByName`
 * the engine has none of it.
 */
export const prepare = Effect.fnUntraced(function* (criteria: Criteria, isByName: boolean) {
  const { calledBy, calls, errorWorkflow, uses, ...rest } = criteria
  const lookUp = (given: string | undefined) => (given === undefined ? Effect.undefined : meantBy(given, isByName))
  const callers = yield* lookUp(calledBy)
  const calledOnes = yield* lookUp(calls)
  const errorWorkflows = yield* lookUp(errorWorkflow)
  const search: Search = {
    ...rest,
    uses: uses === undefined ? undefined : yield* namesOf(uses.trim()),
    calls: calledOnes?.ids,
    errorWorkflow: errorWorkflows?.ids,
    called: callers === undefined ? undefined : yield* runBy([...callers.ids])
  }
  return { search, notices: [callers, calledOnes, errorWorkflows].flatMap((one) => one?.notices ?? []) }
})

/** The ids and the names of the data tables that are meant, as far as the engine lists them; else what was given. */
const namesOf = Effect.fnUntraced(function* (given: string) {
  const tables = yield* EngineClient.use(allTables).pipe(
    Effect.catchIf(isWithoutTables, () => Effect.succeed([])),
    Effect.catchTag("PermissionDenied", () => Effect.succeed([]))
  )
  const meant = tables.filter(({ id, name }) => id === given || isSameName(name, given))
  return { names: new Set([given, ...meant.flatMap(({ id, name }) => [id, name])]), isListed: meant.length > 0 }
})

/** The ids of the workflows that some run; those that do not exist run none. */
const runBy = Effect.fnUntraced(function* (callers: ReadonlyArray<string>) {
  const { getWorkflow } = yield* EngineClient
  const nodes = yield* Effect.forEach(callers.filter(isWorkflowId), (id) =>
    getWorkflow(id).pipe(
      Effect.map(nodesOf),
      Effect.catchIf(isMissing, () => Effect.succeed([]))
    )
  )
  return new Set(nodes.flat().flatMap((node) => subWorkflowOf(node)?.id ?? []))
})

const isWorkflowId = Schema.is(WorkflowId)

const rowOf = (instance: string, workflow: JsonObject, fits: Matcher): ReadonlyArray<Row> => {
  const matches = fits(workflow)
  if (matches === undefined) return []
  const { active, id, isArchived, name } = workflow
  const tags = objectsOf(workflow.tags).map((tag) => clipped(String(tag.name), 40))
  return [
    {
      instance,
      id,
      name: Predicate.isString(name) ? clipped(name, 120) : name,
      active,
      ...(isArchived === true ? { archived: true as const } : {}),
      tags,
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
  readonly tags: ReadonlyArray<string>
  readonly matches: ReadonlyArray<Match>
}

/** The detail of a row's matches: some, the first one, only its node where the rest repeats a criterion, or none. */
export const details = ["some", "first", "names", "none"] as const
export type Detail = (typeof details)[number]

/** Matches of one workflow that are shown at most. */
const most: Readonly<Record<Detail, number>> = { some: 3, first: 1, names: 1, none: 0 }

/** Tags of one workflow that are shown at most, where its matches are. */
const mostTags = 5

/** A row of the answer. */
export const shownRow = ({ matches, tags, ...row }: Row, detail: Detail): JsonObject => {
  const shownMatches = matches.slice(0, most[detail]).flatMap((match) => shownMatch(match, detail))
  const more = matches.length - most[detail]
  return {
    ...row,
    ...(tags.length === 0 || detail === "none" ? {} : { tags: tags.slice(0, mostTags) }),
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
