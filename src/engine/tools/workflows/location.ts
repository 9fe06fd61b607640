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
  const folders = yield* engine.foldersIfSupported(projectId ?? (yield* personalProject))
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

/** The personal project of the key's user: the only one whose workflows show, as not every licence lists projects. */
export const personalProject = Effect.gen(function* () {
  const { listWorkflows } = yield* EngineClient
  const { data } = yield* listWorkflows({ limit: 100, excludePinnedData: true }, only({ shared: "whole" }))
  const owners = data.flatMap(({ shared }) =>
    objectsOf(shared).flatMap(({ project, projectId }) =>
      objectOf(project)["type"] === "personal" ? [textOf(projectId)] : []
    )
  )
  const [owner, ...others] = new Set(owners)
  if (owner !== undefined && others.length === 0) return owner
  const [personal, ...more] = (yield* projects).filter(({ type }) => type === "personal")
  if (personal !== undefined && more.length === 0) return personal.id
  return yield* invalid("project")("is needed beside folder: there are several personal projects")
})
