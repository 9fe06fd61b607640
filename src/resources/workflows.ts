import { Effect, Layer, Option, Predicate } from "effect"

import { Instances } from "../engine/Instances.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import type { ToolError } from "../tools/ToolError.ts"
import { getWorkflow } from "../tools/workflows/get.ts"
import { listWorkflows } from "../tools/workflows/list.ts"
import { parse, root } from "./address.ts"
import { type Completion, ResourceNotFound, Resources } from "./Resources.ts"

const mimeType = "application/json"

const list = [
  {
    uri: root,
    name: "workflows",
    title: "Workflows",
    description: "The workflows of the default instance: id, name, state, tags and number of nodes",
    mimeType
  }
]

const templates = [
  {
    uriTemplate: `${root}/{id}`,
    name: "workflow",
    title: "Workflow",
    description: "One workflow of the default instance, whole",
    mimeType
  },
  {
    uriTemplate: `${root}?instance={instance}`,
    name: "workflows-of-instance",
    title: "Workflows of an instance",
    description: "The workflows of a named instance",
    mimeType
  },
  {
    uriTemplate: `${root}/{id}?instance={instance}`,
    name: "workflow-of-instance",
    title: "Workflow of an instance",
    description: "One workflow of a named instance, whole",
    mimeType
  }
]

const nothing = Resources.of({
  list: [],
  templates: [],
  read: (uri) => Effect.fail(new ResourceNotFound({ uri })),
  complete: () => Effect.succeed({ values: [] })
})

/** The workflows of every instance, as resources; they show what the tools of the same purpose answer. */
export const layer: Layer.Layer<Resources, never, Instances> = Layer.effect(
  Resources,
  Effect.gen(function* () {
    const instances = yield* Instances

    const read = Effect.fn("Resources.read")(
      function* (uri: string) {
        const address = Option.getOrUndefined(parse(uri))
        if (address === undefined) return yield* new ResourceNotFound({ uri })
        const answer = yield* "id" in address
          ? Effect.catchIf(getWorkflow.call(address), isUnknown, () => Effect.fail(new ResourceNotFound({ uri })))
          : listWorkflows.call(address)
        return { uri, mimeType, text: JSON.stringify(answer.structured) }
      },
      Effect.provideService(Instances, instances)
    )

    const lane = (uri: unknown) => {
      const address = Predicate.isString(uri) ? Option.getOrUndefined(parse(uri)) : undefined
      return EngineTool.laneOf(address?.instance, instances)
    }

    const ids = Effect.fnUntraced(function* (prefix: string) {
      const { data } = yield* (yield* instances.resolve()).listWorkflows({ limit: 250 })
      return data.map(({ id }) => String(id)).filter((id) => id.startsWith(prefix))
    })

    const complete = Effect.fn("Resources.complete")(function* (uriTemplate: string, variable: string, value: string) {
      const isOurs = templates.some(
        (template) => template.uriTemplate === uriTemplate && uriTemplate.includes(`{${variable}}`)
      )
      if (!isOurs) return { values: [] } satisfies Completion
      const values = variable === "id" ? yield* ids(value) : instances.names.filter((name) => name.startsWith(value))
      return { values } satisfies Completion
    })

    return instances.names.length === 0 ? nothing : Resources.of({ list, templates, lane, read, complete })
  })
)

const isUnknown = (error: ToolError) => error._tag === "ApiError" && error.httpStatus === 404
