import { Option, Predicate } from "effect"
import { HttpServerRequest } from "effect/http"

import type { Free } from "../../../engine/Workflow.ts"
import { kindOf, parametersOf } from "../rules/triggers.ts"
import { asFree, asList } from "../store/values.ts"

/** A call of a trigger's address. */
export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly variables: Readonly<Record<string, string>>
  readonly content: unknown
  /** When it came, as text. */
  readonly time: string
}

/** The data of the one item that a trigger makes of a call. */
export const triggerData = (node: Free, visit: Visit): Free => {
  switch (kindOf(node)) {
    case "chatTrigger":
      return asFree(visit.content)
    case "formTrigger":
      return formData(node, visit)
    default:
      return webhookData(visit)
  }
}

const webhookData = ({ content, request, variables }: Visit): Free => {
  const url = Option.getOrUndefined(HttpServerRequest.toURL(request))
  return {
    headers: { ...request.headers },
    params: variables,
    query: Object.fromEntries(url?.searchParams ?? []),
    body: content,
    webhookUrl: url === undefined ? request.url : `${url.origin}${url.pathname}`,
    executionMode: "production"
  }
}

/** Fields are sent by number, and called by their labels from here on. */
const formData = (node: Free, { content, request, time }: Visit): Free => {
  const { values } = asFree(parametersOf(node).formFields)
  const isMultipart = request.headers["content-type"]?.startsWith("multipart/form-data") === true
  const sent = isMultipart ? asFree(content) : asFree(asFree(content).data)
  const fields = asList(values).map((field: unknown, index) => {
    const { fieldLabel, fieldName, fieldType } = asFree(field)
    const value = sent[`field-${index}`] ?? null
    const label = String(fieldType === "hiddenField" ? fieldName : fieldLabel)
    if (value === null) return [label, null] as const
    if (fieldType === "number") return [label, Number(value)] as const
    return [label, fieldType === "text" && Predicate.isString(value) ? value.trim() : value] as const
  })
  return { ...Object.fromEntries<unknown>(fields), submittedAt: time, formMode: "production" }
}
