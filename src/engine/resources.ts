import { Effect, Option, Predicate, Schema } from "effect"

import { only } from "../internal/json/Selection.ts"
import { type Completion, ResourceNotFound, type ResourceProvider } from "../mcp/Resources.ts"
import type { ToolFailure } from "../mcp/ToolError.ts"
import { Instances } from "./client/Instances.ts"
import { WorkflowId } from "./client/models.ts"
import * as EngineTool from "./tools/EngineTool.ts"
import { toToolError } from "./tools/errors.ts"
import { getWorkflow, listWorkflows } from "./tools/workflows/reads.ts"

/** What an `engine://workflows…` address points to; without an instance, to the default one's. */
export interface Address {
  readonly id?: WorkflowId
  readonly instance?: string
}

export const root = "engine://workflows"

const pattern = /^engine:\/\/workflows(?:\/([A-Za-z0-9_-]{1,128}))?(?:\?instance=([^&#]{1,512}))?$/
const decodeId = Schema.decodeUnknownOption(WorkflowId)
const decodeText = Option.liftThrowable(decodeURIComponent)

/** Reads an address; nothing where it is none of ours. */
export const parse = (uri: string): Option.Option<Address> =>
  Option.gen(function* () {
    const [, id, instance] = yield* Option.fromNullishOr(pattern.exec(uri.slice(0, 1024)))
    return {
      ...(id === undefined ? {} : { id: yield* decodeId(id) }),
      ...(instance === undefined ? {} : { instance: yield* decodeText(instance) })
    }
  })

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

const read = Effect.fn("resources.read")(function* (uri: string) {
  const address = Option.getOrUndefined(parse(uri))
  if (address === undefined) return yield* new ResourceNotFound({ uri })
  const answer = yield* "id" in address
    ? Effect.catchIf(getWorkflow.call(address), isUnknown, () => Effect.fail(new ResourceNotFound({ uri })))
    : listWorkflows.call(address)
  return { uri, mimeType, text: answer.json ?? JSON.stringify(answer.structured) }
})

const isUnknown = (error: ToolFailure) => error._tag === "ToolError" && error.details.httpStatus === 404

const onlyIds = only({ id: "whole" })

const ids = Effect.fnUntraced(function* (prefix: string) {
  const { data } = yield* (yield* Instances.use(({ resolve }) => resolve())).listWorkflows({ limit: 250 }, onlyIds)
  return data.map(({ id }) => String(id)).filter((id) => id.startsWith(prefix))
}, Effect.mapError(toToolError))

const complete = Effect.fn("resources.complete")(function* (uriTemplate: string, variable: string, value: string) {
  if (!uriTemplate.includes(`{${variable}}`)) return { values: [] } satisfies Completion
  const { names } = yield* Instances
  const values = variable === "id" ? yield* ids(value) : names.filter((name) => name.startsWith(value))
  return { values } satisfies Completion
})

/** Which instance reading an address works on; the default one where completions are looked up. */
export const laneOf = (instances: Instances["Service"]) => (uri: unknown) => {
  if (uri === undefined) return EngineTool.laneOf(undefined, instances)
  const address = Predicate.isString(uri) ? Option.getOrUndefined(parse(uri)) : undefined
  return address === undefined ? undefined : EngineTool.laneOf(address.instance, instances)
}

/** The workflows of every instance, as resources; they show what the tools of the same purpose answer. */
export const resources: ResourceProvider<Instances> = { list, templates, read, complete }
