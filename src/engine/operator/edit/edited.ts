import { Effect, Result, Schema } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { masksIn, maskStandsForSecret, orWhereRead } from "../../../internal/secrets/maskSecrets.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { type Changes, removals, takenAway } from "../../client/body.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { generationOf, type Workflow, type WorkflowId } from "../../workflow/models.ts"
import { isSameJson } from "../../workflow/versions.ts"
import { applyOperations, type EditProblem } from "./applyOperations.ts"
import { lookUp } from "./lookUp.ts"
import { type Operation, operationSchema, readOperation } from "./Operation.ts"

const atLeastOne = "must hold at least one operation"

/** The argument of tools that also take an empty list of operations. */
export const anyOperations = Schema.Array(JsonObject).annotate({ inputSchema: operationSchema })

/** The refusal of a call without operations. */
export const noOperations = new InvalidArgument({ argument: "operations", problem: atLeastOne })

/** The argument of every tool that takes operations; `readOperations` reads it. */
export const operationsArgument = Schema.Array(JsonObject)
  .check(Schema.makeFilter((operations) => operations.length > 0 || atLeastOne))
  .annotate({ inputSchema: operationSchema })

/** The refusal of operations, before anything is sent. */
const refusal = ({ operation, problem }: EditProblem) =>
  new InvalidArgument({
    argument: operation === undefined ? "operations" : `operations[${operation}]`,
    problem: `${problem}. Nothing was changed`.replace(/([.?!])\. Nothing/, "$1 Nothing")
  })

/**
 * Reads operations as a caller gives them. Masks are only accepted in `find`, and in `set` with the version that they were
 * read from.
 */
export const readOperations = (given: ReadonlyArray<JsonObject>, ifVersion?: string) =>
  Effect.forEach(given, (one, place): Effect.Effect<Operation, InvalidArgument> =>
    Effect.fromResult(
      Result.mapError(
        Result.filterOrFail(readOperation(one), writesNoMask(ifVersion !== undefined), () => problemOfMasks),
        (problem) => refusal({ operation: place, problem })
      )
    )
  )

/** Views of workflows mask secrets, and what is taken from one may hold some of that. */
const writesNoMask =
  (isOfVersion: boolean) =>
  (operation: Operation): boolean =>
    (isOfVersion && operation.op === "set") ||
    Object.entries(operation).every(([field, given]) => field === "find" || masksIn(given) === 0)

const problemOfMasks = `${maskStandsForSecret}${orWhereRead}`

/** A workflow as operations make it, with the facts that were looked up on its instance; nothing is written. */
export const editedBy = Effect.fnUntraced(function* (workflow: Workflow, operations: ReadonlyArray<Operation>) {
  const lookups = yield* lookUp(workflow, operations)
  const applied = yield* inSlices(() => applyOperations(workflow, operations, lookups))
  const edited = yield* Effect.fromResult(Result.mapError(applied, refusal))
  return { edited, lookups }
})

/** The fields of a workflow that are others now. */
export const changesOf = (before: Workflow, after: Workflow): Changes => {
  const isNew = (field: keyof Changes) => after[field] !== before[field] && !isSameJson(after[field], before[field])
  return {
    ...(isNew("name") ? { name: after.name } : {}),
    ...(isNew("nodes") ? { nodes: after.nodes } : {}),
    ...(isNew("connections") ? { connections: after.connections } : {}),
    ...(isNew("settings") ? { settings: settingsOver(before, after) } : {}),
    ...(isNew("pinData") ? { pinData: after.pinData } : {}),
    ...(isNew("staticData") ? { staticData: after.staticData } : {}),
    ...(isNew("nodeGroups") ? { nodeGroups: after.nodeGroups } : {})
  }
}

/** The settings that are others now, and for those that are to go nothing, or the value that removes them. */
const settingsOver = (before: Workflow, after: Workflow): JsonObject => ({
  ...Object.fromEntries(removedSettings(before, after).map((name) => [name, undefined])),
  ...takenAway(before, after.settings ?? {}),
  ...Object.fromEntries(
    Object.entries(after.settings ?? {}).filter(([name, value]) => !isSameJson(value, before.settings?.[name]))
  )
})

const removedSettings = (before: Workflow, after: Workflow): ReadonlyArray<string> =>
  Object.keys(before.settings ?? {}).filter((name) => !Object.hasOwn(after.settings ?? {}, name))

/** Settings that were to go and that the engine keeps, as it has shown, or else as those of its generation do. */
export const settingsThatStay = (before: Workflow, after: Workflow, latest?: Workflow): ReadonlyArray<string> =>
  removedSettings(before, after).filter((name) =>
    latest === undefined
      ? generationOf(before) === "2.x" && !Object.hasOwn(removals, name)
      : Object.hasOwn(latest.settings ?? {}, name)
  )

/** Settings that were to be added and that the engine has dropped. */
export const settingsDropped = (before: Workflow, after: Workflow, latest: Workflow): ReadonlyArray<string> =>
  Object.keys(after.settings ?? {}).filter(
    (name) => !Object.hasOwn(before.settings ?? {}, name) && !Object.hasOwn(latest.settings ?? {}, name)
  )

/** The workflow as it is saved, or as operations would make it. */
export const workflowWithOperations = Effect.fnUntraced(function* (
  id: WorkflowId,
  given: ReadonlyArray<JsonObject> | undefined
) {
  const operations = given === undefined ? [] : yield* readOperations(given)
  const workflow = yield* EngineClient.use((engine) => engine.getWorkflow(id))
  if (operations.length === 0) return workflow
  const { edited } = yield* editedBy(workflow, operations)
  return edited.workflow
})
