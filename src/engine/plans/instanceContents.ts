import { Array as Arrays, Effect, Option, Predicate, Schema } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { weightOfJson } from "../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../internal/Sliced.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import type { EngineError } from "../client/EngineError.ts"
import { listAllIfSupported, listWhole, workflowsIn } from "../client/listAll.ts"
import { runningNodes } from "../nodes/check/activeOwners.ts"
import { type Generation, generationOf, type Workflow, type WorkflowQuery } from "../workflow/models.ts"
import { type Credential, credentialsIn, nameOf } from "../workflow/nodes.ts"
import { isTrigger } from "../workflow/triggers.ts"
import type { KnownCredentials } from "./credentials.ts"

type Client = EngineClient["Service"]

/** Workflows of a page: their nodes come with them, and what is done with a page is done at once. */
const pageSize = 100

/** All workflows of an instance that its key can read, each as what is kept of it once its page has come. */
export const eachWorkflow = <A>(
  client: Client,
  keep: (workflow: Workflow) => A,
  among: Pick<WorkflowQuery, "active"> = {}
) =>
  listWhole(client, (query) =>
    Effect.flatMap(client.listWorkflows({ ...among, ...query, limit: pageSize }), (page) =>
      Effect.map(
        inSlices(() => mapSliced(workflowsIn(page.data), keep, weightOfJson)),
        (data) => ({ ...page, data })
      )
    )
  )

/** Reads at the same time. */
export const atOnce = 8

/** Workflows of a list with their descriptions, which lists leave out; one that cannot be read stays as it was listed. */
export const withDescriptions = (client: Client, workflows: ReadonlyArray<Workflow>) =>
  Effect.forEach(
    workflows,
    (workflow) =>
      Effect.match(client.getWorkflow(workflow.id), {
        onFailure: () => workflow,
        onSuccess: ({ description = null }): Workflow => ({ ...workflow, description })
      }),
    { concurrency: atOnce }
  )

const asCredential = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.String, name: Schema.String, type: Schema.String })
)

/** The credentials of an instance, as far as it lists them to this key, else as far as its workflows name them. */
export const knownCredentials = Effect.fnUntraced(function* (
  client: Client,
  workflows: ReadonlyArray<Workflow>
): Effect.fn.Return<KnownCredentials, EngineError> {
  const all = yield* Effect.catchTag(
    listAllIfSupported(client.listCredentialsIfSupported),
    "PermissionDenied",
    () => Effect.succeedNone
  )
  if (Option.isNone(all)) return { all: credentialsIn(workflows), isComplete: false }
  const listed: ReadonlyArray<Credential> = Arrays.getSomes(all.value.map((item) => asCredential(item)))
  return { all: listed, isComplete: true }
})

/** The generation of an engine, which decides on the forms of bodies, by whatever it tells of its version. */
export const readGeneration = Effect.fnUntraced(function* (
  client: Client,
  workflows: ReadonlyArray<Workflow>,
  { isComplete }: KnownCredentials
): Effect.fn.Return<Generation, EngineError> {
  const [first] = workflows
  if (first !== undefined) return generationOf(first)
  if (isComplete) return "2.x"
  const version = Option.getOrElse(yield* client.publicVersion, () => "2")
  return Predicate.isString(version) && version.startsWith("1.") ? "1.x" : "2.x"
})

/** The workflows of an instance, as they are kept, and what belongs to them. */
export const instanceContents = Effect.fnUntraced(function* <A extends { readonly workflow: Workflow }>(
  client: Client,
  keep: (workflow: Workflow) => A
) {
  const [kept, tags] = yield* Effect.all([eachWorkflow(client, keep), listWhole(client, client.listTags)], {
    concurrency: 2
  })
  const all = kept.map(({ workflow }) => workflow)
  const credentials = yield* knownCredentials(client, all)
  const archives = (yield* readGeneration(client, all, credentials)) === "2.x"
  return { kept, all, tags, credentials, archives }
})

/**
 * A workflow without what concerns only itself, so that thousands fit into memory: of its nodes those that start it, call
 * others or use a data table, and of further ones only which credentials they use.
 */
export const outlineOf = (workflow: Workflow): Workflow => {
  const { activeVersion, meta: _meta, pinData: _pins, shared: _shared, staticData: _data, ...rest } = workflow
  return {
    ...rest,
    nodes: workflow.nodes.flatMap(outlineOfNode),
    connections: {},
    ...(isJsonObject(activeVersion) ? { activeVersion: { nodes: runningNodes(workflow).flatMap(outlineOfNode) } } : {})
  }
}

const outlineOfNode = (node: JsonObject): ReadonlyArray<JsonObject> => {
  const { dataTableId, workflowId } = objectOf(node.parameters)
  if (isTrigger(node) || workflowId !== undefined || dataTableId !== undefined) return [node]
  const { credentials, type, typeVersion } = node
  return credentials === undefined ? [] : [{ name: nameOf(node), type, typeVersion, credentials }]
}
