import { Effect, Option, Predicate, Result, Schema } from "effect"

import { fields } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ApiError, type EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { workflowsNamed } from "../../tools/references.ts"
import { ExecutionId, VersionId, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { unsupportedReason, unsupportedText } from "../routeSupport.ts"

/** One of two workflows that are compared. */
export interface Side {
  readonly head: JsonObject
  readonly content: JsonObject
  /** Whether an engine has put in what its nodes leave out, as it does with what it runs. */
  readonly isFilled: boolean
}

/** This engine cannot show a version; the guidance names another way. */
class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { guidance: Schema.String }) {}

const decodeVersion = Schema.decodeUnknownResult(VersionId)
const decodeExecution = Schema.decodeUnknownResult(Schema.NumberFromString.pipe(Schema.decodeTo(ExecutionId)))

const instead =
  "Give the id of an execution as the version: it holds the workflow as it ran. workflow_history may know more."
const listRoute = {
  call: "GET /workflows/{workflowId}/history",
  scope: "workflow:read",
  since: "2.35.0",
  verb: "list the versions of a workflow",
  instead
}
const readRoute = {
  call: "GET /workflows/{workflowId}/versions/{workflowVersionId}",
  scope: "workflow:read",
  since: "2.40.0",
  verb: "show versions of a workflow",
  instead
}

/** A workflow on its engine, as it is now or in another version. */
export const sideOf = Effect.fnUntraced(function* (
  workflow: Workflow,
  version: string | undefined,
  argument: string
): Effect.fn.Return<Side, EngineError | InvalidArgument | Unavailable, EngineClient> {
  const { instance } = yield* EngineClient
  const head = { instance, id: workflow.id, name: workflow.name }
  if (version === undefined || version === "current") {
    return { head, content: workflow, isFilled: false }
  }
  if (version === "published") return yield* published(workflow, head, argument)
  const execution = decodeExecution(version)
  if (Result.isSuccess(execution)) return yield* executed(workflow, execution.success, head, argument)
  const id =
    version === "previous"
      ? yield* previousOf(workflow)
      : yield* Effect.mapError(
          Effect.fromResult(decodeVersion(version)),
          () =>
            new InvalidArgument({
              argument,
              problem: "must be a version's id, an execution's id, previous, published or current"
            })
        )
  return yield* saved(workflow, id, head)
})

const published = (workflow: Workflow, head: JsonObject, argument: string) => {
  const { active, activeVersion } = workflow
  if (isJsonObject(activeVersion)) {
    const { connections, nodes, versionId } = activeVersion
    return Effect.succeed<Side>({
      head: { ...head, version: versionId },
      content: { nodes, connections },
      isFilled: false
    })
  }
  return active
    ? Effect.succeed<Side>({ head, content: workflow, isFilled: false })
    : Effect.fail(
        new InvalidArgument({ argument, problem: `workflow ${workflow.id} is not published: nothing of it runs` })
      )
}

/** The newest version that differs from the present one. */
const previousOf = Effect.fnUntraced(function* ({ id, versionId }: Workflow) {
  const engine = yield* EngineClient
  yield* available(listRoute)
  const listed = yield* engine.listVersionsIfSupported(id, { limit: 10 })
  if (Option.isNone(listed)) return yield* new Unavailable({ guidance: unsupportedText(listRoute) })
  const before = listed.value.data.find((version) => version.versionId !== versionId)
  if (before !== undefined) return before.versionId
  return yield* new Unavailable({ guidance: `Workflow ${id} has no earlier version: its nodes were never changed.` })
})

const saved = Effect.fnUntraced(function* ({ id }: Workflow, version: VersionId, head: JsonObject) {
  const engine = yield* EngineClient
  yield* available(readRoute)
  const versionRead = yield* engine.getVersionIfSupported(id, version)
  if (Option.isNone(versionRead)) return yield* new Unavailable({ guidance: unsupportedText(readRoute) })
  const { connections, createdAt, nodes } = versionRead.value
  return {
    head: { ...head, version, savedAt: createdAt },
    content: { nodes, connections },
    isFilled: false
  } satisfies Side
})

const available = (route: typeof listRoute) =>
  Effect.flatMap(unsupportedReason(route), (lack) =>
    lack === undefined ? Effect.void : Effect.fail(new Unavailable({ guidance: lack }))
  )

const withoutData = fields({ data: "nothing" })

/** The workflow that an execution ran: its version where the engine still has it, else the copy that the execution holds. */
const executed = Effect.fnUntraced(function* (
  workflow: Workflow,
  id: ExecutionId,
  named: JsonObject,
  argument: string
): Effect.fn.Return<Side, EngineError | InvalidArgument, EngineClient> {
  const engine = yield* EngineClient
  const execution = yield* engine.getExecution(id, true, withoutData)
  const { startedAt, workflowData, workflowId, workflowVersionId } = execution
  if (Predicate.isString(workflowId) && workflowId !== workflow.id) {
    const problem = `execution ${id} is one of workflow ${workflowId}, not of ${workflow.id}`
    return yield* new InvalidArgument({ argument, problem })
  }
  const head = { ...named, execution: id, ranAt: startedAt }
  const version = decodeVersion(workflowVersionId)
  if (Result.isSuccess(version)) {
    const kept = yield* Effect.result(saved(workflow, version.success, head))
    if (Result.isSuccess(kept)) return kept.success
  }
  if (!isJsonObject(workflowData)) {
    return yield* new ApiError({
      instance: engine.instance,
      httpStatus: 200,
      problem: `instance ${engine.instance} keeps no workflow with execution ${id}`,
      apiResponse: null
    })
  }
  const { connections, name, nodes, settings } = workflowData
  return {
    head,
    content: { name, nodes, connections, ...(settings === undefined ? {} : { settings }) },
    isFilled: true
  }
})

/** The workflow of another instance that has the id of one, or is called as it is where none has its id. */
export const counterpartOf = Effect.fnUntraced(function* ({
  id,
  name
}: Workflow): Effect.fn.Return<Workflow, EngineError | InvalidArgument, EngineClient> {
  const { getWorkflow, instance } = yield* EngineClient
  return yield* Effect.catchIf(getWorkflow(id), isMissing, () =>
    Effect.gen(function* () {
      const [only, ...others] = yield* workflowsNamed(name)
      const ids = [only, ...others].map((one) => one?.id).join(", ")
      const problem =
        others.length > 0
          ? `${others.length + 1} workflows of instance ${instance} have the name of workflow ${id}: ${ids}`
          : `instance ${instance} has neither a workflow of id ${id} nor one called "${name}"`
      return only === undefined || others.length > 0
        ? yield* new InvalidArgument({ argument: "b", problem: `is missing: ${problem}` })
        : yield* getWorkflow(WorkflowId.make(only.id))
    })
  )
})
