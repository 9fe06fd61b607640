import { listed } from "../../../internal/foreignText.ts"
import { type Cells, columnsOf, type DataTable, isColumnType, type NewColumn } from "../../workflow/dataTables.ts"
import { inQuotes } from "../../workflow/names.ts"
import { tableOf, type TableUse, variableUses } from "../../workflow/resources.ts"
import { valueAt, type Path } from "../../workflow/valuePaths.ts"
import { type CallChange, callId } from "../call/CallChange.ts"
import type { Content, Reference } from "../Change.ts"
import { type Step, stepOf } from "../Step.ts"
import { insertionsInto, type TableChange, tableChangeId } from "../tables/TableChange.ts"
import type { Built } from "./Built.ts"
import { type Input, noResources } from "./Input.ts"

/** The parts of a content that name things of the target, and what is to be said of them. */
interface Linked {
  readonly texts: ReadonlyArray<readonly [Path, string]>
  readonly references: ReadonlyArray<Reference>
  /** The tables of the source that the target lacks. */
  readonly missing: ReadonlyArray<DataTable>
  readonly problems: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

type Places = Pick<Input, "from" | "mapping" | "resources" | "to">

const giveIt = "give its id in mapping.tables, or in promotion.mappings of the configuration"

/** The data tables that a workflow names, as they have to be on the target. */
export const linkTables = (places: Places, { nodes }: Pick<Content, "nodes">): Linked => {
  const links = nodes.map((node, index): Linked => {
    const use = tableOf(node)
    const isAddressed = valueAt(node, ["parameters", "dataTableId", "cachedResultUrl"]) !== undefined
    return use === undefined ? none : linkTable(places, use, ["nodes", index], isAddressed)
  })
  return {
    texts: links.flatMap(({ texts }) => texts),
    references: links.flatMap(({ references }) => references),
    missing: [...new Set(links.flatMap(({ missing }) => missing))],
    problems: links.flatMap(({ problems }) => problems),
    warnings: [...new Set(links.flatMap(({ warnings }) => warnings))]
  }
}

const none: Linked = { texts: [], references: [], missing: [], problems: [], warnings: [] }

const linkTable = (
  { from, mapping, resources = noResources, to }: Places,
  { by, name: rememberedName, node, path, value }: TableUse,
  at: Path,
  isAddressed: boolean
): Linked => {
  if (by === "expression") {
    return { ...none, warnings: [`node ${node} finds its data table at run time: nobody checks that it is on ${to}`] }
  }
  const { sourceTables, targetTables } = resources
  const source = by === "id" ? sourceTables.items.find(({ id }) => id === value) : named(sourceTables.items, value)
  const name = source?.name ?? (by === "name" ? value : rememberedName)
  const given = mapping.tables[value] ?? mapping.tables[name ?? value]
  const words = `data table ${inQuotes(name ?? value)} of node ${node}`
  if (targetTables.unread !== undefined) {
    return { ...none, warnings: [`nobody has checked that ${to} has the ${words}: ${targetTables.unread}`] }
  }
  const byId = targetTables.items.filter(({ id }) => id === given)
  const matches = byId.length > 0 ? byId : targetTables.items.filter((table) => table.name === (given ?? name))
  const [match, ...others] = matches
  const place = [...at, ...path]
  // The address in the editor holds ids of another instance: without it, the editor looks the table up.
  const forgotten = isAddressed ? [[[...place.slice(0, -1), "cachedResultUrl"], ""] as const] : []
  if (match === undefined) {
    if (source === undefined || given !== undefined) {
      const meant = given === undefined ? "" : `, nor is ${inQuotes(given)}, which the mapping names, one`
      const why =
        sourceTables.unread === undefined ? "" : ` (what it is on ${from} is not known: ${sourceTables.unread})`
      return { ...none, problems: [`${words} has no match on ${to}${why}${meant}: create it there, or ${giveIt}`] }
    }
    const alike = sourceTables.items.filter((table) => table.name === source.name)
    if (alike.length > 1) {
      const ids = alike.map(({ id }) => id).join(", ")
      return {
        ...none,
        problems: [
          `${words} has no match on ${to}, and several of ${from} have its name (${ids}): create it there, and ${giveIt}`
        ]
      }
    }
    const strange = columnsOf(source).filter(({ type }) => !isColumnType(type))
    return strange.length > 0
      ? {
          ...none,
          problems: [
            `${words} cannot be made on ${to}: ${strange.map(({ name, type }) => `${name} is of type ${type}`).join(", ")}`
          ]
        }
      : {
          ...none,
          missing: [source],
          ...(by === "id"
            ? {
                texts: forgotten,
                references: [{ path: place, parts: [{ created_by: tableChangeId(creation(to, source)) }] }]
              }
            : {})
        }
  }
  if (others.length > 0) {
    const ids = matches.map(({ id }) => id).join(", ")
    return { ...none, problems: [`${words} has several matches on ${to} (${ids}): ${giveIt}`] }
  }
  const differences = source === undefined ? [] : columnDifferences(source, match)
  return {
    ...none,
    texts: by === "id" ? [[place, match.id], ...forgotten] : match.name === name ? [] : [[place, match.name]],
    warnings:
      differences.length === 0
        ? []
        : [
            `data table ${inQuotes(match.name)} on ${to} has other columns than on ${from}: ${listed(differences, mostNamed)}`
          ]
  }
}

/** Columns and tables that are named in one warning. */
export const mostNamed = 10

/** The table of a name; engines find one by its name in whatever letters. */
const named = (tables: ReadonlyArray<DataTable>, given: string) =>
  tables.find(({ name }) => name === given) ?? tables.find(({ name }) => name.toLowerCase() === given.toLowerCase())

/** The columns of a table that another one lacks, or has of another type. */
export const columnDifferences = (source: DataTable, target: DataTable): ReadonlyArray<string> => {
  const types = new Map(columnsOf(target).map(({ name, type }) => [name, type]))
  return columnsOf(source).flatMap(({ name, type }) => {
    const other = types.get(name)
    if (other === undefined) return [`no ${name}`]
    return other === type ? [] : [`${name} is ${other} instead of ${type}`]
  })
}

/** The variables that a workflow uses and the target lacks, and what is to be said of them. */
export const linkVariables = (
  { resources = noResources, to }: Places,
  { nodes }: Pick<Content, "nodes">
): Pick<Linked, "problems" | "warnings"> & { readonly missing: ReadonlyArray<string> } => {
  const { targetVariables, values } = resources
  const uses = variableUses(nodes)
  const missing = [...new Set(uses.flatMap(({ name }) => name ?? []))].filter(
    (name) => !targetVariables.items.includes(name)
  )
  const dynamic = uses.flatMap(({ name, node }) => {
    if (name === undefined) return [`node ${node} finds a variable at run time: nobody checks that it is on ${to}`]
    return targetVariables.ofProjects?.includes(name) === true
      ? [`on ${to} the variable ${name} (node ${node}) is one of a project: workflows outside of it do not see it`]
      : []
  })
  if (missing.length > 0 && targetVariables.unread !== undefined) {
    const unchecked = `nobody has checked that ${to} has the variables ${listed(missing, mostNamed)}: ${targetVariables.unread}`
    return { missing: [], problems: [], warnings: [...dynamic, unchecked] }
  }
  return {
    missing,
    problems: missing.flatMap((name) => {
      const { node = "" } = uses.find((use) => use.name === name) ?? {}
      return values.has(name) ? [] : [`${to} has no variable ${name} (node ${node}): create it there, or ${getIt}`]
    }),
    warnings: dynamic
  }
}

/** Advice about a variable that the target lacks; a model is to give no value. */
const getIt = "take its value from a configured source (source), or let a person enter it (include variables)"

/** The creation of a variable, in a project where one is given. */
export const variableCreation = (
  instance: string,
  key: string,
  value: string,
  {
    namesakes = [],
    project
  }: { readonly namesakes?: ReadonlyArray<string>; readonly project?: string | undefined } = {}
): CallChange => ({
  kind: "call",
  instance,
  call: "POST /variables",
  path: "/variables",
  query: {},
  body: { key, value, ...(project === undefined ? {} : { projectId: project }) },
  read: { as: "list", query: { limit: "250" } },
  before: null,
  // Each project may have one of the same name.
  after: { key, value, projectId: project ?? null },
  namesakes: [...namesakes],
  back: { call: "DELETE /variables/{id}" },
  made: project === undefined ? key : `${key} of project ${project}`,
  hidden: ["value"]
})

/** The steps that make and fill what a workflow uses, without which it is not changed, where there are some. */
export const neededSteps = ({ resources = noResources, to }: Places, { missing, variables }: Built) => {
  const needs = [
    ...variables.flatMap((name) => (resources.values.has(name) ? [callId(variableCreation(to, name, ""))] : [])),
    ...missing.flatMap((table) => tableChanges(to, table, rowsOf(resources, table)).map(tableChangeId))
  ]
  return needs.length === 0 ? {} : { needs }
}

/** The rows of a data table of the source that go along. */
const rowsOf = ({ rows }: typeof noResources, { id }: DataTable) => rows.get(id) ?? []

const creation = (instance: string, table: DataTable): TableChange => ({
  kind: "table",
  instance,
  action: "create",
  name: table.name,
  columns: columnsOf(table).flatMap(({ name, type }): ReadonlyArray<NewColumn> =>
    isColumnType(type) ? [{ name, type }] : []
  )
})

/** The changes that make a data table and fill it. */
const tableChanges = (instance: string, table: DataTable, rows: ReadonlyArray<Cells>): ReadonlyArray<TableChange> => {
  const change = creation(instance, table)
  const about = { kind: "table", instance, table: { created_by: tableChangeId(change) }, name: table.name } as const
  return [change, ...insertionsInto(about, rows, 0)]
}

/** The steps that make a data table and fill it. */
export const tableSteps = (
  instance: string,
  table: DataTable,
  { reason, rows }: { readonly reason: string; readonly rows: ReadonlyArray<Cells> }
): ReadonlyArray<Step> => tableChanges(instance, table, rows).map((change) => stepOf(change, reason))

/** The steps that make the data tables which workflows use and the target lacks, and fill those whose rows go along. */
export const resourceSteps = ({ resources = noResources, to }: Places, built: ReadonlyArray<Built>) => {
  const users = new Map<DataTable, Array<string>>()
  for (const { content, missing } of built) {
    for (const table of missing) users.set(table, [...(users.get(table) ?? []), content.name])
  }
  const variables = [...new Set(built.flatMap((one) => one.variables))].flatMap((name) => {
    const value = resources.values.get(name)
    return value === undefined ? [] : [stepOf(variableCreation(to, name, value), `not on ${to} yet`)]
  })
  const tables = [...users].flatMap(([table, names]) =>
    tableSteps(to, table, {
      reason: `not on ${to} yet, and ${listed(names, mostNamed)} needs it`,
      rows: rowsOf(resources, table)
    })
  )
  const empty = [...users.keys()].filter(({ id }) => !resources.rows.has(id)).map(({ name }) => name)
  return {
    steps: [...variables, ...tables],
    warnings:
      empty.length === 0
        ? []
        : [`Data tables are made on ${to} without their rows (${listed(empty, mostNamed)}): include rows brings these`]
  }
}
