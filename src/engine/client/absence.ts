import { Context, Effect, type Option, Result } from "effect"
import { encode as encodeBase64 } from "effect/encoding/Base64"

import { only, type Selection } from "../../internal/json/Selection.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type {
  Execution,
  ExecutionId,
  ExecutionQuery,
  Page,
  Workflow,
  WorkflowId,
  WorkflowQuery
} from "../workflow/models.ts"
import { type EngineError, ForeignAnswer } from "./EngineError.ts"
import { isMissing } from "./isMissing.ts"
import { endless } from "./listAll.ts"

/** Workflows that do not exist, and what should be said of the proof. */
export interface ProvenAbsent {
  readonly absent: ReadonlySet<string>
  /** The reason for which it is less certain than usual. */
  readonly caveat?: string
}

/** Workflows by their ids, and those that do not exist. */
interface ReadWorkflows extends ProvenAbsent {
  readonly workflows: ReadonlyMap<string, Workflow>
}

interface WorkflowReads {
  readonly instance: string
  readonly getWorkflow: (id: WorkflowId) => Effect.Effect<Workflow, EngineError>
  readonly listWorkflows: (query: WorkflowQuery, selection?: Selection) => Effect.Effect<Page<JsonObject>, EngineError>
}

/** Whether the caller itself asks for proof of what is missing, so that single readings need not. */
export const ProvesAbsence = Context.Reference<boolean>("workflow-tool-server/engine/ProvesAbsence", {
  defaultValue: () => false
})

/** Reads at the same time, on one engine. */
const atOnce = 5

const onlyIds = only({ id: "whole" })

/**
 * Proves that workflows, of which the engine has said "not found" once, do not exist: one list of all that the key may see lacks
 * them. A key that may not list them is told "not found" a second time instead. One that is there after all is not among the
 * absent ones; an answer that proves neither is an error.
 */
export const proveAbsence = Effect.fnUntraced(function* (
  reads: WorkflowReads,
  ids: ReadonlyArray<WorkflowId>
): Effect.fn.Return<ProvenAbsent, EngineError> {
  const { instance } = reads
  const listed = yield* Effect.result(listedIds(reads))
  if (Result.isFailure(listed)) {
    if (listed.failure._tag !== "PermissionDenied") return yield* listed.failure
    const { absent } = yield* readEach(reads, ids)
    return absent.size === 0 ? { absent } : { absent, caveat: mayNotList(instance, absent) }
  }
  const contradicted = ids.filter((id) => listed.success.has(id))
  const { absent: still } = yield* readEach(reads, contradicted)
  const [id] = still
  if (id !== undefined) return yield* contradiction(instance, `workflow ${id}`)
  return { absent: new Set<string>(ids.filter((id) => !listed.success.has(id))) }
})

const mayNotList = (instance: string, absent: ReadonlySet<string>): string =>
  `The key of instance ${instance} may not list workflows: that ${[...absent].join(", ")} ${absent.size === 1 ? "does" : "do"} ` +
  'not exist is known only from two answers "not found", and from no list.'

/** An instance says of something that it is not there, and shows it all the same. */
const contradiction = (instance: string, what: string) =>
  new ForeignAnswer({
    instance,
    httpStatus: 404,
    kind: "other JSON",
    problem:
      `instance ${instance} answers "not found" for ${what}, and shows it all the same: whether it exists is not known, and ` +
      "nothing was made of it. Look at what is in front of the engine, and try again in a moment",
    apiResponse: null
  })

interface ExecutionReads {
  readonly instance: string
  readonly getExecution: (id: ExecutionId, includeData: boolean) => Effect.Effect<Execution, EngineError>
  readonly listExecutions: (query: ExecutionQuery) => Effect.Effect<Page<Execution>, EngineError>
}

/**
 * Proves that an execution, of which the engine has said "not found" once, does not exist: it says so again, and the list from
 * there on lacks it. Engines list executions by their ids, and their cursors begin below one. Fails if nothing is proven.
 */
export const proveExecutionAbsent = Effect.fnUntraced(function* (
  { getExecution, instance, listExecutions }: ExecutionReads,
  id: ExecutionId
): Effect.fn.Return<void, EngineError> {
  const again = yield* Effect.result(getExecution(id, false))
  if (Result.isFailure(again) && !isMissing(again.failure)) return yield* again.failure
  const cursor = encodeBase64(JSON.stringify({ lastId: `${id + 1}`, limit: 1 }))
  const isListed = (yield* listExecutions({ cursor, limit: 1 })).data.some((one) => one.id === id)
  const isThere = isListed || Result.isSuccess(again)
  return yield* isThere ? Effect.fail(contradiction(instance, `execution ${id}`)) : Effect.void
})

/** Reads workflows one by one; what the engine says of each. */
const readEach = Effect.fnUntraced(function* (
  reads: Pick<WorkflowReads, "getWorkflow">,
  ids: ReadonlyArray<WorkflowId>
) {
  const absent = new Set<WorkflowId>()
  const workflows = new Map<string, Workflow>()
  const readOne = (id: WorkflowId) =>
    Effect.matchEffect(reads.getWorkflow(id), {
      onSuccess: (workflow) => Effect.sync(() => workflows.set(id, workflow)),
      onFailure: (error) => (isMissing(error) ? Effect.sync(() => absent.add(id)) : Effect.fail(error))
    })
  yield* Effect.forEach(new Set(ids), readOne, { concurrency: atOnce, discard: true })
  return { absent, workflows }
})

/** The ids on all pages; fails where it cannot be told that these are all. */
const listedIds = Effect.fnUntraced(function* ({ instance, listWorkflows }: WorkflowReads) {
  const ids = new Set<string>()
  const cursors = new Set<string>()
  let query: WorkflowQuery = { limit: 250, excludePinnedData: true }
  while (true) {
    const { data, nextCursor: cursor } = yield* listWorkflows(query, onlyIds)
    for (const { id } of data) ids.add(String(id))
    if (cursor === null) return ids
    if (cursor === undefined || cursor === "" || cursors.has(cursor)) return yield* endless(instance)
    cursors.add(cursor)
    query = { ...query, cursor }
  }
})

/** Reads these workflows of an engine; those that it does not have are proven to be absent, all by one list. */
export const readWorkflows = Effect.fnUntraced(function* (
  engine: Pick<WorkflowReads, "getWorkflow"> & {
    readonly provenAbsent: (ids: ReadonlyArray<WorkflowId>) => Effect.Effect<ProvenAbsent, EngineError>
  },
  ids: ReadonlyArray<WorkflowId>
): Effect.fn.Return<ReadWorkflows, EngineError> {
  const { absent, workflows } = yield* Effect.provideService(readEach(engine, ids), ProvesAbsence, true)
  if (absent.size === 0) return { workflows, absent }
  const proven = yield* engine.provenAbsent([...absent])
  const back = [...absent].filter((id) => !proven.absent.has(id))
  if (back.length === 0) return { ...proven, workflows }
  const again = yield* Effect.forEach(back, engine.getWorkflow, { concurrency: atOnce })
  return { ...proven, workflows: new Map([...workflows, ...again.map((one) => [one.id, one] as const)]) }
})

/** None where an engine has taken `history` for the name of a version: it shows single versions there, and lists none. */
export const unlessTakenForVersion = <A>(listed: Effect.Effect<Option.Option<A>, EngineError>) =>
  Effect.catchIf(
    listed,
    (error) => error._tag === "ApiError" && error.problem === "Unknown query parameter 'limit'",
    () => Effect.succeedNone
  )
