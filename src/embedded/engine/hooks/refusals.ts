import { HttpServerResponse } from "effect/http"

import { json } from "../wire/replies.ts"
import type { Listener } from "./listeners.ts"

/** Nothing listens to a call: not at its path, or not to its method. */
export const refusal = (method: string, path: string, here: ReadonlyArray<Listener>) => {
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

/** What an execution says that should respond and cannot. */
export const noRespondent = "No Respond to Webhook node found in the workflow"

/** What the caller of such a workflow is told. */
export const muteness = (isSecond: boolean) =>
  json(500, {
    code: 0,
    message: isSecond ? noRespondent : "Workflow Webhook Error: Workflow could not be started!"
  })

/** Forms are there to be seen by people; nobody sees these. */
export const formPage = (status: number, title: string) =>
  HttpServerResponse.text(`<!DOCTYPE html>\n<html lang='en'>\n<title>${title}</title>\n</html>\n`, {
    status,
    contentType: "text/html; charset=utf-8"
  })

/** What test addresses answer, to which only an open editor could listen. */
export const noEditor = (path: string, isSecond: boolean) => {
  const button = isSecond ? "Execute workflow" : "Test workflow"
  return json(404, {
    code: 404,
    message: `The requested webhook "${path.slice(path.indexOf("/") + 1)}" is not registered.`,
    hint: `Click the '${button}' button on the canvas, then try again. (In test mode, the webhook only works for one call after you click this button)`
  })
}
