import { IncomingMessage } from "node:http"

import type { BodyReaders } from "../../mcp/transport/body.ts"

/** The bytes of a body by Node's own events. `Expect: 100-continue` is left to the listener. */
export const nodeBody: BodyReaders = ({ source }) => {
  if (!(source instanceof IncomingMessage) || source.headers.expect !== undefined) return undefined
  return (most, told) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    let isOver = false
    const stop = () => {
      isOver = true
      source.off("data", take).pause()
    }
    const finish = (end: Uint8Array | "broken") => {
      if (isOver) return
      isOver = true
      told(end)
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= most) return
      source.off("data", take).pause()
      finish("broken")
    }
    const fail = () => finish("broken")
    if (source.destroyed) fail()
    else {
      source.on("data", take).on("error", fail).on("close", fail)
      source.on("end", () => {
        const [first] = chunks
        finish(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks))
      })
    }
    return stop
  }
}
