import { Cause, Clock, Effect, Exit, Option, Tracer } from "effect"
import { HttpServerRequest } from "effect/http"

import { noteInstance } from "../../mcp/Audit.ts"
import { type Asked, errorOf } from "../../mcp/protocol/observed.ts"
import type { Outcome } from "../../mcp/protocol/Response.ts"
import { RequestId } from "../../mcp/RequestId.ts"
import type { Meters } from "./meters.ts"
import { exitOf, type makeBegin, parentOf } from "./spans.ts"

/** Observes every request of a client: a span, its duration, and for tools the outcome of the call. */
export const watchRequests =
  (meters: Meters, begin: ReturnType<typeof makeBegin> | undefined) =>
  (serving: Effect.Effect<Outcome>, asked: Asked): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const http = Option.getOrUndefined(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
      const startTime = yield* Clock.currentTimeNanos
      const requestId = yield* RequestId
      const about = labelsOf(asked, http !== undefined)
      const span = begin?.({
        name: asked.target === undefined ? asked.method : `${asked.method} ${asked.target}`,
        kind: "server",
        parent: parentOf(asked.meta, http?.headers),
        startTime,
        attributes: {
          ...about,
          ...(asked.method === "tools/call" ? { "gen_ai.operation.name": "execute_tool" } : {}),
          "mcp.protocol.version": asked.revision,
          ...(asked.id === undefined ? {} : { "jsonrpc.request.id": String(asked.id).slice(0, 64) }),
          "workflow_tool_server.request.id": requestId
        }
      })
      let instance: string | undefined
      const note = (name: string) =>
        Effect.sync(() => {
          instance = name
        })
      meters.active(1)
      return yield* serving.pipe(
        Effect.provideService(noteInstance, note),
        span === undefined ? (self) => self : Effect.provideService(Tracer.ParentSpan, span),
        Effect.onExit((exit) =>
          Effect.map(Clock.currentTimeNanos, (endTime) => {
            const error = wordOf(exit)
            const failed: Readonly<Record<string, string>> = error === undefined ? {} : { "error.type": error }
            const place: Readonly<Record<string, string>> = instance === undefined ? {} : { [instanceKey]: instance }
            meters.active(-1)
            meters.operation(Number(endTime - startTime) / 1e9, { ...about, ...failed })
            if (asked.method === "tools/call") {
              meters.call({
                "gen_ai.tool.name": asked.target ?? "_OTHER",
                outcome: error === undefined ? "succeeded" : error === interrupted ? error : "failed",
                ...failed,
                ...place
              })
            }
            for (const [key, value] of Object.entries({ ...failed, ...place })) span?.attribute(key, value)
            span?.end(endTime, exitOf(error))
          })
        )
      )
    })

/** The attribute with the name of an instance. */
export const instanceKey = "workflow_tool_server.instance"

const interrupted = "interrupted"

const wordOf = (exit: Exit.Exit<Outcome>): string | undefined => {
  if (Exit.isSuccess(exit)) return errorOf(exit.value)
  return Cause.hasInterruptsOnly(exit.cause) ? interrupted : "INTERNAL_ERROR"
}

/** A command of the shell has no transport. */
const labelsOf = ({ id, method, target }: Asked, isHttp: boolean): Readonly<Record<string, string>> => ({
  "mcp.method.name": method,
  ...(id === undefined ? {} : { "network.transport": isHttp ? "tcp" : "pipe" }),
  ...(method === "tools/call" && target !== undefined ? { "gen_ai.tool.name": target } : {}),
  ...(method === "prompts/get" && target !== undefined ? { "gen_ai.prompt.name": target } : {})
})
