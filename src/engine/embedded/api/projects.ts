import { Effect, Schema } from "effect"

import { projectsOf, shownFolder, shownProject } from "../dialects/viewParts.ts"
import type { ThingRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { freshId, now } from "../store/values.ts"
import { badRequest, notFound } from "../wire/http.ts"
import { byOffset } from "../wire/query.ts"
import { anything, fields, type Fields, readOnly, type Shape, string } from "../wire/shapes.ts"
import { Dialect, type Endpoint, type Handler, ok } from "./Dialect.ts"

// Real engines without a licence refuse these calls. Here they work as the engines' own description says.

type Kind = ThingRecord["kind"]

const all = (kind: Kind) =>
  Effect.map(Store, ({ tables }) => [...tables.things.values()].filter((one) => one.kind === kind))

const find = Effect.fnUntraced(function* (kind: Kind, id: string, words: string) {
  const { tables } = yield* Store
  const thing = tables.things.get(id)
  return thing?.kind === kind ? thing : yield* notFound(words)
})

const write = Effect.fnUntraced(function* (
  thing: Omit<ThingRecord, "createdAt" | "id" | "updatedAt">,
  before?: ThingRecord
) {
  const { commit } = yield* Store
  const moment = yield* now
  const written = { createdAt: moment, id: yield* freshId, ...before, ...thing, updatedAt: moment }
  yield* commit({ thing: written })
  return written
})

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    key: Schema.optionalKey(Schema.String),
    value: Schema.optionalKey(Schema.String),
    name: Schema.optionalKey(Schema.String),
    projectId: Schema.optionalKey(Schema.NullOr(Schema.String)),
    parentFolderId: Schema.optionalKey(Schema.String)
  })
)

const sent = (body: unknown) => Effect.orDie(decode(body))

const nothing = (status: number) => ({ status, body: undefined })

const findVariable = (id: string) => find("variable", id, `Variable with id ${id} not found`)
const findProject = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* Store
  return id === "personal" || id === tables.owner.projectId
    ? { id: tables.owner.projectId }
    : yield* find("project", id, `Could not find project with ID: ${id}`)
})

/** The fields of a variable; the key must be free. */
const variableFields = Effect.fnUntraced(function* (body: unknown, self?: string) {
  const { key = "", projectId, value = "" } = yield* sent(body)
  if (!/^[A-Za-z0-9_]{1,50}$/.test(key)) return yield* badRequest("key can only contain characters A-Za-z0-9_")
  if (value.length > 1000) return yield* badRequest("value must have at most 1000 characters")
  const project = projectId === undefined || projectId === null ? null : (yield* findProject(projectId)).id
  const isTaken = (yield* all("variable")).some((one) => one.name === key && one.project === project && one.id !== self)
  if (isTaken) return yield* badRequest(`A variable with key "${key}" already exists`)
  return { kind: "variable" as const, name: key, value, project }
})

const shownVariable = Effect.fnUntraced(function* ({ id, name: key, project, value = "" }: ThingRecord) {
  const { tables } = yield* Store
  const owner = project === null ? undefined : tables.things.get(project)
  const whole = owner === undefined ? null : { id: owner.id, name: owner.name, type: "team" }
  return { id, key, type: "string", value, project: whole }
})

const listVariables: Handler = Effect.fnUntraced(function* ({ query }) {
  const { paging } = yield* Dialect
  const { data, nextCursor } = yield* byOffset(yield* all("variable"), query, paging)
  return ok({ data: yield* Effect.forEach(data, shownVariable), nextCursor })
})

const paged = { limit: "limit", cursor: "encoded" } as const

const body = (of: Readonly<Record<string, Shape>>, ...required: ReadonlyArray<string>): { readonly shape: Fields } => ({
  shape: fields({ id: readOnly, type: readOnly, ...of }, ...required)
})

const variable = body({ key: string, value: string }, "key", "value")
const projectVariable = body({ key: string, value: string, projectId: anything }, "key", "value")
const project = body({ name: string }, "name")

const remove =
  (kind: Kind, id: string, words: (id: string) => string): Handler =>
  ({ at }) =>
    Effect.gen(function* () {
      const { commit, tables } = yield* Store
      const thing = yield* find(kind, at(id), words(at(id)))
      const inside = [...tables.things.values()].filter((one) => one.project === thing.id || one.parent === thing.id)
      yield* commit({ removedThing: thing.id }, ...inside.map((one) => ({ removedThing: one.id })))
      return nothing(204)
    })

const createVariable = (shape: typeof variable): Endpoint => ({
  method: "POST",
  path: "/variables",
  query: {},
  body: shape,
  run: ({ body }) =>
    Effect.as(
      Effect.flatMap(variableFields(body), (one) => write(one)),
      nothing(201)
    )
})

const sharedEndpoints: ReadonlyArray<Endpoint> = [
  { method: "GET", path: "/variables", query: paged, run: listVariables },
  {
    method: "DELETE",
    path: "/variables/:id",
    query: {},
    run: remove("variable", "id", (id) => `Variable with id ${id} not found`)
  },
  {
    method: "GET",
    path: "/projects",
    query: paged,
    run: Effect.fnUntraced(function* ({ query }) {
      const { tables } = yield* Store
      return ok(yield* byOffset(projectsOf(tables), query, (yield* Dialect).paging))
    })
  },
  {
    method: "POST",
    path: "/projects",
    query: {},
    body: project,
    run: Effect.fnUntraced(function* ({ body }) {
      const { name = "" } = yield* sent(body)
      if (name === "") return yield* badRequest("name must have at least 1 character")
      const written = yield* write({ kind: "project", name, project: null })
      return { status: 201, body: { ...shownProject(written), role: "project:admin", scopes: [] } }
    })
  },
  {
    method: "PUT",
    path: "/projects/:projectId",
    query: {},
    body: project,
    run: Effect.fnUntraced(function* ({ at, body }) {
      const id = at("projectId")
      const before = yield* find("project", id, `Could not find project with ID: ${id}`)
      const { name = "" } = yield* sent(body)
      yield* write({ kind: "project", name, project: null }, before)
      return nothing(204)
    })
  },
  {
    method: "DELETE",
    path: "/projects/:projectId",
    query: {},
    run: remove("project", "projectId", (id) => `Could not find project with ID: ${id}`)
  }
]

/** Variables and projects as engines of generation 1 have them. */
export const projectEndpoints: ReadonlyArray<Endpoint> = [...sharedEndpoints, createVariable(variable)]

const folderPath = "/projects/:projectId/folders"
const folder = { shape: fields({ name: string, parentFolderId: string }) }
const newFolder = { shape: fields({ name: string, parentFolderId: string }, "name") }

const findFolder = Effect.fnUntraced(function* (project: string, id: string) {
  const { id: projectId } = yield* findProject(project)
  const one = yield* find("folder", id, `Could not find the folder: ${id}`)
  return one.project === projectId ? one : yield* notFound(`Could not find the folder: ${id}`)
})

const foldersIn = Effect.fnUntraced(function* (project: string) {
  const { id } = yield* findProject(project)
  return (yield* all("folder")).filter((one) => one.project === id)
})

/** Variables and projects, folders and what else came with engines of generation 2. */
export const folderEndpoints: ReadonlyArray<Endpoint> = [
  ...sharedEndpoints,
  createVariable(projectVariable),
  {
    method: "PUT",
    path: "/variables/:id",
    query: {},
    body: projectVariable,
    run: Effect.fnUntraced(function* ({ at, body }) {
      const before = yield* findVariable(at("id"))
      yield* write(yield* variableFields(body, before.id), before)
      return nothing(204)
    })
  },
  {
    method: "GET",
    path: folderPath,
    query: { filter: "any", select: "any", sortBy: "any", skip: "any", take: "any" },
    run: Effect.fnUntraced(function* ({ at, query }) {
      const inside = yield* foldersIn(at("projectId"))
      const skip = Number(query.get("skip") ?? 0)
      const data = inside.slice(skip, skip + Number(query.get("take") ?? 10))
      return ok({ count: inside.length, data: data.map((one) => shownFolder(one)) })
    })
  },
  {
    method: "POST",
    path: folderPath,
    query: {},
    body: newFolder,
    run: Effect.fnUntraced(function* ({ at, body }) {
      const { id } = yield* findProject(at("projectId"))
      const { name = "", parentFolderId: parent } = yield* sent(body)
      if (parent !== undefined) yield* findFolder(id, parent)
      const written = yield* write({ kind: "folder", name, project: id, ...(parent === undefined ? {} : { parent }) })
      return { status: 201, body: shownFolder(written) }
    })
  },
  {
    method: "GET",
    path: `${folderPath}/:folderId`,
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const one = yield* findFolder(at("projectId"), at("folderId"))
      const inside = (yield* all("folder")).filter(({ parent }) => parent === one.id)
      const { tables } = yield* Store
      const totalWorkflows = [...tables.workflows.values()].filter(({ folder }) => folder === one.id).length
      return ok({ ...shownFolder(one), totalSubFolders: inside.length, totalWorkflows })
    })
  },
  {
    method: "PATCH",
    path: `${folderPath}/:folderId`,
    query: {},
    body: folder,
    run: Effect.fnUntraced(function* ({ at, body }) {
      const before = yield* findFolder(at("projectId"), at("folderId"))
      const { name = before.name, parentFolderId: parent = before.parent } = yield* sent(body)
      const { project } = before
      const written = yield* write(
        { kind: "folder", name, project, ...(parent === undefined ? {} : { parent }) },
        before
      )
      return ok(shownFolder(written))
    })
  },
  {
    method: "DELETE",
    path: `${folderPath}/:folderId`,
    query: { transferToFolderId: "any" },
    run: Effect.fnUntraced(function* (call) {
      yield* findFolder(call.at("projectId"), call.at("folderId"))
      return yield* remove("folder", "folderId", (id) => `Could not find the folder: ${id}`)(call)
    })
  }
]
