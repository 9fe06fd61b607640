import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { WorkflowChanged, type EngineError, StepFailed, type ApiError, reworded } from "../../client/EngineError.ts"
import { activeOwners, hasSome } from "../../nodes/check/activeOwners.ts"
import type { WorkflowId, Workflow } from "../../workflow/models.ts"

/** Runs a change of a workflow when all earlier ones of this process have ended there. */
export const exclusively =
  (id: WorkflowId) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    EngineClient.use((engine) => engine.exclusively(id, change))

/** Reads the workflow that is to be changed; fails where it is not any more what the caller last saw. */
export const readUnchanged = Effect.fnUntraced(function* (id: WorkflowId, ifVersion: string | undefined) {
  const { getWorkflow } = yield* EngineClient
  const workflow = yield* getWorkflow(id)
  if (ifVersion !== undefined) yield* failIfChangedSince(ifVersion, workflow)
  return workflow
})

/** Fails where a workflow is not any more what it was in a version, or where that is none. */
export const failIfChangedSince = Effect.fnUntraced(function* (ifVersion: string, workflow: Workflow) {
  const { versions } = yield* EngineClient
  if (!versions.canBeVersion(ifVersion, workflow)) {
    const problem = `${JSON.stringify(ifVersion)} is no version. It must be the \`version\` of an answer about this workflow`
    return yield* new InvalidArgument({
      argument: "ifVersion",
      problem,
      advice: ": read it with get_workflow. Nothing was changed"
    })
  }
  return yield* failIfChanged(versions.changesSince(ifVersion, workflow), workflow, "ifVersion")
})

/** Fails with the conflict, if something changed. */
export const failIfChanged = (
  changed: ReadonlyArray<string>,
  { id }: Workflow,
  since: WorkflowChanged["since"]
): Effect.Effect<void, WorkflowChanged, EngineClient> =>
  changed.length === 0
    ? Effect.void
    : EngineClient.use(({ instance }) => Effect.fail(new WorkflowChanged({ instance, id, changed, since })))

interface StepContext {
  readonly id: string
  /** The part that is done, as a participle: "created". */
  readonly done: string
  /** The step that may fail: "its activation". */
  readonly step: string
}

/** A later step of a tool call: when it fails, the error says what has already happened. */
export const whileDone = <A, R>(
  self: Effect.Effect<A, EngineError, R>,
  context: StepContext
): Effect.Effect<A, StepFailed, R | EngineClient> =>
  Effect.catch(self, (error) =>
    EngineClient.use(({ instance }) => Effect.fail(stepFailed(error, { ...context, instance })))
  )

/** The failure of one step, with what is already done, and the engine's own answer where there was one. */
export const stepFailed = (error: EngineError, context: StepContext & { readonly instance: string }): StepFailed =>
  new StepFailed({
    ...context,
    problem: error.message,
    ...(error._tag === "ApiError" ? { httpStatus: error.httpStatus, apiResponse: error.apiResponse } : {})
  })

/** Engines say that a webhook collides, and with what they keep to themselves: this adds which one, and with whose. */
export const namingCollisions =
  (id: WorkflowId, nodes?: ReadonlyArray<JsonObject>) =>
  <A, R>(self: Effect.Effect<A, EngineError, R>): Effect.Effect<A, EngineError, R | EngineClient> =>
    Effect.catch(self, (error) => {
      if (!isCollision(error)) return Effect.fail(error)
      const worded = Effect.match(ownersText(id, nodes), {
        onFailure: () => error,
        onSuccess: (words) => reworded(error, `${error.problem} On instance ${error.instance}: ${words}`)
      })
      return Effect.flatMap(worded, (named): Effect.Effect<never, EngineError> => Effect.fail(named))
    })

const isCollision = (error: EngineError): error is ApiError =>
  error._tag === "ApiError" && /conflict with one of the webhooks/.test(error.problem)

const ownersText = Effect.fnUntraced(function* (id: WorkflowId, given: ReadonlyArray<JsonObject> | undefined) {
  const nodes = given ?? (yield* EngineClient.use((engine) => engine.getWorkflow(id))).nodes
  const { isWhole, owners, seen } = yield* EngineClient.use((engine) =>
    activeOwners(engine, { id, nodes }, { isEnough: hasSome })
  )
  const words = owners.map(({ address, node, owner }) => `${address} of node ${node} is taken by ${owner}.`)
  if (words.length > 0) return words.join(" ")
  return isWhole ? notSeen : `none of the first ${seen} active workflows that this key can list has the same address.`
})

const notSeen = "no active workflow that this key can list has the same address."
