import { Effect, type JsonSchema, Option, Schema } from "effect"

import { lazy, memoized } from "../../../internal/caching.ts"
import { nearest } from "../../../internal/texts.ts"
import { CallerId, CurrentAccess } from "../../callContext.ts"
import { Elicitation } from "../../Elicitation.ts"
import type { Answer, Tool } from "../../Tool.ts"
import type { ToolFailure } from "../../ToolError.ts"
import { inputJson } from "../../Tools.ts"
import type { InputNeeded, Rounds } from "../elicitation/rounds.ts"
import { forbidden, ProtocolError } from "../errors.ts"
import { bare, type MethodResult, writtenBy } from "../Message.ts"
import * as Method from "../Method.ts"
import { listed, onePage, pageParams } from "../Method.ts"
import { audited, clientName } from "../observation.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"

const callTool = {
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  inputResponses: Schema.optionalKey(Schema.Unknown),
  requestState: Schema.optionalKey(Schema.Unknown)
}
const Called = Schema.Struct({ name: Schema.String, arguments: Schema.optionalKey(Schema.Unknown) })
type Called = typeof Called.Type

/** The params of a call that determine where it works. */
const readCalled = Schema.decodeUnknownOption(Called)

/** `tools/list` and `tools/call`. */
export const toolMethods = (tools: ReadonlyArray<Tool>, inRounds: Rounds) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const listedTools = tools.filter(({ isListed }) => isListed !== false)
  // At the first use in each revision: schemas take time.
  const listings = memoized((protocolVersion: ProtocolVersion): MethodResult => {
    const json = lazy(() => listOf(listedTools.map((tool) => listing(tool, protocolVersion))))
    const result = {
      get tools(): unknown {
        return JSON.parse(json())
      }
    }
    return writtenBy(result, () => `"tools":${json()}`)
  })

  return {
    "tools/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) => onePage(params, listings(protocolVersion)),
      listed
    ),
    "tools/call": Method.make(
      () => callTool,
      (params, { ask, caller, protocolVersion }) => {
        const tool = byName.get(params.name)
        if (tool === undefined) return Effect.fail(unknownTool(params.name, [...byName.keys()]))
        const client = params._meta?.[clientInfoKey]
        const reason = params._meta?.[reasonKey]
        const called = <E extends ToolFailure | InputNeeded>(program: Effect.Effect<Answer, E>) =>
          Effect.map(audited(tool, program, { input: params.arguments, client, protocolVersion, reason }), (answer) =>
            result(answer, protocolVersion)
          )
        const calling = () => {
          const program = tool.call(params.arguments)
          const served =
            protocolVersion.era === "modern"
              ? inRounds(program, params, called)
              : called(ask === undefined ? program : Effect.provideService(program, Elicitation, { ask }))
          return Effect.provideService(served, CallerId, caller(clientName(client)))
        }
        if (tool.annotations.readOnlyHint) return calling()
        return Effect.flatMap(CurrentAccess, ({ mayChange, scopeToChange }) =>
          mayChange ? calling() : Effect.fail(forbidden(tool.name, scopeToChange))
        )
      },
      { work: workOf(byName) }
    )
  } satisfies Method.Methods
}

/** The reason for a call, for the history. */
const reasonKey = "workflow-tool-server/reason"

const clientInfoKey = "io.modelcontextprotocol/clientInfo"

/** The group of a call; a call that cannot be read has none. */
const workOf =
  (byName: ReadonlyMap<string, Tool>) =>
  (params: unknown): Method.Work => {
    const { arguments: args, name } = Option.getOrElse(readCalled(params), (): Called => ({ name: "" }))
    const tool = byName.get(name)
    return {
      concurrencyGroup: tool?.concurrencyGroup?.(args) ?? ungrouped,
      isSafeToStop: tool?.annotations.readOnlyHint ?? true
    }
  }

const ungrouped = "This server"

const unknownTool = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  return new ProtocolError({
    code: -32602,
    message: `Unknown tool: ${name}${guess === undefined ? "" : `. Did you mean ${guess}?`}`
  })
}

/** A list of JSON texts, not concatenated before it is written. */
const listOf = (items: ReadonlyArray<string>) =>
  `[${items.reduce((list, item) => (list === "" ? item : `${list},${item}`), "")}]`

/** A tool in a list, as JSON. */
const listing = (tool: Tool, protocolVersion: ProtocolVersion): string => {
  const { annotations, description, meta, name, title } = tool
  const inputSchema = `"inputSchema":${inputJson(tool)}`
  if (!protocolVersion.hints) return `{${bare({ name, description })},${inputSchema}}`
  if (!protocolVersion.structure) {
    return `{${bare({ name, description })},${inputSchema},${bare({ annotations: { title, ...annotations } })}}`
  }
  const rest = {
    ...(tool.outputSchema === undefined ? {} : { outputSchema: answerSchema(tool.outputSchema(), protocolVersion) }),
    annotations,
    ...(meta === undefined ? {} : { _meta: meta })
  }
  return `{${bare({ name, title, description })},${inputSchema},${bare(rest)}}`
}

/**
 * The fields that an answer always has, and no more: clients validate every answer, and the list of tools costs tokens in every
 * conversation. Modern failures are results, too, which some clients also validate.
 */
const answerSchema = ({ required = [] }: JsonSchema.JsonSchema, { era }: ProtocolVersion): JsonSchema.JsonSchema =>
  era === "legacy" ? { type: "object", required } : { type: "object", anyOf: [{ required }, { required: ["error"] }] }

const result = (answer: Answer, { structure }: ProtocolVersion): MethodResult =>
  structure && answer.structured !== undefined ? structuredResult(answer) : plainResult(answer)

const plainResult = memoized(({ content }: Answer): MethodResult => ({ content }))

const structuredResult = memoized(({ content, json, structured }: Answer): MethodResult => {
  const both = { content, structuredContent: structured }
  return json === undefined
    ? both
    : writtenBy(both, () => `"content":${JSON.stringify(content)},"structuredContent":${json}`)
})
