import { Cause, Clock, Context, Deferred, Effect, Exit, Predicate, Random, Result } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { Audit, type AuditEntry, Caller, noteInstance, RequestId } from "../callContext.ts"
import type { Prompt } from "../Prompt.ts"
import type { Answer, Tool } from "../Tool.ts"
import type { ToolFailure } from "../ToolError.ts"
import type { InputNeeded } from "./elicitation/rounds.ts"
import { toErrorObject, toErrorResult } from "./errors.ts"
import { type Outcome, type Request, success } from "./Message.ts"
import type { Call } from "./Method.ts"
import { modern, type ProtocolVersion } from "./ProtocolVersion.ts"

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
export const observeRequests = (
  methods: ReadonlySet<string>,
  tools: ReadonlyArray<Tool>,
  prompts: ReadonlyArray<Prompt>
) => {
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
    Effect.flatMap(RequestObserver, (observe) =>
      observe === undefined ? serving : observe(serving, observedRequest(request, call))
    )
}

/** Calls a tool under observation, if there is an observer, without a protocol. */
export const observeCall = (
  call: Effect.Effect<Answer, ToolFailure>,
  request: Pick<ObservedRequest, "meta" | "target">
) =>
  Effect.flatMap(RequestObserver, (observe) =>
    observe === undefined
      ? call
      : Effect.gen(function* () {
          const answer = yield* Deferred.make<Answer, ToolFailure>()
          const serving = Effect.flatMap(Effect.result(call), (result) =>
            Effect.as(Deferred.complete(answer, Effect.fromResult(result)), outcomeOf(result))
          )
          yield* observe(serving, { ...request, method: "tools/call", id: undefined, revision: modern.date })
          return yield* Deferred.await(answer)
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

type ToolFacts = Pick<Tool, "annotations" | "name">

interface AuditedCall {
  /** The unvalidated arguments. */
  readonly input: unknown
  readonly client: unknown
  readonly protocolVersion: ProtocolVersion
  readonly reason?: unknown
}

/** Calls a tool; a call that may change something is recorded when it has ended, in whichever way. */
export const auditCall = <E extends ToolFailure | InputNeeded>(
  tool: ToolFacts,
  call: Effect.Effect<Answer, E>,
  about: AuditedCall
): Effect.Effect<Answer, E> => (tool.annotations.readOnlyHint ? call : recordCall(tool, call, about))

const recordCall = Effect.fnUntraced(function* <E extends ToolFailure | InputNeeded>(
  tool: ToolFacts,
  call: Effect.Effect<Answer, E>,
  { client, input, protocolVersion, reason }: AuditedCall
) {
  const { introduced, record } = yield* Audit
  const startedAt = yield* Clock.currentTimeMillis
  const caller = {
    tool: tool.name,
    client: clientName(client) ?? (yield* introduced),
    reason: Predicate.isString(reason) ? oneLine(reason).slice(0, 500) : undefined,
    id: `${startedAt.toString(36)}-${(yield* Random.nextIntBetween(0, 36 ** 4)).toString(36)}`
  }
  const request = yield* RequestId
  const noteOutside = yield* noteInstance
  let instance: string | undefined
  const noteHere = (name: string) =>
    Effect.suspend(() => {
      instance = name
      return noteOutside(name)
    })
  return yield* Effect.provideService(call, noteInstance, noteHere).pipe(
    Effect.provideService(Caller, caller),
    Effect.onExit((exit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const conclusion = conclude(exit, input, protocolVersion)
        return conclusion === undefined
          ? Effect.void
          : record({
              tool: tool.name,
              instance,
              ...conclusion,
              startedAt,
              durationMs: now - startedAt,
              client: clientName(client),
              request
            })
      })
    )
  )
})

/** Undefined if the call will be repeated with the answer to a question: until then it has changed nothing. */
const conclude = (
  exit: Exit.Exit<Answer, ToolFailure | InputNeeded>,
  input: unknown,
  protocolVersion: ProtocolVersion
): Pick<AuditEntry, "outcome" | "error" | "ids"> | undefined => {
  if (Exit.isSuccess(exit)) {
    return { outcome: "succeeded", error: undefined, ids: idsIn(input, exit.value.structured) }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return { outcome: "interrupted", error: undefined, ids: idsIn(input) }
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (failure === undefined) return { outcome: "failed", error: "INTERNAL_ERROR", ids: idsIn(input) }
  if (failure._tag === "InputNeeded") return undefined
  const { data } = toErrorObject(failure, protocolVersion)
  return {
    outcome: "failed",
    error: String(data?.["code"]),
    // A refused argument may be anything, such as a secret in the wrong place.
    ids: failure._tag === "InvalidArgument" ? [] : idsIn(input, data)
  }
}

const isIdName = (name: string) => /^ids?$|_ids?$|[a-z]Ids?$/.test(name)
const isId = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && /^[\w.:-]{1,64}$/.test(value))
const most = 100

/** Distinct ids in the top-level fields. */
const idsIn = (...objects: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const values = objects.flatMap((object) =>
    Predicate.isObject(object)
      ? Object.entries(object).flatMap(([name, value]): ReadonlyArray<unknown> => {
          if (!isIdName(name)) return []
          return Array.isArray(value) ? value : [value]
        })
      : []
  )
  return [...new Set(values.filter(isId).map(String))].slice(0, most)
}

/** A client's name as `name/version` in at most 100 characters. */
export const clientName = (info: unknown): string | undefined => {
  if (!Predicate.hasProperty(info, "name") || !Predicate.isString(info.name)) return undefined
  const version = Predicate.hasProperty(info, "version") && Predicate.isString(info.version) ? `/${info.version}` : ""
  return oneLine(`${info.name}${version}`).slice(0, 100)
}
