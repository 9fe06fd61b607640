/** The toolsets for programs that hand tools to a model by `effect/ai`, without MCP between. */
import { Effect, Schema } from "effect"
import { Tool as AiTool, Toolkit } from "effect/ai"

import type { Answer, Tool } from "../mcp/Tool.ts"
import { render } from "../mcp/ToolError.ts"
import { offered, type Toolset } from "../mcp/Toolset.ts"

/** The error that the model is given where a tool fails; `code` as in the errors of the MCP server. */
const Failure = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown)
})

const toAiTool = ({ annotations, description, inputSchema, name }: Tool) =>
  AiTool.dynamic(name, {
    description,
    parameters: inputSchema(),
    success: Schema.Unknown,
    failure: Failure,
    failureMode: "return",
    // What may lose something of the user's is for a person to allow.
    needsApproval: annotations.destructiveHint
  })

/**
 * The offer of a toolset as an `effect/ai` toolkit with its handlers, closed over the services that the toolset works on.
 * Arguments and answers are those of the MCP tools; failures are told to the model as results; tools that are marked
 * destructive need approval.
 */
export const toolkit = <R>(toolset: Toolset<R>) =>
  Effect.gen(function* () {
    const { tools } = yield* offered(toolset)
    const kit = Toolkit.make(...tools.map(toAiTool))
    const handlers = Object.fromEntries(tools.map((tool) => [tool.name, handlerOf(tool)]))
    return yield* Effect.provideContext(kit, yield* kit.toHandlers(handlers))
  })

const handlerOf = (tool: Tool) => (input: unknown) =>
  tool.call(input).pipe(
    Effect.map(({ content, structured }: Answer): unknown => structured ?? content),
    Effect.mapError((error) => {
      const { code, details } = render(error)
      return { code, message: error.message, details }
    })
  )
