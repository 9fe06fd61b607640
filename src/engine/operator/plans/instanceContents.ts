import { Array as Arrays, Effect, Option, Predicate, Schema } from "effect"

import { type Credential, credentialsIn, type KnownCredentials } from "../../changes/credentials.ts"
import type { Generation } from "../../changes/promotion/fit.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { listAll, listAllIfSupported, workflowsIn } from "../../client/listAll.ts"
import type { Workflow } from "../../client/models.ts"

type Client = EngineClient["Service"]

/** All workflows of an instance that its key can read. */
export const allWorkflows = (client: Client) => Effect.map(listAll(client.listWorkflows), workflowsIn)

/** Reads at the same time. */
const atOnce = 8

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

/** What forms of bodies an engine takes, by whatever it tells of its version. */
export const generationOf = Effect.fnUntraced(function* (
  client: Client,
  workflows: ReadonlyArray<Workflow>,
  { isComplete }: KnownCredentials
): Effect.fn.Return<Generation, EngineError> {
  const [first] = workflows
  if (first !== undefined) return first.activeVersionId === undefined ? "1.x" : "2.x"
  if (isComplete) return "2.x"
  const version = Option.getOrElse(yield* client.publicVersion, () => "2")
  return Predicate.isString(version) && version.startsWith("1.") ? "1.x" : "2.x"
})

/** What an instance shows of workflows and what belongs to them. */
export const instanceContents = Effect.fnUntraced(function* (client: Client) {
  const [all, tags] = yield* Effect.all([allWorkflows(client), listAll(client.listTags)], { concurrency: 2 })
  const credentials = yield* knownCredentials(client, all)
  const archives = (yield* generationOf(client, all, credentials)) === "2.x"
  return { all, tags, credentials, archives }
})
