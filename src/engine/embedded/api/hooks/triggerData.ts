import { Effect, Option, Predicate, Stream } from "effect"
import { HttpServerRequest } from "effect/http"

import { type JsonObject, listOf, objectOf } from "../../../../internal/schema/JsonObject.ts"
import { kindOf, parametersOf } from "../../run/triggers.ts"
import { bodyOf, mediaTypeOf, parse } from "../../wire/http.ts"

/** A call of a trigger's address. */
export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly variables: Readonly<Record<string, string>>
  readonly content: unknown
  /** The time of the call, as text. */
  readonly time: string
}

/** The data of the single item that a trigger makes of a call. */
export const triggerData = (node: JsonObject, visit: Visit): JsonObject => {
  switch (kindOf(node)) {
    case "chatTrigger":
      return objectOf(visit.content)
    case "formTrigger":
      return formData(node, visit)
    default:
      return webhookData(visit)
  }
}

const webhookData = ({ content, request, variables }: Visit): JsonObject => {
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

/** A form sends its fields by number; the workflow gets them by label. */
const formData = (node: JsonObject, { content, request, time }: Visit): JsonObject => {
  const { values } = objectOf(parametersOf(node).formFields)
  const isMultipart = request.headers["content-type"]?.startsWith("multipart/form-data") === true
  const sent = isMultipart ? objectOf(content) : objectOf(objectOf(content).data)
  const fields = listOf(values).map((field: unknown, index) => {
    const { fieldLabel, fieldName, fieldType } = objectOf(field)
    const value = sent[`field-${index}`] ?? null
    const label = String(fieldType === "hiddenField" ? fieldName : fieldLabel)
    if (value === null) return [label, null] as const
    if (fieldType === "number") return [label, Number(value)] as const
    return [label, fieldType === "text" && Predicate.isString(value) ? value.trim() : value] as const
  })
  return { ...Object.fromEntries<unknown>(fields), submittedAt: time, formMode: "production" }
}

/** What was sent to a trigger: a value for JSON, fields for forms, text for anything else. */
export const contentOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  switch (mediaTypeOf(request)) {
    case "multipart/form-data":
      return yield* fieldsOf(request)
    case "application/x-www-form-urlencoded":
      return Object.fromEntries(new URLSearchParams(yield* bodyOf(request)))
    case "application/json":
      return yield* Effect.fromResult(parse(yield* bodyOf(request)))
    default: {
      const text = yield* bodyOf(request)
      return text === "" ? {} : text
    }
  }
})

/** The text fields of a multipart form; files are ignored. */
const fieldsOf = (request: HttpServerRequest.HttpServerRequest) =>
  request.multipartStream.pipe(
    Stream.mapEffect((part) =>
      part._tag === "Field"
        ? Effect.succeed([[part.key, part.value] as const])
        : Effect.as(Stream.runDrain(part.content), [])
    ),
    Stream.runCollect,
    Effect.map((fields) => Object.fromEntries<unknown>(fields.flat())),
    Effect.orDie
  )
