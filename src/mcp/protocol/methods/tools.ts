import { Effect, type JsonSchema, Option, Schema } from "effect"

import { nearest } from "../../../internal/schema/nearest.ts"
import type { Answer, Tool } from "../../Tool.ts"
import { audited } from "../audited.ts"
import * as Method from "../Method.ts"
import { ProtocolError } from "../ProtocolError.ts"
import type { Result } from "../Response.ts"
import type { Revision } from "../Revision.ts"
import { cursor, onePage, perRevision, shelfLife } from "./paging.ts"

/** `tools/list` and `tools/call`. */
export const toolMethods = (tools: ReadonlyArray<Tool>) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const listings = perRevision((revision) =>
    tools.filter(({ isListed }) => isListed !== false).map((tool) => listing(tool, revision))
  )

  return {
    "tools/list": Method.make({ cursor }, (params, { revision }) => onePage(params, { tools: listings(revision) }), {
      ttlMs: shelfLife
    }),
    "tools/call": Method.make(
      {
        name: Schema.String,
        arguments: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
        _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      },
      Effect.fnUntraced(function* (params, { revision }) {
        const tool = byName.get(params.name)
        if (tool === undefined) return yield* unknownTool(params.name, [...byName.keys()])
        const client = params._meta?.[clientInfoKey]
        return result(yield* audited(tool, params.arguments, { client, revision }), revision)
      }),
      { work: workOf(byName) }
    )
  } satisfies Method.Methods
}

const clientInfoKey = "io.modelcontextprotocol/clientInfo"

/** Where a call goes to work; one that cannot be understood goes nowhere, and shares the places of those that do not say. */
const workOf =
  (byName: ReadonlyMap<string, Tool>) =>
  (params: unknown): Method.Work => {
    const { arguments: args, name } = Option.getOrElse(readCall(params), (): typeof Called.Type => ({ name: "" }))
    const tool = byName.get(name)
    return { lane: tool?.lane?.(args) ?? ownLane, isSafeToStop: tool?.annotations.readOnlyHint ?? true }
  }

const ownLane = "This server"

const Called = Schema.Struct({ name: Schema.String, arguments: Schema.optionalKey(Schema.Unknown) })
const readCall = Schema.decodeUnknownOption(Called)

const unknownTool = (name: string, known: ReadonlyArray<string>) => {
  const guess = nearest(name, known)
  return new ProtocolError({
    code: -32602,
    message: `Unknown tool: ${name}${guess === undefined ? "" : `. Did you mean ${guess}?`}`
  })
}

const listing = (tool: Tool, revision: Revision) => {
  const { annotations, description, meta, name, title } = tool
  const inputSchema = tool.inputSchema()
  if (!revision.hints) return { name, description, inputSchema }
  if (!revision.structure) return { name, description, inputSchema, annotations: { title, ...annotations } }
  return {
    name,
    title,
    description,
    inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: answerSchema(tool.outputSchema(), revision) }),
    annotations,
    ...(meta === undefined ? {} : { _meta: meta })
  }
}

/** Modern failures are results too, and there are clients that hold them against the schema of the tool. */
const answerSchema = ({ required, ...schema }: JsonSchema.JsonSchema, { era }: Revision): JsonSchema.JsonSchema =>
  era === "legacy" ? { ...schema, required } : { ...schema, anyOf: [{ required }, failed] }

const failed = { properties: { error: { type: "object" } }, required: ["error"] }

const result = ({ content, structured }: Answer, revision: Revision): Result =>
  revision.structure && structured !== undefined ? { content, structuredContent: structured } : { content }
