import { Effect } from "effect"

import { InvalidArgument, ToolError } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { VersionError } from "../../client/History.ts"
import { type DeletedNamed, exists } from "../../tools/references.ts"
import type { WorkflowId } from "../../workflow/models.ts"
import { deleted } from "../../workflow/names.ts"

/** The history cannot be read, and what to do about it is in its words; or it has no such version of the instance. */
export const unreadable = (error: VersionError): InvalidArgument | ToolError => {
  if (error._tag === "HistoryError") {
    return new ToolError({
      blame: "upstream",
      code: "HISTORY_ERROR",
      message: `The history cannot be read: ${error.message}`,
      details: {}
    })
  }
  if (error._tag === "ForeignVersion") {
    const problem = `cannot be trusted: ${error.message}. Look at it with git show ${error.commit}, and take an older version`
    return new InvalidArgument({ argument: "version", problem })
  }
  return new InvalidArgument({
    argument: "version",
    problem: `${error.version} is not in this history`,
    advice: ": workflow_history lists the versions of a workflow, git log those of all"
  })
}

/** The workflows of a name that the engine has no more, and the history knows. */
export const deletedNamed: DeletedNamed = Effect.fnUntraced(function* (name) {
  const { history } = yield* EngineClient
  yield* history.flushed
  const ids = yield* Effect.mapError(history.idsNamed(name), unreadable)
  const gone = yield* Effect.filter(ids, (given) =>
    Effect.map(exists({ kind: "workflow", given }), (isThere) => !isThere)
  )
  return gone.map((id) => ({ id, name, state: deleted }))
})

const noHistory = (advice: string) =>
  new ToolError({
    blame: "upstream",
    code: "CONFIGURATION_ERROR",
    message: `No history is kept: name a folder for it as \`history\` in the configuration, or start with --history DIR.${advice}`,
    ...(advice === "" ? {} : { advice }),
    details: {}
  })

/** There is no history; the message says how to keep one. */
export const notKept = noHistory("")

/** There is no history, but a run shows the workflow as it ran. */
const notKeptBut = (run: string, instance: string) =>
  noHistory(
    ` Runs show the workflow as it ran: restore_workflow takes one as version, the last on instance ${instance} is ${run}; ` +
      "list_executions has more."
  )

/** The failure where nothing keeps versions of a workflow; it names the newest run, which shows what ran. */
export const nothingKept = (id: WorkflowId) =>
  EngineClient.use(({ instance, listExecutions }) =>
    Effect.match(listExecutions({ workflowId: id, limit: 1 }), {
      onFailure: () => notKept,
      onSuccess: ({ data: [last] }) =>
        last === undefined ? notKept : notKeptBut(`execution-${last.id} (${String(last.startedAt)})`, instance)
    })
  ).pipe(Effect.flatMap((error) => Effect.fail(error)))
