import { Effect, Option, Schema } from "effect"

import { type Page, page, type PageQuery } from "../workflow/models.ts"
import { Folder, Project, Variable } from "../workflow/projects.ts"
import type * as Call from "./call.ts"
import type { EngineError } from "./EngineError.ts"
import { endless } from "./listAll.ts"

/** The lists of projects, folders and variables. An engine whose licence lacks them fails with `PermissionDenied`, which names that. */
export interface ProjectCalls {
  /** One page of all projects. */
  readonly listProjectsIfSupported: (query: PageQuery) => Effect.Effect<Option.Option<Page<Project>>, EngineError>
  /** All folders of a project, at any depth; engines of generation 1 have none. */
  readonly foldersIfSupported: (project: string) => Effect.Effect<Option.Option<ReadonlyArray<Folder>>, EngineError>
  /** One page of all variables, with their values. */
  readonly listVariablesIfSupported: (query: PageQuery) => Effect.Effect<Option.Option<Page<Variable>>, EngineError>
}

/** Folders of a page. */
const pageSize = 250

/** Most folders of a project: an engine with an endless list is not followed forever. */
const mostFolders = 100_000

const FolderPage = Schema.Struct({ count: Schema.Int, data: Schema.Array(Folder) })

const listing = (things: string, query: PageQuery) =>
  ({ operation: `list ${things}`, method: "GET", path: `/${things}`, query: { ...query } }) as const

/** Projects, folders and variables, which need a licence. */
export const projectCalls = (instance: string, { callIfSupported }: Call.Calls): ProjectCalls => {
  const folderPage = (project: string, skip: number) =>
    callIfSupported(FolderPage, {
      operation: "list folders",
      method: "GET",
      path: `/projects/${encodeURIComponent(project)}/folders`,
      about: `project ${project}`,
      query: { sortBy: "name:asc", skip, take: pageSize }
    })
  return {
    listProjectsIfSupported: (query) => callIfSupported(page(Project), listing("projects", query)),
    listVariablesIfSupported: (query) => callIfSupported(page(Variable), listing("variables", query)),
    foldersIfSupported: Effect.fnUntraced(function* (project: string) {
      const folders = new Map<string, Folder>()
      for (;;) {
        const { size } = folders
        const answer = yield* folderPage(project, size)
        if (Option.isNone(answer)) return Option.none()
        const { count, data } = answer.value
        for (const folder of data) folders.set(folder.id, folder)
        if (folders.size >= count) return Option.some([...folders.values()])
        if (folders.size === size || folders.size > mostFolders) return yield* endless(instance)
      }
    })
  }
}
