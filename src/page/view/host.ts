import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"

type Then = (result: JsonObject | undefined) => void

/** The program around this view: it shows the view in a frame, and calls tools for it. */
export interface Host {
  /** Asks the host; nothing comes back where it refuses. */
  readonly request: (method: string, params: object, then: Then) => void
  readonly notify: (method: string, params: object) => void
}

/** Talks JSON-RPC with the window around this one, and hears nobody else. */
export const connect = (heard: Readonly<Record<string, (params: JsonObject) => void>>): Host => {
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
