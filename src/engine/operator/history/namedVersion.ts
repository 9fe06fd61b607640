import { Effect, Option, Predicate, Result, Schema } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { listed } from "../../../internal/foreignText.ts"
import { fields } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { optional } from "../../../mcp/parameters.ts"
import { InvalidArgument, type ToolError } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import type { Version } from "../../client/History.ts"
import { undone } from "../../history/undoing.ts"
import { ExecutionId, VersionId, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { unsupportedReason, unsupportedText } from "../routeSupport.ts"
import { contentOf, engineVersions, previousEngineVersion } from "./engineVersions.ts"
import { nothingKept, unreadable } from "./historyErrors.ts"
import { ranAs } from "./ranAs.ts"

/** A former version of a workflow: what `workflow_history` lists, and whatever else has a name. */
export interface NamedVersion {
  readonly content: JsonObject
  /** Whether all of the workflow is in it, as in the history; else nodes and connections, and what a run shows beside them. */
  readonly isWhole: boolean
  /** Whether an engine has put in what its nodes leave out, as it does with what it runs. */
  readonly isFilled: boolean
  /** Its description in a line. */
  readonly named: string
  /** The fields that an answer has of it. */
  readonly head: JsonObject
}

/** This engine cannot show a version; the guidance names another way. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { guidance: Schema.String }) {}

/** The reasons for which a version cannot be shown. */
export type VersionFailure = EngineError | InvalidArgument | ToolError | Unavailable

/** The argument that names a version. */
export const versionArgument = (description: string) =>
  optional(
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9_-]{1,128}\^?$/, {
        message: "must be a `version` of workflow_history, an execution's id, previous, published or current"
      })
    ).annotate({ description })
  )

/** Changes of one call that are undone together at most. */
const mostOfOneCall = 20

/**
 * The workflow in a version: one of the history (`^`: before it) or of the engine's own, an execution as it ran, what is
 * published, or what was there before the last change. A workflow that is gone has those of the history and of executions.
 */
export const namedVersion = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string,
  current: Workflow | undefined,
  argument = "version"
): Effect.fn.Return<NamedVersion, VersionFailure, EngineClient> {
  const { history } = yield* EngineClient
  yield* history.flushed
  if (version === "previous") return yield* beforeLastChange(id, current)
  if (version === "published" && current !== undefined) return yield* published(current, argument)
  const execution = executionIn(version)
  if (Option.isSome(execution)) return yield* executed(id, execution.value, argument)
  if (isOfHistory(version)) return history.isKept ? yield* recorded(id, version, argument) : yield* nothingKept(id)
  const engineVersion = decodeVersionId(version.replace("^", ""))
  if (Option.isNone(engineVersion) || current === undefined) return yield* noVersion(id, argument)
  if (!version.endsWith("^")) return yield* saved(id, engineVersion.value)
  const former = yield* versionBefore(id, engineVersion.value, argument)
  return former === undefined ? yield* nothingBefore(id, argument) : yield* saved(id, former)
})

const noVersion = (id: WorkflowId, argument: string) =>
  new InvalidArgument({
    argument,
    problem: `is no version of workflow ${id}`,
    advice: ": workflow_history lists its versions"
  })

const nothingBefore = (id: WorkflowId, argument: string) =>
  new InvalidArgument({
    argument,
    problem: `is where workflow ${id} begins here: there is nothing before it to go back to`
  })

/** The version that the engine lists before one of its own; undefined for its oldest. */
const versionBefore = Effect.fnUntraced(function* (id: WorkflowId, version: VersionId, argument: string) {
  const { versions } = yield* engineVersions(id)
  const place = versions.findIndex(({ versionId }) => versionId === version)
  return place === -1 ? yield* noVersion(id, argument) : versions[place + 1]?.versionId
})

const decodeVersionId = Schema.decodeUnknownOption(VersionId)
const decodeExecutionId = Schema.decodeUnknownOption(ExecutionId)

/** The execution that a version names: `execution-14`, or `14`. A version of the history has more digits. */
const executionIn = (version: string): Option.Option<ExecutionId> =>
  decodeExecutionId(Number(/^(?:execution-)?(\d{1,10})$/.exec(version)?.[1]))

const isOfHistory = (version: string): boolean => /^[0-9a-f]{7,64}\^?$/.test(version)

const beforeLastChange = Effect.fnUntraced(function* (
  id: WorkflowId,
  current: Workflow | undefined
): Effect.fn.Return<NamedVersion, VersionFailure, EngineClient> {
  const { history } = yield* EngineClient
  const { data } = yield* Effect.mapError(history.versions(id, { limit: mostOfOneCall }), unreadable)
  const [last] = data
  if (last !== undefined) {
    const { by, change, version, when } = firstOfCall(data, last)
    const content = yield* Effect.mapError(history.read(id, version, "before"), unreadable)
    const named = `before ${version} (${by}, ${when}: ${change})`
    if (content !== undefined)
      return { content, isWhole: true, isFilled: false, named, head: { version: `${version}^` } }
  }
  const former = current === undefined ? undefined : yield* previousEngineVersion(current)
  if (former !== undefined) return yield* saved(id, former)
  if (!history.isKept) {
    const lack = current === undefined ? undefined : yield* unsupportedReason(listRoute)
    return lack === undefined ? yield* nothingKept(id) : yield* new Unavailable({ guidance: lack })
  }
  return yield* new InvalidArgument({
    argument: "id",
    problem: `names a workflow with nothing to undo: nothing is known of what ${id} was before`
  })
})

/** One call of a tool may have made several changes: they are undone together. */
const firstOfCall = (versions: ReadonlyArray<Version>, last: Version): Version => {
  if (last.call === undefined) return last
  const end = versions.findIndex(({ call }) => call !== last.call)
  return versions[(end === -1 ? versions.length : end) - 1] ?? last
}

const published = ({ active, activeVersion, connections, id, nodes }: Workflow, argument: string) => {
  const named = "what is published"
  if (isJsonObject(activeVersion)) {
    const { connections, nodes, versionId } = activeVersion
    const content = { nodes, connections }
    return Effect.succeed<NamedVersion>({
      content,
      isWhole: false,
      isFilled: false,
      named,
      head: { version: versionId }
    })
  }
  return active
    ? Effect.succeed<NamedVersion>({
        content: { nodes, connections },
        isWhole: false,
        isFilled: false,
        named,
        head: {}
      })
    : Effect.fail(new InvalidArgument({ argument, problem: `workflow ${id} is not published: nothing of it runs` }))
}

const recorded = Effect.fnUntraced(function* (id: WorkflowId, version: string, argument: string) {
  const { history } = yield* EngineClient
  const side = version.endsWith("^") ? "before" : "after"
  const content = yield* Effect.mapError(history.read(id, version.replace("^", ""), side), unreadable)
  if (content === undefined && side === "before") return yield* nothingBefore(id, argument)
  if (content === undefined) {
    return yield* new InvalidArgument({
      argument,
      problem: `names a moment when workflow ${id} did not exist`,
      advice: ": give one from workflow_history before its deletion"
    })
  }
  return { content, isWhole: true, isFilled: false, named: version, head: { version } } satisfies NamedVersion
})

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
  call: "GET /workflows/{workflowId}/{versionId}",
  scope: "workflow:read",
  since: "1.123.0",
  movedTo: "GET /workflows/{workflowId}/versions/{workflowVersionId}",
  verb: "show versions of a workflow",
  instead
}

/** A version of the engine's own, which holds nodes and connections. */
const saved = Effect.fnUntraced(function* (id: WorkflowId, version: VersionId) {
  const lack = yield* unsupportedReason(readRoute)
  if (lack !== undefined) return yield* new Unavailable({ guidance: lack })
  const read = yield* EngineClient.use((engine) => engine.getVersionIfSupported(id, version))
  if (Option.isNone(read)) return yield* new Unavailable({ guidance: unsupportedText(readRoute) })
  const { connections, createdAt, nodeGroups, nodes } = read.value
  return {
    content: { nodes, connections, ...(nodeGroups === undefined ? {} : { nodeGroups }) },
    isWhole: false,
    isFilled: false,
    named: `the engine's own version ${version}`,
    head: { version, savedAt: createdAt }
  } satisfies NamedVersion
})

/** Selects the workflow of an execution, without its data. */
const workflowAlone = fields({ data: "nothing", workflowData: fields({ pinData: "nothing", staticData: "nothing" }) })

/** The workflow that an execution ran: its version where the engine still has it, else the copy that the execution holds. */
const executed = Effect.fnUntraced(function* (
  id: WorkflowId,
  execution: ExecutionId,
  argument: string
): Effect.fn.Return<NamedVersion, VersionFailure, EngineClient> {
  const { startedAt, workflowData, workflowId, workflowVersionId } = yield* EngineClient.use((engine) =>
    engine.getExecution(execution, true, workflowAlone)
  )
  if (Predicate.isString(workflowId) && workflowId !== id) {
    const problem = `execution ${execution} is one of workflow ${workflowId}, not of ${id}`
    return yield* new InvalidArgument({ argument, problem })
  }
  const named = `execution ${execution} of ${String(startedAt)}`
  const head = { execution, ranAt: startedAt }
  const version = decodeVersionId(workflowVersionId)
  if (Option.isSome(version)) {
    const kept = yield* Effect.result(saved(id, version.value))
    const isWhatRan = Result.isSuccess(kept) && (yield* inSlices(() => ranAs(kept.success.content, workflowData)))
    if (isWhatRan) return { ...kept.success, named, head }
  }
  if (!isJsonObject(workflowData) || nodesOf(workflowData).length === 0) {
    const problem = `execution ${execution} does not show workflow ${id} as it ran`
    const advice = ": list_executions with its workflowId has those that do"
    return yield* new InvalidArgument({ argument, problem, advice })
  }
  const { connections, name, nodes, settings } = workflowData
  const content = { name, nodes, connections, ...(settings === undefined ? {} : { settings }) }
  return { content, isWhole: false, isFilled: true, named, head }
})

/** The workflow as a version has it, and for all that the version does not hold as it is now. */
export const recordIn = ({ content, isWhole }: NamedVersion, current: Workflow | undefined): JsonObject => {
  if (current === undefined || isWhole) return content
  const { connections, nodeGroups, nodes } = content
  return { ...current, nodes, connections, ...(nodeGroups === undefined ? {} : { nodeGroups }) }
}

/** The workflow before and after the change that a version stands for, in the history or of the engine's own. */
const changeIn = Effect.fnUntraced(function* (id: WorkflowId, version: string) {
  const { history } = yield* EngineClient
  const engineVersion = isOfHistory(version) ? Option.none() : decodeVersionId(version)
  if (Option.isNone(engineVersion)) {
    if (!history.isKept) return yield* nothingKept(id)
    const read = (side: "after" | "before") => Effect.mapError(history.read(id, version, side), unreadable)
    return { before: yield* read("before"), after: yield* read("after") }
  }
  if (version === "published" || Option.isSome(executionIn(version))) {
    const problem = "names no change that could be undone, but what ran: bring it back without undo"
    return yield* new InvalidArgument({ argument: "version", problem })
  }
  const former = yield* versionBefore(id, engineVersion.value, "version")
  return {
    before: former === undefined ? undefined : yield* contentOf(id, former),
    after: yield* contentOf(id, engineVersion.value)
  }
})

/** Places that a refusal names. */
const mostConflicts = 10

/** The workflow as it is now without the change that a version stands for; a deletion is taken back whole. */
export const withoutChange = Effect.fnUntraced(function* (
  id: WorkflowId,
  version: string,
  current: Workflow | undefined
) {
  yield* EngineClient.use(({ history }) => history.flushed)
  const { after, before } = yield* changeIn(id, version)
  const refused = (problem: string) => new InvalidArgument({ argument: "version", problem })
  if (before === undefined) return yield* nothingBefore(id, "version")
  if (after === undefined || current === undefined) return { record: before, named: `before ${version}` }
  const { conflicts, record } = undone(current, { before, after })
  if (conflicts.length > 0) {
    return yield* refused(
      `cannot be undone alone, for this was changed again since: ${listed(conflicts, mostConflicts)}. Undo the later change ` +
        "first, or restore a version as a whole, without undo"
    )
  }
  return { record, named: `without the change ${version}` }
})
