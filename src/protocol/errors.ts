import { Match, Predicate } from "effect"

import type { ResourceNotFound } from "../resources/Resources.ts"
import type { ToolError } from "../tools/ToolError.ts"
import { clean } from "./clean.ts"
import type { LaneFull } from "./Lanes.ts"
import { ProtocolError } from "./ProtocolError.ts"
import type { ErrorObject, Result } from "./Response.ts"
import type { Revision } from "./Revision.ts"

/** Everything that serving a request can fail with. */
export type Failure = LaneFull | ProtocolError | ResourceNotFound | ToolError

type Served = Exclude<Failure, ProtocolError>

/** One kind of error in the contract's words; `blame` says who can mend it. */
interface Description {
  readonly blame: "caller" | "upstream"
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
}

const caller = (code: string, details: Description["details"]): Description => ({ blame: "caller", code, details })
const upstream = (code: string, details: Description["details"]): Description => ({ blame: "upstream", code, details })

/** A new kind of error does not compile until it has its row here. */
const describe = (error: Served): Description => {
  const { details, ...rest } = describeWhole(error)
  return {
    ...rest,
    details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shallow(value)]))
  }
}

/** Deeper parts of what an upstream answered say nothing to anybody, and may be too deep to be written. */
const deepest = 32

const shallow = (value: unknown, depth = 0): unknown => {
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth === deepest) return "[nested too deep]"
  if (Array.isArray(value)) return value.map((item: unknown) => shallow(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shallow(inner, depth + 1)]))
}

const describeWhole = (error: Served): Description =>
  Match.valueTags(error, {
    AnswerTooLarge: ({ bytes, limit }) => upstream("ANSWER_TOO_LARGE", { bytes, limit }),
    AnswerUnwritable: () => upstream("ANSWER_UNWRITABLE", {}),
    ApiError: ({ apiResponse, httpStatus, instance }) => upstream("API_ERROR", { instance, httpStatus, apiResponse }),
    AuthenticationFailed: ({ apiResponse, instance }) =>
      upstream("AUTHENTICATION_ERROR", { instance, httpStatus: 401, apiResponse }),
    ConfigurationError: () => upstream("CONFIGURATION_ERROR", {}),
    InstanceNotFound: ({ available }) => caller("INSTANCE_NOT_FOUND", { availableInstances: available }),
    InvalidArgument: ({ argument }) => caller("VALIDATION_ERROR", { argument }),
    InvalidWorkflow: () => caller("VALIDATION_ERROR", {}),
    LaneFull: ({ lane }) => upstream("BUSY", { lane }),
    NetworkError: ({ code, instance }) => upstream(code, { instance }),
    OutcomeUnknown: ({ instance, operation }) => upstream("OUTCOME_UNKNOWN", { instance, operation }),
    PermissionDenied: ({ apiResponse, instance }) => upstream("API_ERROR", { instance, httpStatus: 403, apiResponse }),
    ReadOnlyInstance: ({ instance, operation }) => caller("READ_ONLY", { instance, operation }),
    ResourceNotFound: ({ uri }) => caller("RESOURCE_NOT_FOUND", { uri }),
    StepFailed: ({ apiResponse, done, httpStatus, id, instance, step }) =>
      upstream("STEP_FAILED", {
        instance,
        id,
        done,
        step,
        ...(httpStatus === undefined ? {} : { httpStatus, apiResponse })
      }),
    Timeout: ({ instance, milliseconds, unsettled }) =>
      upstream("TIMEOUT", { instance, milliseconds, ...(unsettled === undefined ? {} : { unsettled }) }),
    ToolsetError: ({ blame, code, details }) => ({ blame, code, details }),
    WorkflowChanged: ({ id, instance }) => upstream("CONFLICT", { instance, id })
  })

/** The failure as a JSON-RPC error in the contract's form: `data` holds the kind and its extra fields. */
export const toErrorObject = (failure: Failure, revision: Revision): ErrorObject => {
  if (failure instanceof ProtocolError) return failure
  const { message } = failure
  const { blame, code, details } = describe(failure)
  const data = { code, ...details }
  if (failure._tag === "ResourceNotFound") return { code: revision.unknownResource, message, data }
  return { code: blame === "caller" ? -32602 : upstreamCode[revision.era], message, data }
}

/** The modern revision keeps -32000 and its neighbours for itself. */
const upstreamCode = { legacy: -32000, modern: -32603 } as const

/** The failure of a tool as a result that a model can read and act on: the same text, and the same data. */
export const toErrorResult = (failure: Served): Result => {
  const message = clean(failure.message)
  const { code, details } = describe(failure)
  const error = { error: { code, message, details } }
  return {
    content: [
      { type: "text", text: message },
      { type: "text", text: JSON.stringify(error) }
    ],
    structuredContent: error,
    isError: true
  }
}
