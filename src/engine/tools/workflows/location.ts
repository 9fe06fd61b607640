import { Effect, Option, Result } from "effect"

import { only } from "../../../internal/json/Selection.ts"
import { objectOf, objectsOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { listAllIfSupported } from "../../client/listAll.ts"
import { folderNamed, projectNamed } from "../../workflow/projects.ts"

type Argument = "folder" | "project"

const invalid = (argument: Argument) => (problem: string) => new InvalidArgument({ argument, problem })

/**
 * The project and the folder of a new workflow, each given by its id or its name, a folder by its path, too. Fails where the engine has
 * no such thing, before anything is sent: it makes a workflow in its place or not at all.
 */
export const locationOf = Effect.fnUntraced(function* ({
  folder,
  project
}: {
  readonly folder: string | undefined
  readonly project: string | undefined
}) {
  if (folder === undefined && project === undefined) return {}
  const engine = yield* EngineClient
  if (Option.isNone(yield* engine.capabilitiesIfSupported))
    return yield* noLocation(folder === undefined ? "project" : "folder")
  const projectId = project === undefined ? undefined : yield* projectOf(project)
  if (folder === undefined) return { projectId }
  const place = projectId ?? Option.getOrUndefined(yield* personalProject)
  if (place === undefined) return yield* invalid("project")(`is needed beside folder: ${unknownProject}`)
  const folders = yield* engine.foldersIfSupported(place)
  if (Option.isNone(folders)) return yield* noLocation("folder")
  const parentFolderId = yield* Effect.fromResult(
    Result.mapError(folderNamed(folders.value, folder), invalid("folder"))
  )
  return { parentFolderId, ...(projectId === undefined ? {} : { projectId }) }
})

const noLocation = (argument: Argument) =>
  EngineClient.use(({ instance }) =>
    Effect.fail(
      invalid(argument)(
        `cannot be given: the engine of ${instance} makes workflows in the personal project of its key alone. Nothing was sent`
      )
    )
  )

const projects = EngineClient.use(({ listProjectsIfSupported }) =>
  Effect.map(
    listAllIfSupported(listProjectsIfSupported),
    Option.getOrElse(() => [])
  )
)

const projectOf = Effect.fnUntraced(function* (given: string) {
  return yield* Effect.fromResult(Result.mapError(projectNamed(yield* projects, given), invalid("project")))
})

/**
 * The personal project of the key's user: the only one that the engine lists or, where it lists none, whose workflows show.
 * Nothing where there are others: then nobody can tell which one is the user's.
 */
export const personalProject = Effect.gen(function* () {
  const listed = yield* Effect.result(projects)
  const isDenied = Result.isFailure(listed) && listed.failure._tag === "PermissionDenied"
  const all = isDenied ? [] : yield* Effect.fromResult(listed)
  const personal = all.flatMap(({ id, type }) => (type === "personal" ? [id] : []))
  const [project, ...others] = personal.length > 0 ? personal : yield* ownersOfWorkflows
  if (project === undefined) yield* Effect.fromResult(listed)
  return project !== undefined && others.length === 0 ? Option.some(project) : Option.none()
})

export const unknownProject = "the engine does not tell which personal project is the key's"

const ownersOfWorkflows = Effect.gen(function* () {
  const { listWorkflows } = yield* EngineClient
  const { data } = yield* listWorkflows({ limit: 100, excludePinnedData: true }, only({ shared: "whole" }))
  const owners = data.flatMap(({ shared }) =>
    objectsOf(shared).flatMap(({ project, projectId }) =>
      objectOf(project)["type"] === "personal" ? [textOf(projectId)] : []
    )
  )
  return [...new Set(owners)]
})
