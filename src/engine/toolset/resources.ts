import { Effect, Option } from "effect"

import { visibleJson } from "../../internal/foreignText.ts"
import { digest } from "../../internal/json/digest.ts"
import { only } from "../../internal/json/Selection.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Completion, ResourceNotFound, type ResourceProvider } from "../../mcp/Resources.ts"
import { render, type ToolFailure } from "../../mcp/ToolError.ts"
import { Instances } from "../client/Instances.ts"
import { saysMissing } from "../client/verdict.ts"
import { toToolError } from "../tools/errors.ts"
import { getWorkflow, listWorkflows } from "../tools/workflows/reads.ts"
import { readAddress, root } from "./address.ts"

const mimeType = "application/json"

/** The resource that tells of the instances themselves. */
const instancesUri = "engine://instances"

const list = [
  {
    uri: root,
    name: "workflows",
    title: "Workflows",
    description: "The workflows of the default instance: id, name, state, tags and number of nodes",
    mimeType
  },
  {
    uri: instancesUri,
    name: "instances",
    title: "Instances",
    description: "The configured instances: name, address, and whether nothing may be changed there",
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
  if (uri === instancesUri) {
    const { addresses, names, readOnly } = yield* Instances
    const rows = names.map((name) => ({ name, url: addresses.get(name), readOnly: readOnly.has(name) }))
    return { uri, mimeType, text: visibleJson(JSON.stringify(rows)) }
  }
  const address = Option.getOrUndefined(readAddress(uri))
  if (address === undefined) return yield* new ResourceNotFound({ uri })
  const answer = yield* "id" in address
    ? Effect.catchIf(getWorkflow.call(address), isUnknown, () => Effect.fail(new ResourceNotFound({ uri })))
    : listWorkflows.call(address)
  return { uri, mimeType, text: visibleJson(answer.json ?? JSON.stringify(answer.structured)) }
})

/** The version of a workflow with what is beside its content. The lists of this server are not watched. */
const version = Effect.fn("resources.version")(function* (uri: string) {
  const address = Option.getOrUndefined(readAddress(uri))
  if (address === undefined || !("id" in address)) return yield* new ResourceNotFound({ uri })
  const answer = yield* Effect.catchIf(getWorkflow.call(address), isOfCaller, () =>
    Effect.fail(new ResourceNotFound({ uri }))
  )
  const { description, isArchived, tags, version }: JsonObject = { ...answer.structured }
  return digest([version, description, isArchived, tags])
})

const isOfCaller = (error: ToolFailure) => isUnknown(error) || render(error).blame === "caller"

const isUnknown = (error: ToolFailure) =>
  error._tag === "ToolError" && error.details.httpStatus === 404 && saysMissing(error.details.apiResponse)

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

/** The instances and the workflows of each, as resources; they show what the tools of the same purpose answer. */
export const resources: ResourceProvider<Instances> = { list, templates, read, version, complete }
