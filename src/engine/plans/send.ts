import { Effect, Option } from "effect"

import type { Sent } from "../../changes/Driver.ts"
import { removals } from "../client/body.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { ApiError, type EngineError, OutcomeUnknown, WorkflowChanged } from "../client/EngineError.ts"
import { isMissing } from "../client/isMissing.ts"
import { listWhole } from "../client/listAll.ts"
import { isDoubtful } from "../client/verdict.ts"
import { isConcurrentWrite, overwritten } from "../tools/workflows/concurrentWrites.ts"
import { eraseWorkflow } from "../tools/workflows/delete.ts"
import { switchOn } from "../tools/workflows/switchOn.ts"
import { ExecutionId, generationOf, TagId, type Workflow, WorkflowId } from "../workflow/models.ts"
import { sendCall } from "./call/callState.ts"
import type { Change, ChangeOf, Content, Ref } from "./Change.ts"
import { contentOf, differingParts, shownFor } from "./content.ts"
import { unknownIn } from "./credentials.ts"
import { changedParts, judgementOf, removedSettings } from "./judgement.ts"
import { sendRetry } from "./retry/sendRetry.ts"
import { sendTable } from "./tables/sendTable.ts"

type Client = EngineClient["Service"]

/** Executions deleted at the same time: the pace of the instance holds for them, too. */
const atOnce = 8

/** Sends changes of one batch, which are all of one kind and for one instance. */
export const send = Effect.fnUntraced(function* (
  client: Client,
  changes: ReadonlyArray<Change>
): Effect.fn.Return<Sent<Change>, EngineError> {
  const [first] = changes
  if (first === undefined) return { refused: [] }
  if (first.kind !== "delete-execution") return { refused: [], ...(yield* clearly(client, carryOut(client, first))) }
  const deletions = changes.filter((change) => change.kind === "delete-execution")
  const outcomes = yield* Effect.forEach(deletions, (change) => deleteExecution(client, change), {
    concurrency: atOnce
  })
  return { refused: outcomes.flatMap((refused) => (refused === undefined ? [] : [refused])) }
})

/** After an internal error of the engine, or an answer that need not be its own, the outcome of a write is unknown. */
const clearly = <A>({ instance }: Client, write: Effect.Effect<A, EngineError>) =>
  Effect.catchTags(write, {
    ApiError: (error): Effect.Effect<A, EngineError> =>
      error.httpStatus >= 500 || isDoubtful(error.httpStatus, error.apiResponse)
        ? new OutcomeUnknown({ instance, operation: "change", problem: error.problem })
        : error,
    ForeignAnswer: (error): Effect.Effect<A, EngineError> =>
      turnedAway.has(error.httpStatus)
        ? error
        : new OutcomeUnknown({ instance, operation: "change", problem: error.problem })
  })

/** The statuses of whoever lets a request no further: it lacks a login or a right, is too large, or one too many. */
const turnedAway = new Set([301, 302, 303, 307, 308, 401, 403, 407, 413, 414, 429, 431])

type Made = Omit<Sent<Change>, "refused">

const carryOut = (client: Client, change: Change): Effect.Effect<Made, EngineError> => {
  switch (change.kind) {
    case "create":
      return create(client, change)
    case "create-tag":
      return Effect.map(client.createTag(change.name), ({ id }) => ({ created: id }))
    case "delete-tag":
      return deleteTag(client, TagId.make(idOf(change.tag)))
    case "retry":
    case "run-anew":
      return sendRetry(client, change)
    case "call":
      return sendCall(client, change)
    case "table":
      return sendTable(client, change)
    case "delete-execution":
      return Effect.as(client.deleteExecution(ExecutionId.make(change.execution)), {})
    default: {
      const id = WorkflowId.make(idOf(change.workflow))
      return client.exclusively(id, onWorkflow(client, id, change))
    }
  }
}

/** Creates a workflow, and deletes it again if the engine lacks a credential that could not be checked before. */
const create = Effect.fnUntraced(function* (client: Client, { content, folder }: ChangeOf<"create">) {
  const place = folder === undefined ? {} : { parentFolderId: idOf(folder) }
  const { workflow } = yield* client.createWorkflow({ ...creationOf(content), ...place })
  const problem =
    credentialProblem(client, content.nodes, workflow) ?? (yield* descriptionProblem(client, content, workflow))
  if (problem === undefined) return { created: workflow.id }
  yield* Effect.mapError(
    client.deleteWorkflow(workflow.id),
    (error) =>
      new OutcomeUnknown({
        instance: client.instance,
        operation: "create workflow",
        problem: `${problem.message}; workflow ${workflow.id} could not be deleted again: ${error.message}`
      })
  )
  return yield* problem
})

/** Engines take the description of a workflow that is there, and of no new one. Answers why this one did not. */
const descriptionProblem = (client: Client, { description = "" }: Content, workflow: Workflow) =>
  description === "" || generationOf(workflow) === "1.x"
    ? Effect.undefined
    : Effect.match(client.updateWorkflow(workflow, { description }), {
        onSuccess: () => undefined,
        onFailure: (error) => error
      })

/** The reason for which written nodes cannot work: a credential that was given only by its id does not exist. */
const credentialProblem = ({ instance }: Client, wanted: Content["nodes"], { nodes }: Workflow) => {
  const written = unknownIn(wanted)
  const missing = unknownIn(nodes).filter((one) => written.includes(one))
  return missing.length === 0
    ? undefined
    : new ApiError({
        instance,
        httpStatus: 404,
        problem: `${instance} has no credential ${missing.join(", ")}, so that nothing was kept`,
        apiResponse: null
      })
}

const noArchive = ({ instance }: Client) =>
  new ApiError({
    instance,
    httpStatus: 404,
    problem: `the engine of ${instance} archives no workflows`,
    apiResponse: null
  })

/** Changes are resolved before they are sent, so that every reference is an id. */
const idOf = (ref: Ref): string => (typeof ref === "string" ? ref : "")

const onWorkflow = (
  client: Client,
  id: WorkflowId,
  change: ChangeOf<"active" | "archived" | "delete" | "tags" | "update">
): Effect.Effect<Made, EngineError> => {
  switch (change.kind) {
    case "update":
      return whilePending(client, id, change, (current) => update(client, current, change))
    case "tags":
      return whilePending(client, id, change, () =>
        Effect.as(
          client.setWorkflowTags(
            id,
            change.after.map((tag) => TagId.make(idOf(tag)))
          ),
          {}
        )
      )
    case "active":
      return Effect.as(
        change.after ? Effect.provideService(switchOn(id), EngineClient, client) : client.deactivateWorkflow(id),
        {}
      )
    case "archived":
      return Effect.flatMap(client.archiveWorkflowIfSupported(id, change.after), (done) =>
        Option.isSome(done) ? Effect.succeed({}) : Effect.fail(noArchive(client))
      )
    default:
      return whilePending(client, id, change, () =>
        Effect.as(Effect.provideService(eraseWorkflow(id), EngineClient, client), {})
      ).pipe(Effect.catchIf(isMissing, (error) => alreadyDeleted(client, id, error)))
  }
}

/**
 * Reads a workflow once more before it is written. Somebody may have changed it since its batch was read; and what a server
 * sent that died before the answer may have arrived only now, so that nothing is left to do.
 */
const whilePending = Effect.fnUntraced(function* (
  client: Client,
  id: WorkflowId,
  change: ChangeOf<"delete" | "tags" | "update">,
  write: (current: Workflow) => Effect.Effect<Made, EngineError>
) {
  const current = yield* client.getWorkflow(id)
  const judgement = judgementOf(change, current)
  if (judgement === "already") return {}
  if (judgement === "pending") return yield* write(current)
  const { instance } = client
  return yield* new WorkflowChanged({ instance, id, changed: changedParts(change, current), since: "meanwhile" })
})

/** A workflow that was deleted meanwhile is as wanted, once that is proven. */
const alreadyDeleted = Effect.fnUntraced(function* (client: Client, id: WorkflowId, error: ApiError) {
  const { absent, ...proof } = yield* client.provenAbsent([id])
  return absent.has(id) ? proof : yield* thereAfterAll(error)
})

/** The same of a tag. */
const deleteTag = (client: Client, id: TagId): Effect.Effect<Made, EngineError> =>
  Effect.as(client.deleteTag(id), {}).pipe(
    Effect.catchIf(isMissing, (error) =>
      Effect.flatMap(listWhole(client, client.listTags), (tags) =>
        tags.some((tag) => tag.id === id) ? Effect.fail(thereAfterAll(error)) : Effect.succeed({})
      )
    )
  )

const thereAfterAll = ({ instance, problem }: ApiError) =>
  new OutcomeUnknown({ instance, operation: "deletion", problem: `${problem}; and then it was shown all the same` })

const creationOf = ({ connections, name, nodeGroups, nodes, pinData, settings, staticData }: Content) => ({
  name,
  nodes,
  connections,
  settings,
  staticData,
  pinData,
  nodeGroups
})

const update = Effect.fnUntraced(function* (client: Client, current: Workflow, change: ChangeOf<"update">) {
  const checked = Effect.flatMap(write(client, current, change), ({ workflow }) => {
    const problem = credentialProblem(client, change.after.nodes, workflow)
    return problem === undefined ? Effect.succeed(workflow) : Effect.fail(problem)
  })
  const written = yield* Effect.catchTag(checked, "ApiError", (error) => revert(client, current, change, error))
  if (!isConcurrentWrite(current, written, change.after)) return {}
  const lost = yield* Effect.provideService(overwritten(current, written), EngineClient, client)
  return { caveat: `Workflow ${current.id} on ${client.instance}: ${lost}` }
})

const write = (client: Client, current: Workflow, change: ChangeOf<"update">) => {
  const { connections, description, name, nodeGroups, nodes, pinData, settings } = change.after
  const gone = removedSettings(change, current)
  const kept = Object.entries(contentOf(current).settings).filter(([field]) => !gone.includes(field))
  const defaults =
    generationOf(current) === "2.x" ? Object.fromEntries(gone.map((field) => [field, removals[field]])) : {}
  return client.updateWorkflow(
    { ...current, settings: Object.fromEntries(kept) },
    { name, nodes, connections, settings: { ...defaults, ...settings }, nodeGroups, pinData, description }
  )
}

/** Engines save a change of an active workflow even if they refuse to run it: the former content is then restored. */
const revert = Effect.fnUntraced(function* (
  client: Client,
  before: Workflow,
  change: ChangeOf<"update">,
  error: ApiError
) {
  // Whether it was saved is unknown as long as it cannot be read.
  const now = yield* Effect.mapError(
    client.getWorkflow(before.id),
    (unread) =>
      new OutcomeUnknown({
        instance: client.instance,
        operation: "update workflow",
        problem: `${error.problem}; and then: ${unread.message}`
      })
  )
  const content = shownFor(change.after, before)
  const saved = shownFor(change.after, now)
  if (differingParts(content, saved).length === 0) return yield* error
  const back = { ...change, before: saved, after: content }
  yield* Effect.catch(
    write(client, now, back),
    Effect.fnUntraced(function* (again) {
      // What was there may be refused as well, and is saved all the same.
      const then = again._tag === "ApiError" ? yield* client.getWorkflow(before.id) : now
      yield* differingParts(content, shownFor(change.after, then)).length === 0
        ? Effect.void
        : Effect.fail(
            new OutcomeUnknown({
              instance: client.instance,
              operation: "update workflow",
              problem: `${error.problem}; it was saved all the same, and could not be put back: ${again.message}`
            })
          )
    })
  )
  return yield* error
})

/** An execution that no longer exists counts as deleted, once that is proven. */
const deleteExecution = (client: Client, change: ChangeOf<"delete-execution">) =>
  clearly(client, carryOut(client, change)).pipe(
    Effect.as(undefined),
    Effect.catchIf(isMissing, () =>
      Effect.as(client.provenExecutionAbsent(ExecutionId.make(change.execution)), undefined)
    ),
    Effect.catchTag("ApiError", (error) => Effect.succeed({ change, reason: error.message }))
  )
