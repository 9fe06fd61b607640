import { Effect, Schema } from "effect"

import { creates } from "../../../mcp/annotations.ts"
import { large, readElsewhere } from "../../../mcp/meta.ts"
import { Progress } from "../../../mcp/Progress.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { TagId } from "../../client/ids.ts"
import { validate } from "../../workflow/validate.ts"
import * as EngineTool from "../EngineTool.ts"
import { connections, flag, nodes, object, optional, settings, workflowName } from "../parameters.ts"
import * as results from "../results.ts"
import { exclusively } from "./exclusively.ts"
import { leftOut, shorten, shown } from "./shown.ts"
import { whileDone } from "./steps.ts"
import { notStarted, switchOn } from "./switchOn.ts"

export const createWorkflow = EngineTool.make("create_workflow", {
  title: "Create workflow",
  description: "Create a workflow. It is checked before anything is sent",
  annotations: creates,
  arguments: {
    name: workflowName,
    nodes,
    connections: optional(connections),
    settings: optional(settings),
    staticData: optional(object("Static data")),
    tags: optional(Schema.Array(TagId).annotate({ description: "Tag ids" })),
    active: optional(flag("Activate it at once"))
  },
  result: results.writtenWorkflow,
  narrow: readElsewhere,
  shorten: shorten("created"),
  meta: large,
  run: Effect.fnUntraced(function* ({ active = false, tags = [], ...draft }) {
    const connections = yield* Effect.fromResult(validate({ ...draft, active }))
    const engine = yield* EngineClient
    const report = yield* Progress
    const total = 1 + Number(tags.length > 0) + Number(active)

    const settings = { executionOrder: "v1", ...draft.settings }
    const { dropped, workflow } = yield* engine.createWorkflow({ ...draft, connections, settings })
    const { id } = workflow
    if (total === 1) return yield* shown(workflow, leftOut(dropped))
    yield* report({ progress: 1, total, message: `created ${id}` })

    if (tags.length > 0) {
      yield* whileDone(engine.setWorkflowTags(id, tags), { id, done: "created", step: "setting its tags" })
      yield* report({ progress: 2, total, message: "tags set" })
    }
    if (active) {
      yield* whileDone(switchOn(id).pipe(exclusively(id)), { id, done: "created", step: "its activation" })
      yield* report({ progress: total, total, message: "activated" })
    }
    const latest = yield* whileDone(engine.getWorkflow(id), { id, done: "created", step: "reading it back" })
    return yield* shown(latest, [...notStarted(latest), ...leftOut(dropped)])
  })
})
