import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

import { snapshotOf } from "../rules/snapshot.ts"
import { isEnabled, kindOf } from "../rules/triggers.ts"
import { Runner } from "../run/Runner.ts"
import { Edition } from "../store/Edition.ts"
import type { Snapshot } from "../store/ExecutionRecord.ts"
import { now, present } from "../store/fresh.ts"
import { Store } from "../store/Store.ts"
import { asFree, asList } from "../store/values.ts"
import { json, page } from "../wire/replies.ts"
import { answer, modeOf } from "./answer.ts"
import { contentOf } from "./content.ts"
import { listenersAt, pathOf } from "./listeners.ts"
import { formPage, muteness, noEditor, noRespondent, refusal } from "./refusals.ts"
import { triggerData } from "./triggerData.ts"

/** Answers calls of webhooks, forms and chats of active workflows, by running those. */
export const production = Effect.fnUntraced(
  function* (request: HttpServerRequest.HttpServerRequest) {
    const { tables } = yield* Store
    const { isSecond } = yield* Edition
    const path = pathOf(request)
    const here = listenersAt(path, [...tables.workflows.values()], yield* present)
    const found = here.find(({ address }) => address.method === request.method)
    if (found === undefined) {
      return path.startsWith("form/") ? formPage(404, "Problem loading form") : refusal(request.method, path, here)
    }
    const { node } = found.address
    if (kindOf(node) === "formTrigger" && request.method === "GET") return formPage(200, "Form")
    const snapshot = snapshotOf(found.workflow)
    const isMute = modeOf(node) === "responseNode" && !canRespond(snapshot, String(node.name))

    const visit = { request, variables: found.variables, content: yield* contentOf(request), time: yield* now }
    const runner = yield* Runner
    const run = yield* runner.start({
      workflowId: found.workflow.id,
      snapshot,
      mode: "webhook",
      start: {
        node: String(node.name),
        source: null,
        input: [{ json: triggerData(node, visit), pairedItem: { item: 0 } }],
        ...(isMute ? { obstacle: noRespondent } : {})
      }
    })
    return isMute ? muteness(isSecond) : yield* answer(node, run, isSecond)
  },
  Effect.catchTags({
    BodyTooLarge: () => Effect.succeed(page(413, "Payload Too Large")),
    MalformedBody: ({ problem }) =>
      Effect.succeed(json(422, { code: 422, message: "Failed to parse request body", hint: problem }))
  })
)

/** Whether a node that responds can be reached from a trigger. */
const canRespond = ({ connections, nodes }: Snapshot, start: string): boolean => {
  const reached = new Set([start])
  for (const name of reached) {
    for (const output of asList(asFree(connections[name]).main)) {
      for (const { node } of asList(output).map(asFree)) reached.add(String(node))
    }
  }
  return nodes.some((node) => kindOf(node) === "respondToWebhook" && isEnabled(node) && reached.has(String(node.name)))
}

/** Answers test addresses. */
export const test = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(Edition, ({ isSecond }) => noEditor(pathOf(request), isSecond))
