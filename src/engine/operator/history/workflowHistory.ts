import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Version } from "../../client/History.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { optional, workflowId } from "../../tools/parameters.ts"
import { restoreWorkflow } from "./restoreWorkflow.ts"
import { notKept, unreadable } from "./unreadable.ts"

const most = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be between 1 and 100" }))

export const workflowHistory = EngineTool.make("workflow_history", {
  title: "Workflow history",
  description: "Former versions of a workflow, newest first: when, by whom, what changed. Also of deleted ones",
  annotations: reads,
  arguments: {
    id: workflowId,
    limit: Schema.optionalKey(most.annotate({ description: "Default 20" })),
    cursor: optional(Schema.String.annotate({ description: "Last nextCursor" }))
  },
  run: Effect.fnUntraced(function* ({ cursor, id, limit = 20 }) {
    const { history } = yield* EngineClient
    if (!history.isKept) return yield* notKept
    yield* history.settled
    const problem = yield* history.problem
    const { data, next } = yield* Effect.mapError(history.versions(id, { limit, after: cursor }), unreadable)
    return {
      ...(problem === undefined ? {} : { notice: problem }),
      data: data.map(shown),
      ...(next === undefined ? {} : { nextCursor: next })
    }
  })
})

const shown = ({ by, change, reason, tool, version, when }: Version) => ({
  version,
  when,
  by,
  ...(tool === undefined ? {} : { tool }),
  ...(reason === undefined ? {} : { reason }),
  change
})

/** The tools about what workflows were, in the order in which they are listed. */
export const historyTools = [workflowHistory, restoreWorkflow]
