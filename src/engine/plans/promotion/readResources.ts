import { Effect, Option } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, textOf } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { allTables, isWithoutTables, matchingRows } from "../../tools/dataTables.ts"
import { givenValues, withEntered } from "../../tools/secretValues.ts"
import { personalProject, unknownProject } from "../../tools/workflows/location.ts"
import { columnsOf, type DataTable, mostRowsKept, valuesIn } from "../../workflow/dataTables.ts"
import { engineName } from "../../workflow/naming.ts"
import { tableUses, variableUses } from "../../workflow/resources.ts"
import { readItems } from "../call/callState.ts"
import { chooseWorkflows } from "./chooseWorkflows.ts"
import { counterpartFinder } from "./counterparts.ts"
import { type Input, type Listing, noResources, type Resources } from "./Input.ts"
import { linkTables, linkVariables } from "./resources.ts"

type Client = EngineClient["Service"]

/** Things that go along beside those which workflows cannot do without. */
export type Include = "rows" | "variables"

type Content = Parameters<typeof linkTables>[1]

/** The input with what its workflows use on both instances; only read where they use some. */
export const withResources = Effect.fnUntraced(function* (
  input: Input,
  source: Client,
  target: Client,
  {
    folder,
    include = []
  }: { readonly folder?: string | undefined; readonly include?: ReadonlyArray<Include> | undefined }
) {
  const contents = contentsOf(input)
  const hasTables = contents.some(({ nodes }) => tableUses(nodes).length > 0)
  const hasVariables = contents.some(({ nodes }) => variableUses(nodes).length > 0)
  const listings = yield* Effect.all(
    {
      ...(hasTables ? { sourceTables: tablesOf(source), targetTables: tablesOf(target) } : {}),
      ...(hasVariables ? { targetVariables: variablesOf(target) } : {})
    },
    { concurrency: 2 }
  )
  const place = folder === undefined ? {} : { place: yield* placeOf(target, folder) }
  const resources = { ...noResources, ...listings, ...place }
  if (!include.includes("rows")) return { ...input, resources }
  const missing = new Set(contents.flatMap((content) => linkTables({ ...input, resources }, content).missing))
  const rows = yield* Effect.forEach(missing, (table) =>
    Effect.map(rowsOf(source, table), (all) => [table.id, all] as const)
  )
  return { ...input, resources: { ...resources, rows: new Map(rows) } }
})

/** The folder of a path, in the personal project of the key's user. */
const placeOf = Effect.fnUntraced(function* (client: Client, folder: string) {
  const path = folder.split("/").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
  if (path.length === 0) {
    return yield* new InvalidArgument({ argument: "folder", problem: "must be a path, such as Sales/Orders" })
  }
  const nowhere = { path, project: "", folders: [] }
  return yield* Effect.gen(function* () {
    const project = Option.getOrUndefined(yield* personalProject)
    if (project === undefined) return { ...nowhere, unread: unknownProject }
    return Option.match(yield* client.foldersIfSupported(project), {
      onNone: () => ({ ...nowhere, unread: "its engine has no folders" }),
      onSome: (folders) => ({ path, project, folders })
    })
  }).pipe(
    Effect.catchTag("PermissionDenied", ({ message }) => Effect.succeed({ ...nowhere, unread: message })),
    Effect.provideService(EngineClient, client)
  )
})

/** The names of the variables that a key can see, or why nobody can tell. */
const variablesOf = (client: Client): Effect.Effect<Resources["targetVariables"], EngineError> =>
  Effect.catchTag(
    Effect.map(readItems(client, "/variables", { limit: "250" }), ({ isWhole, items }) => {
      const everywhere = new Set(items.flatMap(({ key, project }) => (isJsonObject(project) ? [] : [key])))
      const names = items.map(({ key }) => textOf(key))
      return {
        items: names,
        ofProjects: names.filter((name) => !everywhere.has(name)),
        ...(isWhole ? {} : { unread: `instance ${client.instance} has more variables than are read` })
      }
    }),
    "PermissionDenied",
    ({ message }) => Effect.succeed({ items: [], unread: message })
  )

/** Longest value of a variable that engines keep. */
const maxLength = 1000

/** Values as variables keep them, by the names of these, as far as there are values: texts. */
const variableTexts = (names: ReadonlyArray<string>, values: JsonObject) =>
  Effect.forEach(
    names.filter((name) => Object.hasOwn(values, name)),
    (name) => {
      const value = values[name]
      const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
      if (typeof text === "string" && text.length <= maxLength) return Effect.succeed([name, text] as const)
      const problem = `gives for the variable ${name} no text of at most ${maxLength} characters`
      return Effect.fail(new InvalidArgument({ argument: "source", problem }))
    }
  )

/** The way to the values of variables: a configured source, or a person where these are included. */
export interface ValueSource {
  readonly include?: ReadonlyArray<Include> | undefined
  readonly source?: string | undefined
}

/** Goes on with the values of the variables that the target lacks. */
export const withVariables = <A, E, R>(
  input: Input & { readonly resources: Resources },
  from: ValueSource,
  then: (input: Input) => Effect.Effect<A, E, R>
) =>
  Effect.suspend(() => {
    const missing = contentsOf(input).flatMap((content) => linkVariables(input, content).missing)
    return withValuesOf(missing, input.to, from, (values) =>
      then({ ...input, resources: { ...input.resources, values } })
    )
  })

/**
 * Goes on with the values of variables that an instance lacks, as far as there are some, from a configured source or from a person: none
 * of them comes from a model.
 */
export const withValuesOf = <A, E, R>(
  names: ReadonlyArray<string>,
  instance: string,
  { include = [], source }: ValueSource,
  then: (values: ReadonlyMap<string, string>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const missing = [...new Set(names)].toSorted()
    if (missing.length === 0) return yield* then(new Map())
    const given = yield* givenValues({ source }, "variables")
    const goOn = (values: JsonObject) => Effect.flatMap(variableTexts(missing, values), (texts) => then(new Map(texts)))
    const open = missing.filter((name) => given === undefined || !Object.hasOwn(given, name))
    if (open.length === 0 || !include.includes("variables")) return yield* goOn(given ?? {})
    const form = {
      instance,
      argument: "source",
      instead:
        "name a source of the configuration, or create the variables in the engine UI. Do not ask for values in the conversation",
      subject: `the variables ${listed(open, mostNamed)} on instance ${instance}`,
      way: `They go from this page into the plan, and with it to ${engineName}`,
      schema: Effect.succeed({
        type: "object",
        properties: Object.fromEntries(open.map((name) => [name, { type: "string", maxLength }])),
        required: open
      })
    }
    return yield* withEntered(form, (values) => goOn({ ...given, ...values }))
  })

/** Variables that a form names. */
const mostNamed = 20

const contentsOf = (input: Input): ReadonlyArray<Content> =>
  [...chooseWorkflows(input, counterpartFinder(input)).chosen.values()].map(({ content }) => content)

/** The data tables that a key can see, or why nobody can tell. */
export const tablesOf = (client: Client) =>
  Effect.catch(
    Effect.map(allTables(client), (items): Listing<DataTable> => ({ items })),
    (error) =>
      isWithoutTables(error) || error._tag === "PermissionDenied"
        ? Effect.succeed<Listing<DataTable>>({ items: [], unread: error.message })
        : Effect.fail(error)
  )

/** All rows of a table that goes along, as far as a plan keeps them. */
const rowsOf = Effect.fnUntraced(function* (client: Client, table: DataTable) {
  const rows = yield* matchingRows(client, table, undefined, mostRowsKept)
  return rows.length > mostRowsKept
    ? yield* new InvalidArgument({
        argument: "include",
        problem: `rows: ${table.name} has more than ${mostRowsKept} rows, which is more than a plan keeps to roll it back: leave rows out`
      })
    : rows.map((row) => valuesIn(row, columnsOf(table)))
})
