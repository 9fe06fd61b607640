import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import type { EngineClient } from "../../../src/engine/client/EngineClient.ts"
import { type Change, History, type NamedThings, noHistory } from "../../../src/engine/client/History.ts"
import { Instances } from "../../../src/engine/client/Instances.ts"
import { CredentialId, CredentialType, TagId, type WorkflowId } from "../../../src/engine/workflow/models.ts"
import { serverOverEmbedded } from "../../support/harness.ts"

type Client = EngineClient["Service"]

interface Things {
  readonly client: Client
  readonly id: WorkflowId
  readonly tag: TagId
  readonly credential: CredentialId
}

type Write = (things: Things) => Effect.Effect<unknown, unknown>

/** The duty of the history for a method: `none` changes nothing of which it keeps a record. */
type Use = "none" | { readonly workflow: Write } | { readonly list: Write }

const mail = { name: "Mail", type: CredentialType.make("httpBasicAuth"), data: { user: "ann", password: "planted" } }

/** Every method of the client: a new one does not compile before it is said here what the history gets of it. */
const methods: { readonly [method in keyof Client]: Use } = {
  instance: "none",
  host: "none",
  heardAt: "none",
  isReadOnly: "none",
  history: "none",
  exclusively: "none",
  mayChange: "none",
  mayUpdate: "none",
  versions: "none",
  callAddress: "none",
  freezingVersion: "none",
  publicVersion: "none",
  capabilitiesIfSupported: "none",
  requireRights: "none",
  rights: "none",
  clockSkew: "none",
  apiDescriptionIfSupported: "none",
  readCall: "none",
  changeCall: "none",

  listWorkflows: "none",
  takeWorkflows: "none",
  getWorkflow: "none",
  provenAbsent: "none",
  listVersionsIfSupported: "none",
  getVersionIfSupported: "none",
  createWorkflow: { workflow: ({ client }) => client.createWorkflow({ name: "New", nodes: [], connections: {} }) },
  updateWorkflow: {
    workflow: ({ client, id }) =>
      Effect.flatMap(client.getWorkflow(id), (current) => client.updateWorkflow(current, { name: "Renamed" }))
  },
  deleteWorkflow: { workflow: ({ client, id }) => client.deleteWorkflow(id) },
  activateWorkflow: { workflow: ({ client, id }) => client.activateWorkflow(id) },
  deactivateWorkflow: {
    workflow: ({ client, id }) => Effect.andThen(client.activateWorkflow(id), client.deactivateWorkflow(id))
  },
  archiveWorkflowIfSupported: { workflow: ({ client, id }) => client.archiveWorkflowIfSupported(id, true) },
  setWorkflowTags: { workflow: ({ client, id, tag }) => client.setWorkflowTags(id, [tag]) },

  listTags: "none",
  getTag: "none",
  createTag: { list: ({ client }) => client.createTag("new") },
  updateTag: { list: ({ client, tag }) => client.updateTag(tag, "renamed") },
  deleteTag: { list: ({ client, tag }) => client.deleteTag(tag) },

  listCredentialsIfSupported: "none",
  getCredentialIfSupported: "none",
  getCredentialSchema: "none",
  credentialTypesIfSupported: "none",
  testCredentialIfSupported: "none",
  createCredential: { list: ({ client }) => client.createCredential(mail) },
  updateCredentialIfSupported: {
    list: ({ client, credential }) => client.updateCredentialIfSupported(credential, { name: "Renamed" })
  },
  deleteCredential: { list: ({ client, credential }) => client.deleteCredential(credential) },

  nodeTypesIfSupported: "none",
  communityPackagesIfSupported: "none",

  // Nor does it keep what tables hold.
  listProjectsIfSupported: "none",
  foldersIfSupported: "none",
  listVariablesIfSupported: "none",
  listTablesIfSupported: "none",
  getTable: "none",
  listRows: "none",
  createTable: "none",
  renameTable: "none",
  deleteTable: "none",
  createColumn: "none",
  renameColumn: "none",
  deleteColumn: "none",
  insertRows: "none",
  updateRows: "none",
  deleteRows: "none",

  // What has run is data of others, which the history does not keep.
  listExecutions: "none",
  getExecution: "none",
  deleteExecution: "none",
  retryExecutionIfSupported: "none",
  provenExecutionAbsent: "none",
  stopExecutionIfSupported: "none"
}

const wrote: Array<Change> = []
const listed: Array<NamedThings> = []
const spy = Layer.succeed(History, {
  of: () => ({
    ...noHistory,
    isKept: true,
    recordChange: (change) => Effect.sync(() => wrote.push(change)),
    recordNames: (list) => Effect.sync(() => listed.push(list))
  })
})

const trigger = {
  name: "Every day",
  type: "n8n-nodes-base.scheduleTrigger",
  typeVersion: 1.2,
  position: [0, 0],
  parameters: { rule: { interval: [{ field: "days", daysInterval: 1 }] } }
}

const things = Effect.gen(function* () {
  const client = yield* (yield* Instances).resolve()
  const { workflow } = yield* client.createWorkflow({ name: "Orders", nodes: [trigger], connections: {} })
  const tag = yield* client.createTag(`tag ${wrote.length}`)
  const { id } = yield* client.createCredential(mail)
  return { client, id: workflow.id, tag: TagId.make(tag.id), credential: CredentialId.make(id) }
})

describe.each(["1.82.3", "2.41.1"] as const)("the history of an engine %s", (version) => {
  for (const [method, use] of Object.entries(methods)) {
    if (use === "none") continue
    it.live(`gets what ${method} changes`, () =>
      Effect.gen(function* () {
        const made = yield* things
        wrote.length = 0
        listed.length = 0
        yield* ("workflow" in use ? use.workflow : use.list)(made)
        if ("list" in use) {
          const isOffered = version === "2.41.1" || method !== "updateCredentialIfSupported"
          assert.strictEqual(listed.length, isOffered ? 1 : 0)
          return
        }
        const last = wrote.at(-1)
        assert.isDefined(last)
        const after = yield* last?.after ?? Effect.undefined
        const isOffered = version === "2.41.1" || method !== "archiveWorkflowIfSupported"
        assert.strictEqual(after?._tag, method === "deleteWorkflow" ? "Deleted" : isOffered ? "Present" : "Unknown")
        if (method !== "createWorkflow") assert.strictEqual(last?.id, made.id)
      }).pipe(Effect.provide(serverOverEmbedded({ version }).pipe(Layer.provide(spy))))
    )
  }

  it.live("knows every method that the client has", () =>
    Effect.gen(function* () {
      const client = yield* (yield* Instances).resolve()
      assert.sameMembers(Object.keys(client), Object.keys(methods))
    }).pipe(Effect.provide(serverOverEmbedded({ version }).pipe(Layer.provide(spy))))
  )
})
