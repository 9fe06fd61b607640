import { Predicate } from "effect"

import { abridged, oneLine, visibleJson } from "../../internal/foreignText.ts"
import type { ResourceNotFound } from "../Resources.ts"
import { render, type Rendered, type ToolFailure } from "../ToolError.ts"
import type { ConcurrencyGroupFull } from "./ConcurrencyGroups.ts"
import { ProtocolError } from "./ProtocolError.ts"
import type { ProtocolVersion } from "./ProtocolVersion.ts"
import { type ErrorObject, longest, type Result } from "./Response.ts"

/** Every error of serving a request. */
export type Failure = ConcurrencyGroupFull | ProtocolError | ResourceNotFound | ToolFailure

type Served = Exclude<Failure, ProtocolError>

const describe = (error: Served): Rendered => {
  const { details, ...rest } = describeWhole(error)
  return { ...rest, details: shortened(details) }
}

const shortened = (data: Rendered["details"]) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shallow(value)]))

/** Deeper parts of an upstream's answer are of no use, and may be too deep for JSON. */
const deepest = 32

const shallow = (value: unknown, depth = 0): unknown => {
  if (Predicate.isString(value)) return abridged(value, longest)
  if (!Predicate.isObjectOrArray(value)) return value
  if (depth === deepest) return "[nested too deep]"
  if (Array.isArray(value)) return value.map((item: unknown) => shallow(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [abridged(name, longest), shallow(inner, depth + 1)])
  )
}

const describeWhole = (error: Served): Rendered => {
  switch (error._tag) {
    case "ConcurrencyGroupFull":
      return { blame: "upstream", code: "BUSY", details: { concurrencyGroup: error.concurrencyGroup } }
    case "ResourceNotFound":
      return { blame: "caller", code: "RESOURCE_NOT_FOUND", details: { uri: error.uri } }
    default:
      return render(error)
  }
}

/** The failure as a JSON-RPC error in the contract's form: `data` has the kind and its extra fields. */
export const toErrorObject = (failure: Failure, protocolVersion: ProtocolVersion): ErrorObject => {
  const { message } = failure
  if (failure instanceof ProtocolError) {
    return { code: failure.code, message, ...(failure.data === undefined ? {} : { data: shortened(failure.data) }) }
  }
  const { blame, code, details } = describe(failure)
  const data = { code, ...details }
  if (failure._tag === "ResourceNotFound") return { code: protocolVersion.unknownResource, message, data }
  return { code: blame === "caller" ? -32602 : upstreamCode[protocolVersion.era], message, data }
}

/** The modern revision reserves -32000 and neighbouring codes. */
const upstreamCode = { legacy: -32000, modern: -32603 } as const

/** The failure of a tool as a result for the model, with the same text and data. */
export const toErrorResult = (failure: Served): Result => {
  const message = oneLine(abridged(failure.message, longest))
  const { code, details } = describe(failure)
  const error = { error: { code, message, details } }
  return {
    content: [
      { type: "text", text: message },
      { type: "text", text: visibleJson(JSON.stringify(error)) }
    ],
    structuredContent: error,
    isError: true
  }
}
