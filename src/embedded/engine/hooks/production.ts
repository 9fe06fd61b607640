import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

import { type Address, addressesOf, match } from "../rules/addresses.ts"
import { isListening } from "../rules/publishing.ts"
import { snapshotOf } from "../rules/snapshot.ts"
import { isEnabled, kindOf } from "../rules/triggers.ts"
import { Runner } from "../run/Runner.ts"
import { Edition } from "../store/Edition.ts"
import type { Snapshot } from "../store/ExecutionRecord.ts"
import { now, present, type Moment } from "../store/fresh.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { asFree, asList } from "../store/values.ts"
import { decodeSegment } from "../wire/match.ts"
import { json, page } from "../wire/replies.ts"
import { answer, modeOf } from "./answer.ts"
import { contentOf } from "./content.ts"
import { triggerData } from "./triggerData.ts"

interface Listener {
  readonly workflow: WorkflowRecord
  readonly address: Address
  readonly variables: Readonly<Record<string, string>>
}

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

const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string =>
  (url.split("?")[0] ?? "").slice(1).split("/").map(decodeSegment).join("/")

/** Everything that listens at a path, whatever the method. Where two listen to the same, the later one has taken over. */
const listenersAt = (path: string, workflows: ReadonlyArray<WorkflowRecord>, moment: Moment): ReadonlyArray<Listener> =>
  workflows
    .filter((workflow) => isListening(workflow, moment))
    .sort((a, b) => (b.published?.listensAt ?? 0) - (a.published?.listensAt ?? 0))
    .flatMap((workflow) =>
      addressesOf(workflow.id, workflow.published?.nodes ?? []).flatMap((address) => {
        const variables = match(address, path)
        return variables === undefined ? [] : [{ workflow, address, variables }]
      })
    )

const refusal = (method: string, path: string, here: ReadonlyArray<Listener>) => {
  const methods = [...new Set(here.map(({ address }) => address.method))]
  if (methods.length > 0) {
    const message = `This webhook is not registered for ${method} requests. Did you mean to make a ${methods.join(" or a ")} request?`
    return json(404, { code: 404, message })
  }
  return json(404, {
    code: 404,
    message: `The requested webhook "${method} ${path.slice(path.indexOf("/") + 1)}" is not registered.`,
    hint: "The workflow must be active for a production URL to run successfully. You can activate the workflow using the toggle in the top-right of the editor. Note that unlike test URL calls, production URL calls aren't shown on the canvas (only in the executions list)"
  })
}

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

const noRespondent = "No Respond to Webhook node found in the workflow"

const muteness = (isSecond: boolean) =>
  json(500, {
    code: 0,
    message: isSecond ? noRespondent : "Workflow Webhook Error: Workflow could not be started!"
  })

/** Forms are there to be seen by people; nobody sees these. */
const formPage = (status: number, title: string) =>
  HttpServerResponse.text(`<!DOCTYPE html>\n<html lang='en'>\n<title>${title}</title>\n</html>\n`, {
    status,
    contentType: "text/html; charset=utf-8"
  })

/** Answers test addresses, to which only an open editor could listen. */
export const test = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const { isSecond } = yield* Edition
  const path = pathOf(request)
  const button = isSecond ? "Execute workflow" : "Test workflow"
  return json(404, {
    code: 404,
    message: `The requested webhook "${path.slice(path.indexOf("/") + 1)}" is not registered.`,
    hint: `Click the '${button}' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)`
  })
})
