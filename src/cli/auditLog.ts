import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type Cause, Effect, Fiber, Layer, Option, Queue } from "effect"
import { HttpServerRequest } from "effect/http"

import { Audit, type AuditEntry } from "../mcp/Audit.ts"
import { auditFile } from "./auditFile.ts"
import type { Launch } from "./Launch.ts"

/** Lines that can wait for a disk that takes none. */
const patience = 10_000

/**
 * Writes a line of JSON for every call that may have changed something, behind the callers' backs; what waits when the
 * server ends is written first. A file that takes no lines stops no call: that is said as an error, and tried again.
 */
export const auditLog = (launch: Pick<Launch, "config" | "http">, settings: NonNullable<Launch["audit"]>) =>
  Layer.effect(Audit, make(launch, settings)).pipe(Layer.provide(NodeFileSystem.layer))

const make = Effect.fnUntraced(function* (
  { config = "", http }: Pick<Launch, "config" | "http">,
  { besideConfiguration, ...settings }: NonNullable<Launch["audit"]>
) {
  const file = path.resolve(besideConfiguration ? path.dirname(config) : "", settings.file)
  const append = yield* auditFile({ ...settings, file })
  const lines = yield* Queue.dropping<string, Cause.Done>(patience)
  const writing = yield* Queue.takeAll(lines).pipe(
    Effect.flatMap(append),
    Effect.forever,
    Effect.ignore,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(lines), Fiber.await(writing)))
  yield* append([])

  const transport = http === undefined ? "stdio" : "http"
  let introduced: string | undefined
  return {
    // Over HTTP every message stands alone: who introduced itself in one is not known in the next.
    introduce: (client: string) =>
      Effect.sync(() => {
        if (transport === "stdio") introduced = client
      }),
    record: Effect.fnUntraced(function* (entry: AuditEntry) {
      const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
      const line = lineOf(entry, { transport, ...callerOf(request, entry.client ?? introduced) })
      if (!(yield* Queue.offer(lines, line))) {
        yield* Effect.logError(`${file} takes no more lines: a call of ${entry.tool} is not in the audit log`)
      }
    })
  }
})

/** The name that stands for the caller, and where it calls from, as far as that is known. */
const callerOf = (request: Option.Option<HttpServerRequest.HttpServerRequest>, introduced: string | undefined) => {
  if (Option.isNone(request)) return { client: introduced }
  const { headers, remoteAddress } = request.value
  return { client: introduced ?? headers["user-agent"]?.slice(0, 100), address: Option.getOrUndefined(remoteAddress) }
}

/** Fields that are not known are left out. */
const lineOf = ({ startedAt, ...entry }: AuditEntry, caller: object): string =>
  `${JSON.stringify({ time: new Date(startedAt).toISOString(), ...entry, ...caller, pid: process.pid })}\n`
