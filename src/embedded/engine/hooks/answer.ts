import { Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"

import type { Free } from "../../../engine/Workflow.ts"
import { kindOf, parametersOf } from "../rules/triggers.ts"
import { statusOf } from "../run/kinds.ts"
import type { Run } from "../run/Runner.ts"
import { asFree } from "../store/values.ts"
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
export const answer = (node: Free, run: Run, isSecond: boolean) => answers[modeOf(node)](node, run, isSecond)

type Answer = (node: Free, run: Run, isSecond: boolean) => Effect.Effect<HttpServerResponse.HttpServerResponse>

const atOnce: Answer = (node) => {
  const { responseData } = asFree(parametersOf(node).options)
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

const byLastNode: Answer = (node, run, isSecond) =>
  Effect.map(run.end, (execution) => {
    const { responseData } = parametersOf(node)
    const items = (execution.steps.at(-1)?.outputs[0] ?? []).map((item) => item.json)
    const problem = problemOf(execution)
    if (problem !== undefined) return problem
    if (responseData === "noData") return nothing(codeOf(node))
    if (responseData === "allEntries") return json(codeOf(node), items)
    return items.length === 0
      ? json(500, { code: 0, message: `No item to return ${isSecond ? "was" : "got"} found` })
      : json(codeOf(node), items[0])
  })

const answers = { lastNode: byLastNode, onReceived: atOnce, responseNode: byRespondent }

const nothing = (status: number) =>
  HttpServerResponse.text("", { status, contentType: "application/json; charset=utf-8" })

/** The status a trigger answers with, in the places of its older and newer versions. */
const codeOf = (node: Free): number => {
  const { options, responseCode } = parametersOf(node)
  return statusOf(responseCode ?? asFree(asFree(asFree(options).responseCode).values).responseCode)
}

const problemOf = ({ status }: { readonly status: string }) => {
  if (status === "success") return undefined
  return status === "canceled"
    ? json(500, { code: 0, message: "There was a problem executing the workflow" })
    : json(500, { message: "Error in workflow" })
}
