import { Cause, Clock, Effect, Exit, Fiber, Option, Struct } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { Caller } from "../../mcp/Caller.ts"
import type { EngineError } from "./EngineError.ts"
import type { After, Change, InstanceHistory, Listed } from "./History.ts"
import { isMissing } from "./isMissing.ts"
import type { Workflow, WorkflowId } from "./models.ts"
import type { restCalls } from "./restCalls.ts"
import { readTemporaryName } from "./temporaryName.ts"
import { makeWritesUnderWay } from "./writesUnderWay.ts"

type Client = ReturnType<typeof restCalls>

/** The same client, whose history gets every reading of workflows and every change of them. */
export const recording = (client: Client, history: InstanceHistory): Client => {
  if (!history.isKept) return client
  /** What exists for one run is nothing that anybody would want back. */
  const temporary = new Set<string>()
  const lasts = ({ id, name }: JsonObject) => {
    const isTemporary = readTemporaryName(name) !== undefined
    if (isTemporary) temporary.add(String(id))
    return !isTemporary
  }
  const writes = makeWritesUnderWay()

  /** Hands on what was read, but for what was being written meanwhile: that tells for itself what came of it. */
  const seen = <A>(
    self: Effect.Effect<A, EngineError>,
    workflowsIn: (answer: A) => ReadonlyArray<JsonObject>
  ): Effect.Effect<A, EngineError> =>
    Effect.suspend(() => {
      const since = writes.now()
      return Effect.tap(self, (answer) =>
        history.saw(workflowsIn(answer).filter((one) => lasts(one) && !writes.touchedSince(since, String(one.id))))
      )
    })

  const present = (seen: JsonObject): After => ({ _tag: "Present", seen })

  /** What became of a workflow whose change did not tell, unless another change has begun by then, which will. */
  const lookedUp = (id: WorkflowId) => {
    const since = writes.now()
    return Effect.match(client.getWorkflow(id), {
      onSuccess: (workflow) => (writes.touchedSince(since, id) ? unknown : present(workflow)),
      onFailure: (error) => (isMissing(error) && !writes.touchedSince(since, id) ? gone : unknown)
    })
  }

  const changing = Effect.fnUntraced(function* <A>(
    id: WorkflowId,
    change: Effect.Effect<A, EngineError>,
    {
      afterOf,
      isGone = history.saw([], [id]),
      ...told
    }: Pick<Change, "before" | "touched"> & {
      readonly afterOf: (answer: A) => Told
      /** What "not found" tells: that the workflow is not there, unless something else may be meant. */
      readonly isGone?: Effect.Effect<void>
    }
  ) {
    if (temporary.has(id)) return yield* change
    const origin = yield* Caller
    const isKnown = told.before !== undefined || (yield* history.knows(id))
    if (!isKnown) yield* Effect.ignore(Effect.tap(client.getWorkflow(id), (before) => history.saw([before])))
    return yield* writes.during(id, change).pipe(
      Effect.onExit((exit) =>
        Effect.gen(function* () {
          if (Exit.isFailure(exit)) {
            const error = failureOf(exit)
            if (error !== undefined && isMissing(error)) return yield* isGone
            if (error !== undefined && !mayHaveChanged(error, told.before)) return undefined
          }
          const { after, before = told.before } = Exit.isSuccess(exit) ? afterOf(exit.value) : {}
          return yield* history.wrote({
            ...told,
            before,
            origin,
            id,
            at: yield* Clock.currentTimeMillis,
            after: after === undefined ? Fiber.join(yield* Effect.forkDetach(lookedUp(id))) : Effect.succeed(after)
          })
        })
      )
    )
  })

  const activity = (id: WorkflowId, change: Effect.Effect<Workflow, EngineError>) =>
    changing(id, change, {
      touched: ["active", "activeVersionId"],
      afterOf: (answer) => ({ after: present(answer) })
    })

  /** Hands on a change of a tag or a credential: of its answer only what `history` keeps of such lists. */
  const listing = <A>(self: Effect.Effect<A, EngineError>, listed: (answer: A) => Listed | undefined) =>
    Effect.tap(
      self,
      Effect.fnUntraced(function* (answer) {
        const told = listed(answer)
        if (told !== undefined) yield* history.listed({ ...told, origin: yield* Caller })
      })
    )

  return {
    ...client,
    createTag: (name) => listing(client.createTag(name), (put) => ({ list: "tags", put })),
    updateTag: (id, name) => listing(client.updateTag(id, name), (put) => ({ list: "tags", put })),
    deleteTag: (id) => listing(client.deleteTag(id), () => ({ list: "tags", gone: id })),
    createCredential: (body) => listing(client.createCredential(body), (put) => ({ list: "credentials", put })),
    updateCredentialIfSupported: (id, body) =>
      listing(client.updateCredentialIfSupported(id, body), (answer) =>
        Option.isNone(answer) ? undefined : { list: "credentials", put: { ...answer.value, id } }
      ),
    deleteCredential: (id) => listing(client.deleteCredential(id), () => ({ list: "credentials", gone: id })),
    getWorkflow: (id) =>
      Effect.tapError(
        seen(client.getWorkflow(id), (workflow) => [workflow]),
        (error) => (isMissing(error) ? history.saw([], [id]) : Effect.void)
      ),
    listWorkflows: (query, selection) =>
      seen(client.listWorkflows(query, selection), ({ data }) =>
        data.filter(isWhole).map((item) => (query.excludePinnedData === true ? Struct.omit(item, ["pinData"]) : item))
      ),
    createWorkflow: (creation) =>
      Effect.tap(
        client.createWorkflow(creation),
        Effect.fnUntraced(function* ({ workflow }) {
          if (!lasts(workflow)) return
          // Older engines leave the tags out of this answer: a new workflow has none.
          const after = Effect.succeed(present({ tags: [], ...workflow }))
          yield* history.wrote({ origin: yield* Caller, id: workflow.id, at: yield* Clock.currentTimeMillis, after })
        })
      ),
    updateWorkflow: (current, changes) =>
      changing(current.id, client.updateWorkflow(current, changes), {
        before: current,
        afterOf: ({ workflow }) => ({ after: present(workflow) })
      }),
    deleteWorkflow: (id) =>
      Effect.tap(changing(id, client.deleteWorkflow(id), { afterOf: (before) => ({ before, after: gone }) }), () =>
        Effect.sync(() => temporary.delete(id))
      ),
    archiveWorkflowIfSupported: (id, archived) =>
      changing(id, client.archiveWorkflowIfSupported(id, archived), {
        touched: ["active", "activeVersionId", "isArchived"],
        afterOf: (answer) =>
          Option.match(answer, { onNone: () => ({ after: unknown }), onSome: (now) => ({ after: present(now) }) })
      }),
    activateWorkflow: (id) => activity(id, client.activateWorkflow(id)),
    deactivateWorkflow: (id) => activity(id, client.deactivateWorkflow(id)),
    setWorkflowTags: (id, tags) =>
      changing(id, client.setWorkflowTags(id, tags), {
        // It may be a tag that is not there.
        isGone: Effect.matchEffect(client.getWorkflow(id), {
          onSuccess: () => Effect.void,
          onFailure: (error) => (isMissing(error) ? history.saw([], [id]) : Effect.void)
        }),
        touched: ["tags"],
        afterOf: (answer) => (Array.isArray(answer) ? { after: present({ id, tags: answer }) } : {})
      })
  }
}

const unknown: After = { _tag: "Unknown" }
const gone: After = { _tag: "Deleted" }

/** Whether a list shows a workflow with all that it does: of a large page, much of it may be left out. */
const isWhole = ({ connections, nodes }: JsonObject): boolean =>
  isJsonObject(connections) &&
  Array.isArray(nodes) &&
  nodes.every((node: unknown) => isJsonObject(node) && node.parameters !== null)

/** What the answer to a change tells; what it leaves out is looked up. */
interface Told {
  readonly before?: JsonObject
  readonly after?: After
}

const failureOf = (exit: Exit.Failure<unknown, EngineError>): EngineError | undefined =>
  exit.cause.reasons.find(Cause.isFailReason)?.error

/** Whether a change that failed may have changed something: engines save an active workflow before they refuse to run it. */
const mayHaveChanged = (error: EngineError, before: JsonObject | undefined): boolean =>
  error._tag === "OutcomeUnknown" ||
  (error._tag === "Timeout" && error.outcomeUnknownOf !== undefined) ||
  (error._tag === "ApiError" && before?.active === true)
