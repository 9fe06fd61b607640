import { grouped } from "../../../internal/collections.ts"
import { listed } from "../../../internal/foreignText.ts"
import { type Cells, columnsOf, type DataTable, isColumnType } from "../../workflow/dataTables.ts"
import { inQuotes } from "../../workflow/names.ts"
import { tableOf } from "../../workflow/resources.ts"
import { replaceTextsAt } from "../../workflow/valuePaths.ts"
import type { Content, Reference } from "../Change.ts"
import { folderAt } from "../promotion/folders.ts"
import { type Listing, noResources } from "../promotion/Input.ts"
import { mappingOf } from "../promotion/mapping.ts"
import { columnDifferences, linkTables, mostNamed, tableSteps, variableCreation } from "../promotion/resources.ts"
import { type Step, stepOf } from "../Step.ts"

/** Things beside workflows and tags that a backup has kept, and those of them that the instance has now. */
export interface RestoredResources {
  readonly tables: ReadonlyArray<DataTable>
  readonly presentTables: Listing<DataTable>
  /** The rows that were kept of tables, by the ids of these. */
  readonly rows: ReadonlyMap<string, KeptRows>
  readonly variables: Recorded<KeptVariable>
  /** The values for variables that are not there. */
  readonly values: ReadonlyMap<string, string>
  readonly folders: Recorded<KeptFolder> & { readonly projects: ReadonlyArray<string> }
}

/** Rows of a table, and the columns of which it has no place for values that were kept. */
export interface KeptRows {
  readonly cells: ReadonlyArray<Cells>
  readonly unplaced: ReadonlyArray<string>
}

/** Things that were recorded, and the present ones; `unread` is the reason why nobody can tell which there are. */
interface Recorded<A> {
  readonly recorded: ReadonlyArray<A>
  readonly present: ReadonlyArray<A>
  readonly unread?: string
}

interface InProject {
  readonly id: string
  readonly name: string
  readonly projectId?: string | undefined
}

export type KeptVariable = InProject

/** A folder, called by its path. */
export interface KeptFolder extends InProject {
  readonly parentFolderId?: string | null | undefined
}

/** The recorded things that are not there any more, in whatever project. */
export const missingIn = <A extends InProject>({ present, recorded, unread }: Recorded<A>): ReadonlyArray<A> => {
  const placeOf = ({ name, projectId = "" }: InProject) => `${projectId}/${name}`
  const places = new Set(present.map(placeOf))
  return unread === undefined ? recorded.filter((one) => !places.has(placeOf(one))) : []
}

/** The content with the data tables that are there, or are made anew, in place of deleted ones. */
export type LinkTables = <C extends Content>(
  content: C
) => { readonly content: C; readonly references: ReadonlyArray<Reference> }

interface Request {
  readonly instance: string
  readonly version: string
  readonly resources?: RestoredResources
}

const nothingKept: RestoredResources = {
  tables: [],
  presentTables: { items: [] },
  rows: new Map(),
  values: new Map(),
  variables: { recorded: [], present: [] },
  folders: { recorded: [], present: [], projects: [] }
}

/** The steps that bring back what a backup has kept beside the workflows, and the links of workflows to it. */
export const draftResources = (request: Request): Drafted & { readonly linkTables: LinkTables } => {
  const { linkTables, ...tables } = draftTables(request)
  const parts: ReadonlyArray<Drafted> = [tables, draftVariables(request), draftFolders(request)]
  return { linkTables, steps: parts.flatMap(({ steps }) => steps), warnings: parts.flatMap(({ warnings }) => warnings) }
}

interface Drafted {
  readonly steps: ReadonlyArray<Step>
  readonly warnings: ReadonlyArray<string>
}

/** The variables that are not there any more: their values were never kept, and come from elsewhere. */
const draftVariables = ({ instance, resources = nothingKept, version }: Request): Drafted => {
  const { folders, values, variables } = resources
  const all = missingIn(variables)
  const isPlaced = ({ projectId }: KeptVariable) =>
    projectId === undefined || folders.unread !== undefined || folders.projects.includes(projectId)
  const missing = all.filter(isPlaced)
  const unseen = all.filter((one) => !isPlaced(one))
  const steps = missing.flatMap(({ name, projectId }) => {
    const value = values.get(name)
    if (value === undefined) return []
    const namesakes = variables.present.filter((one) => one.name === name).map(({ id }) => id)
    const change = variableCreation(instance, name, value, { namesakes, project: projectId })
    return [stepOf(change, `as in ${version}; it was deleted`)]
  })
  const left = missing.filter(({ name }) => !values.has(name))
  const shared = [...grouped(missing, ({ name }) => name).values()].flatMap(([one, other]) =>
    one !== undefined && other !== undefined && values.has(one.name) ? [one] : []
  )
  return {
    steps,
    warnings: [
      ...notBroughtBack("Variables", variables),
      ...(unseen.length === 0
        ? []
        : [`Variables of projects that the key does not see are not brought back: ${namesOf(unseen)}`]),
      ...(shared.length === 0
        ? []
        : [`Variables that several projects had by one name all get one value: ${namesOf(shared)}`]),
      ...(left.length === 0
        ? []
        : [
            `Variables that are not there any more, whose values were never kept: ${namesOf(left)}. Create them there, take their values from a configured source (source), or let a person enter them (include variables)`
          ])
    ]
  }
}

/** The folders that are not there any more. Nobody can tell which workflows lay in them. */
const draftFolders = ({ instance, resources = nothingKept, version }: Request): Drafted => {
  const { folders } = resources
  // One that is called otherwise now, or lies elsewhere, is not deleted.
  const ids = new Set(folders.present.map(({ id }) => id))
  const all = missingIn(folders).filter(({ id }) => !ids.has(id))
  const missing = all.filter(({ projectId = "" }) => folders.projects.includes(projectId))
  const unseen = all.filter((one) => !missing.includes(one))
  const present = grouped(
    folders.present.map(({ id, name, parentFolderId = null, projectId = "" }) => ({
      id,
      name: name.split("/").at(-1) ?? "",
      parentFolderId,
      projectId
    })),
    ({ projectId }) => projectId
  )
  const steps = missing.flatMap(({ name, projectId: project = "" }) => {
    const place = { path: name.split("/"), project, folders: present.get(project) ?? [] }
    return folderAt(instance, place, `as in ${version}; it was deleted`).steps
  })
  return {
    // Folders in each other need the same ones.
    steps: [...new Map(steps.map((step) => [step.id, step])).values()],
    warnings: [
      ...notBroughtBack("Folders", folders),
      ...(missing.length === 0
        ? []
        : ["Folders are made anew empty: the engine does not tell which workflows lay in them"]),
      ...(unseen.length === 0
        ? []
        : [`Folders of projects that the key does not see are not brought back: ${namesOf(unseen)}`])
    ]
  }
}

const notBroughtBack = (what: string, { recorded, unread }: Recorded<InProject>) =>
  recorded.length > 0 && unread !== undefined ? [`${what} are not brought back: ${unread}`] : []

const namesOf = (things: ReadonlyArray<{ readonly name: string }>) =>
  listed(
    things.map(({ name }) => inQuotes(name)),
    mostNamed
  )

const draftTables = ({ instance, resources = nothingKept, version }: Request) => {
  const { presentTables: present, rows, tables } = resources
  const current = new Map(present.items.map((table) => [table.id, table]))
  const deleted = present.unread === undefined ? tables.filter(({ id }) => !current.has(id)) : []
  const namesakes = grouped(present.items, ({ name }) => name)
  const replaced = deleted.filter(({ name }) => namesakes.get(name)?.length === 1)
  const ambiguous = deleted.filter(({ name }) => (namesakes.get(name)?.length ?? 0) > 1)
  const isMakeable = (table: DataTable) =>
    columnsOf(table).every(({ type }) => isColumnType(type)) &&
    deleted.every(({ id, name }) => id === table.id || name !== table.name)
  const missing = deleted.filter(({ name }) => !namesakes.has(name))
  const made = missing.filter(isMakeable)
  const unmade = missing.filter((table) => !isMakeable(table))
  const withoutRows = made.filter(({ id }) => !rows.has(id))
  const changed = [...tables.filter(({ id }) => current.has(id)), ...replaced].flatMap((table) => {
    const now = current.get(table.id) ?? namesakes.get(table.name)?.[0]
    const differences = now === undefined ? [] : columnDifferences(table, now)
    return differences.length === 0 ? [] : [`${inQuotes(table.name)} (${listed(differences, mostNamed)})`]
  })
  const linked = new Set([...made, ...replaced].map(({ id }) => id))
  const scope = {
    from: version,
    to: instance,
    mapping: mappingOf([], { from: version, to: instance, given: undefined }),
    resources: { ...noResources, sourceTables: { items: [...made, ...replaced] }, targetTables: present }
  }
  const link: LinkTables = (content) => {
    const uses = content.nodes.map((node) => {
      const use = tableOf(node)
      return use?.by === "id" && linked.has(use.value) ? node : {}
    })
    const { references, texts } = linkTables(scope, { nodes: uses })
    return { content: replaceTextsAt(content, texts), references }
  }
  return {
    linkTables: link,
    steps: made.flatMap((table) =>
      tableSteps(instance, table, { reason: `as in ${version}; it was deleted`, rows: rows.get(table.id)?.cells ?? [] })
    ),
    warnings: [
      ...(tables.length > 0 && present.unread !== undefined
        ? [`Data tables are not brought back: ${present.unread}`]
        : []),
      ...(made.length === 0
        ? []
        : [
            `${made.length} deleted data tables are made anew in the personal project of the key, with new ids, which workflows get: ${namesOf(made)}`
          ]),
      ...(withoutRows.length === 0
        ? []
        : [`No rows come back of ${namesOf(withoutRows)}: the history has none of them (see backup --rows)`]),
      ...(made.length === withoutRows.length
        ? []
        : ["Rows come back as they were when a backup kept rows last, up to this version"]),
      ...made.flatMap(({ id, name }) => {
        const { unplaced = [] } = rows.get(id) ?? {}
        return unplaced.length === 0
          ? []
          : [
              `Values of ${inQuotes(name)} do not come back, as its columns were others when its rows were kept: ${listed(unplaced, mostNamed)}`
            ]
      }),
      ...(replaced.length === 0
        ? []
        : [
            `Other data tables have the names of deleted ones, and take their places as they are: ${namesOf(replaced)}`
          ]),
      ...(ambiguous.length === 0
        ? []
        : [
            `Several data tables have the names of deleted ones, so that workflows keep the ids of these: ${namesOf(ambiguous)}`
          ]),
      ...(unmade.length === 0
        ? []
        : [
            `Data tables that cannot be made anew, as several had one name or a column is of an unknown type: ${namesOf(unmade)}`
          ]),
      ...(changed.length === 0
        ? []
        : [`Data tables keep the columns that they have now: ${listed(changed, mostNamed)}`])
    ]
  }
}
