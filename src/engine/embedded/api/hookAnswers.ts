import { Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { statusOf } from "../run/nodes.ts"
import type { Run } from "../run/Runner.ts"
import { kindOf, parametersOf } from "../run/triggers.ts"
import { json } from "../wire/http.ts"
import type { Messages } from "./Dialect.ts"

type Mode = "lastNode" | "onReceived" | "responseNode"

/** The event that a trigger waits for before it answers its caller. */
export const modeOf = (node: JsonObject): Mode => {
  const { options, responseMode } = parametersOf(node)
  const isChat = kindOf(node) === "chatTrigger"
  const mode = isChat ? (objectOf(options).responseMode ?? "lastNode") : responseMode
  return mode === "lastNode" || mode === "responseNode" ? mode : "onReceived"
}

/** The response to the caller of a trigger for the run that it started. */
export const answer = (node: JsonObject, run: Run, messages: Messages) => answers[modeOf(node)](node, run, messages)

type Answer = (node: JsonObject, run: Run, messages: Messages) => Effect.Effect<HttpServerResponse.HttpServerResponse>

const atOnce: Answer = (node) => {
  const { responseData } = objectOf(parametersOf(node).options)
  const started = kindOf(node) === "formTrigger" ? { status: 200 } : { message: "Workflow was started" }
  return Effect.succeed(
    Predicate.isString(responseData)
      ? HttpServerResponse.text(responseData, { status: codeOf(node), contentType: "text/html; charset=utf-8" })
      : json(codeOf(node), started)
  )
}

const byRespondent: Answer = Effect.fnUntraced(function* (node, run) {
  const response = yield* run.response
  if (response === undefined) {
    return problemOf(yield* run.end) ?? json(codeOf(node), { message: "Workflow executed successfully" })
  }
  const { body, contentType, headers, status } = response
  return HttpServerResponse.text(body, { status, contentType, headers })
})

const byLastNode: Answer = (node, run, messages) =>
  Effect.map(run.end, (execution) => {
    const { responseData } = parametersOf(node)
    const items = (execution.steps.at(-1)?.outputs[0] ?? []).map((item) => item.json)
    const problem = problemOf(execution)
    if (problem !== undefined) return problem
    if (responseData === "noData") return nothing(codeOf(node))
    if (responseData === "allEntries") return json(codeOf(node), items)
    return items.length === 0 ? json(500, { code: 0, message: messages.noItem }) : json(codeOf(node), items[0])
  })

const answers = { lastNode: byLastNode, onReceived: atOnce, responseNode: byRespondent }

const nothing = (status: number) =>
  HttpServerResponse.text("", { status, contentType: "application/json; charset=utf-8" })

/** The status a trigger answers with; older and newer versions of the node keep it in different places. */
const codeOf = (node: JsonObject): number => {
  const { options, responseCode } = parametersOf(node)
  return statusOf(responseCode ?? objectOf(objectOf(objectOf(options).responseCode).values).responseCode)
}

const problemOf = ({ status }: { readonly status: string }) => {
  if (status === "success") return undefined
  return status === "canceled"
    ? json(500, { code: 0, message: "There was a problem executing the workflow" })
    : json(500, { message: "Error in workflow" })
}

/** The answer to a call that nothing listens to: not at its path, or only to other methods. */
export const notListening = (method: string, path: string, listened: ReadonlyArray<string>) => {
  const methods = [...new Set(listened)]
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

/** A page in place of a form, which nobody sees here. */
export const formPage = (status: number, title: string) =>
  HttpServerResponse.text(`<!DOCTYPE html>\n<html lang='en'>\n<title>${title}</title>\n</html>\n`, {
    status,
    contentType: "text/html; charset=utf-8"
  })

/** The answer of a test address that no editor listens to. */
export const noTestAddress = (path: string, { testButton }: Messages) =>
  json(404, {
    code: 404,
    message: `The requested webhook "${path.slice(path.indexOf("/") + 1)}" is not registered.`,
    hint: `Click the '${testButton}' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)`
  })
