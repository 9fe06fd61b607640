// Node's own events and callbacks, as in nodeTransport.
import type { IncomingMessage } from "node:http"
import { pipeline, type Readable } from "node:stream"

import { Effect } from "effect"

import { systemError } from "../../internal/http/transportCode.ts"

/** The text of a body, read in one piece. */
export const textOf = <E>(body: Readable, failed: (cause: unknown) => E): Effect.Effect<string, E> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    let isWhole = false
    const end = () => {
      const [first] = chunks
      const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
      resume(Effect.succeed(decoder.decode(bytes)))
    }
    // An error is made only where it is one: every body that was read closes, too.
    const fail = () => (isWhole ? undefined : resume(Effect.fail(failed(body.errored))))
    if (body.destroyed) return fail()
    body
      .on("data", (chunk: Uint8Array) => chunks.push(chunk))
      .on("error", fail)
      .on("close", fail)
    // One moment later the connection is free, so that what follows goes over it.
    body.on("end", () => {
      isWhole = true
      process.nextTick(end)
    })
  })

const decoder = new TextDecoder()

const packing = /^(?:(?:x-)?gzip|deflate|br)$/

/** The body of an answer, unpacked as far as it is packed. */
export const bodyStream = (answer: IncomingMessage): Effect.Effect<Readable> => {
  const { "content-encoding": coding = "", "content-length": length } = answer.headers
  if (coding === "" || length === "0" || answer.statusCode === 204 || answer.statusCode === 304) {
    return Effect.succeed(answer)
  }
  const codings = coding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => packing.test(name))
  if (codings.length > mostCodings) return Effect.sync(() => answer.destroy(systemError("Z_BUF_ERROR")))
  // Nobody has it yet who would break it off.
  const loaded = Effect.onInterrupt(
    Effect.promise(() => import("node:zlib")),
    () => Effect.sync(() => answer.destroy())
  )
  return Effect.map(loaded, ({ createBrotliDecompress, createUnzip }) =>
    codings.reduceRight<Readable>(
      (packed, name) => pipeline(packed, name === "br" ? createBrotliDecompress() : createUnzip(), () => {}),
      answer
    )
  )
}

/** Each layer takes memory before a byte of it is unpacked; nobody packs twice. */
const mostCodings = 5
