import { Match, Redacted, type Schema } from "effect"

import { redactor } from "../../internal/http/redact.ts"
import { addressOf } from "../../internal/http/Transport.ts"
import { isTlsFailure } from "../../internal/http/transportCode.ts"
import { effectOf, type Reply, type UpstreamRequest } from "../../internal/http/Upstream.ts"
import { isOutcomeUnknown, type RequestEffect, type UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import type { Access } from "../../mcp/callContext.ts"
import type { Environment } from "./config/EngineConfig.ts"
import {
  ApiError,
  AuthenticationFailed,
  type EngineError,
  ForeignAnswer,
  NetworkError,
  OutcomeUnknown,
  PermissionDenied,
  Timeout,
  TooLargeToShow
} from "./EngineError.ts"
import { apiResponse, cameInstead, cut, foreignProblem, leavesOpen, problemOf, thingAt } from "./replies.ts"
import { isKeyRefused, kindOf, type Verdict, verdictOf } from "./verdict.ts"

/** The answer is about another thing than the one in the path. */
export const isOfAnother = "another"

/** The part of a call that its errors depend on. */
export interface AttemptedCall extends Pick<UpstreamRequest, "effect" | "method" | "path"> {
  /** The attempted operation, in the words of an error. */
  readonly operation: string
  /** The thing that does not exist if the engine answers "not found"; by default the one named in the path. */
  readonly about?: string
  /** Values that must not appear in an error. */
  readonly secrets?: ReadonlyArray<string>
}

/** The address of the instance, unless the caller may not see it. */
interface AddressField {
  readonly address?: string
}

/** Errors of calls to one instance, with secrets redacted. */
export const make = (instance: string, environment: Environment) => {
  const secrets = [environment.apiKey, ...Object.values(environment.headers)].map((secret) => Redacted.value(secret))
  const redactorOf = (call: AttemptedCall) => redactor([...secrets, ...(call.secrets ?? [])])

  const lost = (call: AttemptedCall, problem: string) =>
    new OutcomeUnknown({ instance, operation: call.operation, problem })

  const address = addressOf(environment.host, environment.proxy)
  /** Callers with a token of an OAuth issuer did not configure the instances. */
  const addressFor = (access: Access): AddressField =>
    access.subject !== undefined || address === undefined ? {} : { address }

  /** The error of a call without a reply. */
  const ofFailure = (call: AttemptedCall, failure: UpstreamFailure, access: Access): EngineError =>
    isOutcomeUnknown(effectOf(call), failure)
      ? unknownOutcome(call, failure, addressFor(access))
      : noAnswer(call, failure, addressFor(access))

  const unknownOutcome = (call: AttemptedCall, failure: UpstreamFailure, at: AddressField): EngineError =>
    failure._tag === "UpstreamTimeout"
      ? new Timeout({ instance, milliseconds: failure.milliseconds, outcomeUnknownOf: call.operation, ...at })
      : lost(call, describe(failure))

  const noAnswer = (call: AttemptedCall, failure: UpstreamFailure, at: AddressField): EngineError => {
    const problem = describe(failure)
    return Match.valueTags(failure, {
      UpstreamTimeout: ({ milliseconds }) => new Timeout({ instance, milliseconds, ...at }),
      Unreachable: ({ code, phase }) =>
        new NetworkError({
          instance,
          code: networkKind(code),
          problem,
          wasReached: phase === "reading",
          ...at,
          ...(phase === "connecting" || code === "ETIMEDOUT" ? { remedy: remedyFor(code, environment) } : {})
        }),
      RedirectRefused: ({ status }) =>
        new ForeignAnswer({
          instance,
          httpStatus: status,
          kind: "a redirect",
          problem: `instance ${instance}: ${redactorOf(call).text(problem)}`,
          apiResponse: null
        }),
      MoreThanUseful: ({ bytes }) => new TooLargeToShow({ instance, bytes }),
      ReplyTooLarge: () => new NetworkError({ instance, code: "NETWORK_ERROR", problem, wasReached: true })
    })
  }

  /** The error for a change of unknown outcome, in place of whose answer another one came. */
  const ofLost = (call: AttemptedCall, answer: Reply): EngineError => lost(call, cameInstead(answer, redactorOf(call)))

  /** The error for a reply that is no success. */
  const ofReply = (call: AttemptedCall, answer: Reply): EngineError => {
    const redact = redactorOf(call)
    if (effectOf(call) === "write" && leavesOpen(answer)) return ofLost(call, answer)
    const verdict = verdictOf(answer)
    const thing = answer.status === 404 ? (call.about ?? thingAt(call.path)) : undefined
    // What names nothing cannot be missing, and no engine lacks the calls that are made without asking whether it has them.
    const isRefusal = verdict._tag === "Refused" || (verdict._tag === "Missing" && thing !== undefined)
    if (!isRefusal && answer.status !== payloadTooLarge) return ofForeign(call, answer)
    const details = { instance, apiResponse: apiResponse(answer, redact) }
    if (isKeyRefused(answer)) return new AuthenticationFailed(details)
    if (answer.status === 403) return new PermissionDenied({ ...details, ...ofLicence(verdict, effectOf(call)) })
    const words = problemOf(answer, instance, redact)
    const about = thing === undefined ? {} : { missing: thing }
    const problem = thing === undefined ? words : `${words} (${thing} on instance ${instance})`
    return new ApiError({ ...details, ...about, httpStatus: answer.status, problem })
  }

  /** The error for an answer that is not the engine's, or not to this call. */
  const ofForeign = (call: AttemptedCall, answer: Reply): EngineError => {
    const redact = redactorOf(call)
    return new ForeignAnswer({
      instance,
      httpStatus: answer.status,
      kind: kindOf(answer),
      problem: foreignProblem(answer, instance, redact),
      apiResponse: apiResponse(answer, redact)
    })
  }

  /** The error for an answer that is JSON, but not in the shape of the API, or about something else. */
  const ofShape = (call: AttemptedCall, answer: Reply, error: Schema.SchemaError | typeof isOfAnother): EngineError => {
    const redact = redactorOf(call)
    const shape =
      error === isOfAnother
        ? `is about something else than ${thingAt(call.path)}`
        : `has another shape than the API promises: ${cut(redact.text(firstIssueOf(error)))}`
    if (effectOf(call) === "write") return lost(call, `what came ${shape}`)
    const details = { httpStatus: answer.status, kind: kindOf(answer), apiResponse: apiResponse(answer, redact) }
    return new ForeignAnswer({ instance, problem: `the answer of instance ${instance} ${shape}`, ...details })
  }

  return { ofFailure, ofForeign, ofLost, ofReply, ofShape }
}

/** The reason of a refusal that no right of the key would change. */
const ofLicence = (verdict: Verdict, effect: RequestEffect): { readonly reason?: string } => {
  const [, feature] =
    (verdict._tag === "Refused" ? /licen[cs]e does not allow for (?:feat:)?(\w+)/i.exec(verdict.words) : null) ?? []
  if (feature === undefined) return {}
  const unchanged = effect === "write" ? "; nothing was changed" : ""
  return { reason: `The licence of this engine does not include ${feature}${unchanged}.` }
}

/** Whoever says that a request is too large has not let it in. */
const payloadTooLarge = 413

const describe = Match.typeTags<UpstreamFailure, string>()({
  UpstreamTimeout: ({ milliseconds }) => `no answer within ${milliseconds} ms`,
  Unreachable: ({ problem }) => problem,
  RedirectRefused: ({ problem }) => problem,
  MoreThanUseful: ({ bytes }) => `its answer is ${bytes} bytes or more`,
  ReplyTooLarge: ({ limit }) => `its answer is larger than ${limit} bytes`
})

/** The contract's code for a network failure. */
const networkKind = (code: string): string => {
  if (code === "ECONNREFUSED") return code
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "ENOTFOUND"
  return code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : "NETWORK_ERROR"
}

/** Advice about a connection that could not be made. */
const remedyFor = (code: string, { proxy }: Pick<Environment, "proxy">): string => {
  const settings = proxy === undefined ? "its engine_host" : "its engine_host and proxy"
  if (isTlsFailure(code)) return `Check ${settings}; caFile names further certificate authorities to trust.`
  if (networkKind(code) === "ECONNREFUSED") return `Check that the engine runs, and ${settings}.`
  return `Check ${settings}, and the network.`
}
