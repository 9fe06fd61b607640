import { Effect, Option, Predicate, Stream } from "effect"
import { HttpServerRequest } from "effect/http"

import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isListening, listeningAddresses, snapshotOf } from "../run/publishing.ts"
import { Runner } from "../run/Runner.ts"
import { type Address, isEnabled, kindOf, matchAddress, parametersOf } from "../run/triggers.ts"
import type { Snapshot, WorkflowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { type Moment, now, present } from "../store/values.ts"
import { bodyOf, decodeSegment, json, mediaTypeOf, page, parse } from "../wire/http.ts"
import { Dialect } from "./Dialect.ts"
import { answer, formPage, modeOf, noTestAddress, notListening } from "./hookAnswers.ts"

/** A workflow that listens at the path of a call. */
interface Listener {
  readonly workflow: WorkflowRecord
  readonly address: Address
  readonly variables: Readonly<Record<string, string>>
}

/** The path of a call, decoded, without its first slash. */
const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string =>
  (url.split("?")[0] ?? "").slice(1).split("/").map(decodeSegment).join("/")

/** Everything that listens at a path, whatever the method. Of two at the same address, the later one comes first. */
const listenersAt = (path: string, workflows: ReadonlyArray<WorkflowRecord>, moment: Moment): ReadonlyArray<Listener> =>
  workflows
    .filter((workflow) => isListening(workflow, moment))
    .sort((a, b) => (b.published?.listensAt ?? 0) - (a.published?.listensAt ?? 0))
    .flatMap((workflow) =>
      listeningAddresses(workflow).flatMap((address) => {
        const variables = matchAddress(address, path)
        return variables === undefined ? [] : [{ workflow, address, variables }]
      })
    )

/** Answers calls of webhooks, forms and chats of active workflows, by running those. */
export const hooks = Effect.fnUntraced(
  function* (request: HttpServerRequest.HttpServerRequest) {
    const { tables } = yield* Store
    const { messages } = yield* Dialect
    const path = pathOf(request)
    const here = listenersAt(path, [...tables.workflows.values()], yield* present)
    const listener = here.find(({ address }) => address.method === request.method)
    if (listener === undefined) {
      return path.startsWith("form/")
        ? formPage(404, "Problem loading form")
        : notListening(
            request.method,
            path,
            here.map(({ address }) => address.method)
          )
    }
    const { node } = listener.address
    if (kindOf(node) === "formTrigger" && request.method === "GET") return formPage(200, "Form")
    const snapshot = snapshotOf(listener.workflow)
    const isMute = modeOf(node) === "responseNode" && !canRespond(snapshot, String(node.name))

    const visit = { request, variables: listener.variables, content: yield* contentOf(request), time: yield* now }
    const runner = yield* Runner
    const run = yield* runner.start({
      workflowId: listener.workflow.id,
      snapshot,
      mode: "webhook",
      start: {
        node: String(node.name),
        source: null,
        input: [{ json: triggerData(node, visit), pairedItem: { item: 0 } }],
        ...(isMute ? { obstacle: "No Respond to Webhook node found in the workflow" } : {})
      }
    })
    return isMute ? json(500, { code: 0, message: messages.noRespondent }) : yield* answer(node, run, messages)
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
    for (const output of listOf(objectOf(connections[name]).main)) {
      for (const { node } of listOf(output).map(objectOf)) reached.add(String(node))
    }
  }
  return nodes.some((node) => kindOf(node) === "respondToWebhook" && isEnabled(node) && reached.has(String(node.name)))
}

/** Answers calls of test addresses, to which only an open editor could listen. */
export const testHooks = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(Dialect, ({ messages }) => noTestAddress(pathOf(request), messages))

/** A call of a trigger's address. */
interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly variables: Readonly<Record<string, string>>
  readonly content: unknown
  /** The time of the call, as text. */
  readonly time: string
}

/** The data of the single item that a trigger makes of a call. */
const triggerData = (node: JsonObject, visit: Visit): JsonObject => {
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

/** The content of a call of a trigger: a value for JSON, fields for forms, text for anything else. */
const contentOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
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
