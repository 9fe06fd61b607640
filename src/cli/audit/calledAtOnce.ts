import type { Effect } from "effect"

import { identified } from "../../mcp/callContext.ts"
import { auditCall, observeCall } from "../../mcp/protocol/observation.ts"
import { assumed } from "../../mcp/protocol/ProtocolVersion.ts"
import type { Answer, Tool } from "../../mcp/Tool.ts"
import type { ToolFailure } from "../../mcp/ToolError.ts"

/** The trace that this command belongs to, according to OpenTelemetry's variable of its starter. */
const aroundUs = () => ({ traceparent: process.env["TRACEPARENT"] })

/** Calls a tool from the command line: traced, measured and recorded like the same call to the server. */
export const calledAtOnce = (
  tool: Pick<Tool, "annotations" | "name"> & { readonly call: (input: unknown) => Effect.Effect<Answer, ToolFailure> },
  input: unknown
) => {
  const called = auditCall(tool, tool.call(input), { input, client: undefined, protocolVersion: assumed })
  return identified(observeCall(called, { target: tool.name, meta: aroundUs() }))
}
