import { render } from "preact"

import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { numberOf, textOf } from "../json.ts"
import { readJson } from "../readJson.ts"
import { View, type ViewProps } from "./View.tsx"

const follow = (context: JsonObject) => {
  const theme = textOf(context.theme)
  if (theme !== "light" && theme !== "dark") return
  document.documentElement.dataset.theme = theme
  document.documentElement.style.colorScheme = theme
}

const about = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "workflow-tool-server", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }
}

/** The answer of a tool: as data, or as the text that older revisions of the protocol have. */
const answerOf = ({ content, structuredContent }: JsonObject): JsonObject =>
  objectOf(structuredContent ?? readJson(textOf(objectsOf(content)[0]?.text))?.value)

/** Shows the answer of a tool beside it, in a client that has given this document a frame. */
export const startView = () => {
  let callArguments: JsonObject = {}
  let props: ViewProps = {}

  const show = (more: ViewProps) => {
    props = { ...props, ...more }
    render(<View {...props} />, document.body)
  }

  const host = connect({
    "ui/notifications/tool-input": (params) => {
      callArguments = objectOf(params.arguments)
    },
    "ui/notifications/tool-result": (result) => {
      const answer = answerOf(result)
      const instance = textOf(callArguments.instance)
      const place = instance === "" ? {} : { instance }
      show({ answer })
      if (answer.sketch === undefined) return
      const call = (name: string, args: object, then: (answer: JsonObject) => void) =>
        host.request("tools/call", { name, arguments: { ...args, ...place } }, (called) => {
          const result = answerOf(called ?? {})
          if (called?.isError !== true && Object.keys(result).length > 0) then(result)
        })
      call("get_workflow", { id: answer.id }, (workflow) => show({ workflow }))
      const execution = numberOf(objectOf(answer.execution).id) || Number(textOf(objectOf(answer.execution).id))
      if (execution > 0) {
        call("get_execution", { id: execution, includeData: true, items: 3 }, (run) => show({ execution: run }))
      }
    },
    "ui/notifications/host-context-changed": follow
  })

  host.request("ui/initialize", about, (answer) => {
    follow(objectOf(answer?.hostContext))
    host.notify("ui/notifications/initialized", {})
  })
  new ResizeObserver(() => {
    const { height, width } = document.documentElement.getBoundingClientRect()
    host.notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) })
  }).observe(document.documentElement)
  show({})
}

type Then = (result: JsonObject | undefined) => void

/** The program around this view: it shows the view in a frame, and calls tools for it. */
interface Host {
  /** Asks the host; nothing comes back where it refuses. */
  readonly request: (method: string, params: object, then: Then) => void
  readonly notify: (method: string, params: object) => void
}

/** Talks JSON-RPC with the window around this one, and hears nobody else. */
const connect = (heard: Readonly<Record<string, (params: JsonObject) => void>>): Host => {
  const waiting = new Map<unknown, Then>()
  const post = (message: object) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*")
  addEventListener("message", ({ data, source }: MessageEvent<unknown>) => {
    if (source !== parent || !isJsonObject(data)) return
    const { id, method, params, result } = data
    if (typeof method === "string") {
      if (Object.hasOwn(heard, method)) heard[method]?.(objectOf(params))
      // Its requests, such as a ping or the end of this view, want no more than an answer.
      if (id !== undefined) post({ id, result: {} })
      return
    }
    const then = waiting.get(id)
    waiting.delete(id)
    then?.(isJsonObject(result) ? result : undefined)
  })
  let last = 0
  return {
    request: (method, params, then) => {
      last += 1
      waiting.set(last, then)
      post({ id: last, method, params })
    },
    notify: (method, params) => post({ method, params })
  }
}
