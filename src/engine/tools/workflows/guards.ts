import { Effect, Predicate } from "effect"

import { type JsonObject, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { WorkflowChanged, type EngineError, StepFailed, type ApiError, reworded } from "../../client/EngineError.ts"
import { firstPages } from "../../client/listAll.ts"
import type { WorkflowId, Workflow } from "../../client/models.ts"
import { collisions } from "../../workflow/addresses.ts"

/** Runs a change of a workflow when all earlier ones of this process have ended there. */
export const exclusively =
  (id: WorkflowId) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    EngineClient.use((engine) => engine.exclusively(id, change))

/** Reads the workflow that is to be changed; fails where it is not any more what the caller last saw. */
export const readUnchanged = Effect.fnUntraced(function* (id: WorkflowId, ifVersion: string | undefined) {
  const { getWorkflow, versions } = yield* EngineClient
  const workflow = yield* getWorkflow(id)
  if (ifVersion !== undefined) yield* failIfChanged(versions.changesSince(ifVersion, workflow), workflow, "ifVersion")
  return workflow
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
  /** What has already happened to the workflow: "created". */
  readonly done: string
  /** What is tried now: "its activation". */
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

/** Pages of active workflows that are looked through. */
const maxPages = 8

/** Engines say that a webhook collides, and with what they keep to themselves: this adds which one, and with whose. */
export const namingCollisions =
  (id: WorkflowId, nodes?: ReadonlyArray<JsonObject>) =>
  <A, R>(self: Effect.Effect<A, EngineError, R>): Effect.Effect<A, EngineError, R | EngineClient> =>
    Effect.catch(self, (error) => {
      if (!isCollision(error)) return Effect.fail(error)
      const worded = Effect.match(found(id, nodes), {
        onFailure: () => error,
        onSuccess: (words) => reworded(error, `${error.problem} ${words}`)
      })
      return Effect.flatMap(worded, (named): Effect.Effect<never, EngineError> => Effect.fail(named))
    })

const isCollision = (error: EngineError): error is ApiError =>
  error._tag === "ApiError" && error.httpStatus === 409 && /conflict with one of the webhooks/.test(error.problem)

const found = Effect.fnUntraced(function* (id: WorkflowId, given: ReadonlyArray<JsonObject> | undefined) {
  const engine = yield* EngineClient
  const nodes = given ?? (yield* engine.getWorkflow(id)).nodes
  let seen = 0
  const { found: words, isWhole } = yield* firstPages(
    (query) => engine.listWorkflows({ active: true, ...query }),
    { limit: 100, pages: maxPages, isEnough: (taken) => taken > 0 },
    (page) => {
      seen += page.length
      return page
        .filter((other) => Predicate.isString(other.id) && other.id !== id)
        .flatMap((other) =>
          collisions({ id, nodes }, { id: String(other.id), nodes: runningNodes(other) }).map(
            ({ address, node, otherNode }) =>
              `${address} of node ${node} is taken by node ${otherNode} of workflow ${String(other.name)} (${String(other.id)}).`
          )
        )
    }
  )
  if (words.length > 0) return words.join(" ")
  return isWhole ? notSeen : `None of the first ${seen} active workflows that this key can list has the same address.`
})

const notSeen = "No active workflow that this key can list has the same address."

/** The nodes that listen: those of the published version, where the engine shows one. */
const runningNodes = ({ activeVersion, nodes }: JsonObject): Workflow["nodes"] => {
  const running = Predicate.hasProperty(activeVersion, "nodes") ? activeVersion.nodes : nodes
  return objectsOf(running)
}
