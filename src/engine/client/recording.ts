import { Effect, Option, Schema, Struct } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { Caller } from "../../mcp/callContext.ts"
import { type Workflow, WorkflowId, type WorkflowQuery } from "../workflow/models.ts"
import type { EngineError } from "./EngineError.ts"
import type { Authors, InstanceHistory, NamedThings } from "./History.ts"
import { isMissing } from "./isMissing.ts"
import type { restCalls } from "./restCalls.ts"
import * as WorkflowRecorder from "./WorkflowRecorder.ts"
import { gone, present, unknown } from "./WorkflowRecorder.ts"

type Client = ReturnType<typeof restCalls>

/** The same client, which records every reading and every change of workflows in the history. */
export const recording = (client: Client, history: InstanceHistory): Client =>
  history.isKept ? { ...client, ...namedThingCalls(client, history), ...workflowCalls(client, history) } : client

/** Calls that change tags and credentials: only what `history` keeps of their answers is recorded. */
const namedThingCalls = (client: Client, history: InstanceHistory): Partial<Client> => {
  const recordingNames = <A>(self: Effect.Effect<A, EngineError>, namesIn: (answer: A) => NamedThings | undefined) =>
    Effect.tap(
      self,
      Effect.fnUntraced(function* (answer) {
        const names = namesIn(answer)
        if (names !== undefined) yield* history.recordNames({ ...names, origin: yield* Caller })
      })
    )

  return {
    createTag: (name) => recordingNames(client.createTag(name), (put) => ({ list: "tags", put })),
    updateTag: (id, name) => recordingNames(client.updateTag(id, name), (put) => ({ list: "tags", put })),
    deleteTag: (id) => recordingNames(client.deleteTag(id), () => ({ list: "tags", gone: id })),
    createCredential: (body) => recordingNames(client.createCredential(body), (put) => ({ list: "credentials", put })),
    updateCredentialIfSupported: (id, body) =>
      recordingNames(client.updateCredentialIfSupported(id, body), (answer) =>
        Option.isNone(answer) ? undefined : { list: "credentials", put: { ...answer.value, id } }
      ),
    deleteCredential: (id) => recordingNames(client.deleteCredential(id), () => ({ list: "credentials", gone: id }))
  }
}

const workflowCalls = (client: Client, history: InstanceHistory): Partial<Client> => {
  const recorder = WorkflowRecorder.make(history, client)
  const notThere = (id: WorkflowId) => (error: EngineError) =>
    isMissing(error) ? recorder.recordMissing(id) : Effect.void
  const activity = (id: WorkflowId, change: Effect.Effect<Workflow, EngineError>) =>
    recorder.recordChange(id, change, {
      touched: ["active", "activeVersionId"],
      afterOf: (answer) => ({ after: present(answer) })
    })

  return {
    getWorkflow: (id) =>
      Effect.tapError(
        recorder.recordRead(client.getWorkflow(id), (workflow) => [workflow]),
        notThere(id)
      ),
    provenAbsent: (ids) => recorder.recordAbsence(ids),
    listWorkflows: (query, selection) =>
      recorder.recordRead(client.listWorkflows(query, selection), ({ data }) => wholeIn(data, query)),
    takeWorkflows: (query, selected, take) =>
      recorder.recordingRead((record) =>
        client.takeWorkflows(query, selected, (workflows) =>
          Effect.andThen(record(wholeIn(workflows, query)), take(workflows))
        )
      ),
    createWorkflow: (creation) => recorder.recordCreation(client.createWorkflow(creation)),
    updateWorkflow: (current, changes) =>
      recorder.recordChange(current.id, client.updateWorkflow(current, changes), {
        before: current,
        afterOf: ({ workflow }) => ({ after: present(workflow) })
      }),
    deleteWorkflow: (id) =>
      Effect.tap(
        recorder.recordChange(id, client.deleteWorkflow(id), { afterOf: (before) => ({ before, after: gone }) }),
        recorder.forgetTemporary(id)
      ),
    archiveWorkflowIfSupported: (id, archived) =>
      recorder.recordChange(id, client.archiveWorkflowIfSupported(id, archived), {
        touched: ["active", "activeVersionId", "isArchived"],
        afterOf: (answer) =>
          Option.match(answer, { onNone: () => ({ after: unknown }), onSome: (now) => ({ after: present(now) }) })
      }),
    activateWorkflow: (id) => activity(id, client.activateWorkflow(id)),
    deactivateWorkflow: (id) => activity(id, client.deactivateWorkflow(id)),
    setWorkflowTags: (id, tags) =>
      recorder.recordChange(id, client.setWorkflowTags(id, tags), {
        // It may be a tag that does not exist.
        isGone: Effect.matchEffect(client.getWorkflow(id), { onSuccess: () => Effect.void, onFailure: notThere(id) }),
        touched: ["tags"],
        afterOf: (answer) => (Array.isArray(answer) ? { after: present({ id, tags: answer }) } : {})
      })
  }
}

/** The workflows of a list that it shows completely, without what it was not asked for. */
const wholeIn = (workflows: ReadonlyArray<JsonObject>, { excludePinnedData }: WorkflowQuery) =>
  workflows.filter(isWhole).map((item) => (excludePinnedData === true ? Struct.omit(item, ["pinData"]) : item))

/** Whether a list shows a workflow completely: large pages may leave out much of it. */
const isWhole = ({ connections, nodes }: JsonObject): boolean =>
  isJsonObject(connections) &&
  Array.isArray(nodes) &&
  nodes.every((node: unknown) => isJsonObject(node) && node.parameters !== null)

/** Versions to look at: earlier authors are not determined. */
const limit = 50

/** Longest wait of the history for an answer. */
const timeLimit = "5 seconds"

const toWorkflowId = Schema.decodeUnknownOption(WorkflowId)

/** Asks the engine for the authors of its versions; engines before 2.35 have no versions, or do not show them. */
export const authorsBy =
  ({ listVersionsIfSupported }: Pick<ReturnType<typeof restCalls>, "listVersionsIfSupported">): Authors =>
  (id, since, until) =>
    Effect.gen(function* () {
      const workflow = yield* Effect.fromOption(toWorkflowId(id))
      const page = yield* Effect.fromOption(yield* listVersionsIfSupported(workflow, { limit }))
      const newest = page.data.findIndex(({ versionId }) => versionId === until)
      const versions = newest < 0 ? [] : page.data.slice(newest)
      const sinceIndex = versions.findIndex(({ versionId }) => versionId === since)
      const versionsSince = versions.slice(0, sinceIndex < 0 ? 1 : sinceIndex)
      return [...new Set(versionsSince.flatMap(({ authors }) => authors ?? []))].join(", ")
    }).pipe(
      Effect.timeout(timeLimit),
      Effect.option,
      Effect.map((authors) => Option.getOrUndefined(Option.filter(authors, (names) => names.trim() !== "")))
    )
