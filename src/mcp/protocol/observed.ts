import { Context, Deferred, Effect, Predicate, Result } from "effect"

import { withReference } from "../../internal/withReference.ts"
import type { Prompt } from "../Prompt.ts"
import type { Answer, Tool } from "../Tool.ts"
import type { ToolFailure } from "../ToolError.ts"
import { toErrorResult } from "./errors.ts"
import type { Request } from "./Message.ts"
import type { Call } from "./Method.ts"
import { modern } from "./ProtocolVersion.ts"
import { type Outcome, success } from "./Response.ts"

/** A request as observers of the server see it: without its arguments. */
export interface ObservedRequest {
  /** A method of the protocol, or `_OTHER`. */
  readonly method: string
  /** The tool or prompt that it names, if it exists. */
  readonly target: string | undefined
  /** Undefined if no protocol is involved. */
  readonly id: Request["id"] | undefined
  /** Date of the protocol's revision. */
  readonly revision: string
  /** Trace headers of the request itself. */
  readonly meta: unknown
}

/** Observes requests while they are served. By default nobody does. */
export const RequestObserver = Context.Reference<
  ((serving: Effect.Effect<Outcome>, request: ObservedRequest) => Effect.Effect<Outcome>) | undefined
>("workflow-tool-server/mcp/RequestObserver", { defaultValue: () => undefined })

/** Serves requests under observation, if there is an observer. */
export const observing = (methods: ReadonlySet<string>, tools: ReadonlyArray<Tool>, prompts: ReadonlyArray<Prompt>) => {
  const targets = new Map([
    ["tools/call", new Set(tools.map(({ name }) => name))],
    ["prompts/get", new Set(prompts.map(({ name }) => name))]
  ])

  const observedRequest = ({ id, method, params }: Request, { protocolVersion }: Call): ObservedRequest => {
    const name = Predicate.hasProperty(params, "name") && Predicate.isString(params.name) ? params.name : ""
    return {
      method: methods.has(method) ? method : "_OTHER",
      target: targets.get(method)?.has(name) === true ? name : undefined,
      id,
      revision: protocolVersion.date,
      meta: Predicate.hasProperty(params, "_meta") ? params._meta : undefined
    }
  }

  return (serving: Effect.Effect<Outcome>, request: Request, call: Call): Effect.Effect<Outcome> =>
    withReference(RequestObserver, (observe) =>
      observe === undefined ? serving : observe(serving, observedRequest(request, call))
    )
}

/** Calls a tool under observation, if there is an observer, without a protocol. */
export const observedCall = (
  call: Effect.Effect<Answer, ToolFailure>,
  request: Pick<ObservedRequest, "meta" | "target">
) =>
  withReference(RequestObserver, (observe) =>
    observe === undefined
      ? call
      : Effect.gen(function* () {
          const ended = yield* Deferred.make<Answer, ToolFailure>()
          const serving = Effect.flatMap(Effect.result(call), (result) =>
            Effect.as(Deferred.complete(ended, Effect.fromResult(result)), outcomeOf(result))
          )
          yield* observe(serving, { ...request, method: "tools/call", id: undefined, revision: modern.date })
          return yield* Deferred.await(ended)
        })
  )

const outcomeOf = (result: Result.Result<Answer, ToolFailure>): Outcome => ({
  era: "modern",
  verdict: "answered",
  response: success(0, Result.isSuccess(result) ? {} : toErrorResult(result.failure))
})

/** The code of a failure, such as `API_ERROR` or `-32601`; undefined for a success. */
export const errorOf = ({ response }: Outcome): string | undefined => {
  if (!("id" in response)) return undefined
  if ("error" in response) return wordOf(response.error.data) ?? String(response.error.code)
  const { isError, structuredContent } = response.result
  if (isError !== true) return undefined
  const error = Predicate.hasProperty(structuredContent, "error") ? structuredContent.error : undefined
  return wordOf(error) ?? "tool_error"
}

/** Only codes of our own form: the number of metric series must not grow without limit. */
const wordOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) && /^[A-Z][A-Z_]{0,39}$/.test(error.code)
    ? error.code
    : undefined
