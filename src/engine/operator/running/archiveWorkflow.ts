import { Effect, Option, Schema } from "effect"

import { changes } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { ifVersion, workflowId } from "../../tools/parameters.ts"
import { exclusively, readUnchanged } from "../../tools/workflows/guards.ts"
import { shownState } from "../../tools/workflows/showWorkflow.ts"
import type { Workflow } from "../../workflow/models.ts"
import { unsupportedReason, unsupportedText } from "../routeSupport.ts"

const route = (archived: boolean) => ({
  call: `POST /workflows/{workflowId}/${archived ? "archive" : "unarchive"}`,
  scope: "workflow:delete",
  since: "2.15.0",
  verb: archived ? "archive workflows" : "unarchive workflows",
  instead: archived ? "deactivate_workflow keeps it from running, and a tag marks it." : "Use the engine UI."
})

export const archiveWorkflow = EngineTool.make("archive_workflow", {
  title: "Archive workflow",
  description: "Archive a workflow, which switches it off, or bring it back (archived: false)",
  annotations: changes,
  arguments: {
    id: workflowId,
    archived: Schema.Boolean.annotate({ description: "Default true" }).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(true))
    ),
    ifVersion
  },
  run: Effect.fnUntraced(function* ({ archived, id, ifVersion }) {
    const lack = yield* unsupportedReason(route(archived))
    if (lack !== undefined) return { guidance: lack }
    return yield* Effect.gen(function* () {
      const before = yield* readUnchanged(id, ifVersion)
      if (isArchived(before) === archived) {
        return yield* answer(
          before,
          `Workflow ${id} was ${archived ? "archived already" : "not archived"}: nothing changed`
        )
      }
      const changed = yield* EngineClient.use((engine) => engine.archiveWorkflowIfSupported(id, archived))
      if (Option.isNone(changed)) return { guidance: unsupportedText(route(archived)) }
      const off = before.active ? ", and with that deactivated" : ""
      return yield* answer(
        changed.value,
        archived ? `Workflow ${id} was archived${off}` : `Workflow ${id} was unarchived; it is inactive`
      )
    }).pipe(exclusively(id))
  })
})

const isArchived = ({ isArchived = false }: Workflow): boolean => isArchived === true

const answer = (workflow: Workflow, message: string) =>
  Effect.map(shownState(workflow), (state) => ({ message, ...state }))
