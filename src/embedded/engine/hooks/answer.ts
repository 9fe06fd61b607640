import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

import type { Free } from "../../../engine/Workflow.ts"
import { asFree, kindOf, parametersOf } from "../rules/triggers.ts"
import type { Run } from "../run/Runner.ts"
import { json } from "../wire/replies.ts"

type Mode = "lastNode" | "onReceived" | "responseNode"

/** When a trigger answers its caller. */
export const modeOf = (node: Free): Mode => {
  const { options, responseMode } = parametersOf(node)
  const isChat = kindOf(node) === "chatTrigger"
  const mode = isChat ? (asFree(options).responseMode ?? "lastNode") : responseMode
  return mode === "lastNode" || mode === "responseNode" ? mode : "onReceived"
}

/** What the caller of a trigger gets for the run that it started. */
export const answer = Effect.fnUntraced(function* (node: Free, run: Run, isSecond: boolean) {
  const { options, responseData } = parametersOf(node)
  switch (modeOf(node)) {
    case "onReceived": {
      const { responseData: text } = asFree(options)
      const start = kindOf(node) === "formTrigger" ? { status: 200 } : { message: "Workflow was started" }
      return typeof text === "string" ? said(codeOf(node), text) : json(codeOf(node), start)
    }
    case "responseNode": {
      const response = yield* run.response
      if (response !== undefined) {
        const { body, contentType, headers, status } = response
        return HttpServerResponse.text(body, { status, contentType, headers })
      }
      const problem = problemOf(yield* run.end)
      return problem ?? json(codeOf(node), { message: "Workflow executed successfully" })
    }
    case "lastNode": {
      const execution = yield* run.end
      const problem = problemOf(execution)
      if (problem !== undefined) return problem
      const items = execution.steps.at(-1)?.outputs[0] ?? []
      if (responseData === "noData") return said(codeOf(node), "")
      if (responseData === "allEntries")
        return json(
          codeOf(node),
          items.map((item) => item.json)
        )
      return items[0] === undefined
        ? json(500, { code: 0, message: `No item to return ${isSecond ? "was" : "got"} found` })
        : json(codeOf(node), items[0].json)
    }
  }
})

const said = (status: number, text: string) =>
  HttpServerResponse.text(text, { status, contentType: "application/json; charset=utf-8" })

/** The status a trigger answers with, in the places of its older and newer versions. */
const codeOf = (node: Free): number => {
  const { options, responseCode } = parametersOf(node)
  return Number(responseCode ?? asFree(asFree(asFree(options).responseCode).values).responseCode ?? 200)
}

const problemOf = ({ status }: { readonly status: string }) => {
  if (status === "error") return json(500, { message: "Error in workflow" })
  return status === "canceled"
    ? json(500, { code: 0, message: "There was a problem executing the workflow" })
    : undefined
}
