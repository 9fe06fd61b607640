import { Cause, Clock, Effect, Exit, Predicate, Random } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { Audit, type AuditEntry, noteInstance } from "../Audit.ts"
import { Caller } from "../Caller.ts"
import { RequestId } from "../RequestId.ts"
import type { Answer, Tool } from "../Tool.ts"
import type { ToolFailure } from "../ToolError.ts"
import type { InputNeeded } from "./elicitation/rounds.ts"
import { toErrorObject } from "./errors.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"

type Called = Pick<Tool, "annotations" | "name">

interface About {
  /** The unvalidated arguments. */
  readonly input: unknown
  readonly client: unknown
  readonly protocolVersion: ProtocolVersion
  readonly reason?: unknown
}

/** Calls a tool; a call that may change something is recorded when it has ended, in whichever way. */
export const audited = <E extends ToolFailure | InputNeeded>(
  tool: Called,
  call: Effect.Effect<Answer, E>,
  about: About
): Effect.Effect<Answer, E> => (tool.annotations.readOnlyHint ? call : recorded(tool, call, about))

const recorded = Effect.fnUntraced(function* <E extends ToolFailure | InputNeeded>(
  tool: Called,
  call: Effect.Effect<Answer, E>,
  { client, input, protocolVersion, reason }: About
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
  const tell = yield* noteInstance
  let instance: string | undefined
  const note = (name: string) =>
    Effect.suspend(() => {
      instance = name
      return tell(name)
    })
  return yield* Effect.provideService(call, noteInstance, note).pipe(
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
