import { Effect, Result, Schema } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { maskStandsForSecret, masksIn, orWhereRead } from "../../../internal/secrets/maskSecrets.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Changes } from "../../client/body.ts"
import type { Workflow } from "../../workflow/models.ts"
import { isSameJson } from "../../workflow/versions.ts"
import { applyOperations, type EditProblem } from "./applyOperations.ts"
import { lookUp } from "./lookUp.ts"
import { type Operation, readOperation } from "./Operation.ts"
import { operationSchema } from "./operationSchema.ts"

const atLeastOne = "must hold at least one operation"

/** Operations of which there may be none. */
export const anyOperations = Schema.Array(JsonObject).annotate({ inputSchema: operationSchema })

/** None, where that says nothing. */
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

/** Reads operations as a caller gives them; masks that they write stand for something where the version is given that they are from. */
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

/** A workflow as operations make it, with what was looked up for that on its instance; nothing is written. */
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

/** All settings, and nothing for those that are to go. */
const settingsOver = (before: Workflow, after: Workflow): JsonObject => ({
  ...Object.fromEntries(Object.keys(before.settings ?? {}).map((name) => [name, undefined])),
  ...after.settings
})
