import { Effect, type JsonSchema, Option, Schema } from "effect"

import { BoundedCache, lazy, memoized } from "../../../internal/caching.ts"
import { nearest } from "../../../internal/texts.ts"
import { metaFor } from "../../AppViews.ts"
import { Audience, CallerId, CurrentAccess } from "../../callContext.ts"
import { Elicitation } from "../../Elicitation.ts"
import { BriefAnswers, everything, select, type Selection } from "../../selection.ts"
import type { Annotations, Answer, Tool } from "../../Tool.ts"
import { type ToolFailure, withoutAdvice } from "../../ToolError.ts"
import { inputJson, refusedTools } from "../../Tools.ts"
import type { InputNeeded, Rounds } from "../elicitation/rounds.ts"
import { forbidden, notOffered, ProtocolError } from "../errors.ts"
import { bare, type MethodResult, writtenBy } from "../Message.ts"
import * as Method from "../Method.ts"
import { firstPageParams, onePage, pageParams } from "../Method.ts"
import { auditCall, clientName } from "../observation.ts"
import { clientInfoKey, type ProtocolVersion } from "../ProtocolVersion.ts"

const callTool = {
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))),
  _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  inputResponses: Schema.optionalKey(Schema.Unknown),
  requestState: Schema.optionalKey(Schema.Unknown)
}
const ToolCallParams = Schema.Struct({ name: Schema.String, arguments: Schema.optionalKey(Schema.Unknown) })
type ToolCallParams = typeof ToolCallParams.Type

/** The params of a call that determine where it works. */
const readToolCallParams = Schema.decodeUnknownOption(ToolCallParams)

/** `tools/list` and `tools/call`, with the selection for callers whose access has none. */
export const toolMethods = (
  tools: ReadonlyArray<Tool>,
  standard: Selection,
  inRounds: Rounds,
  tellSubscribers: (mayHaveChanged: boolean) => void
) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const offers = new BoundedCache<SelectedTools>(mostSelections)
  const offerOf = (selection: Selection, refused: ReadonlySet<string> = new Set()) =>
    offers.keep(JSON.stringify([selection, ...refused]), () => selectedTools(tools, selection, refused))

  /** A list that went out in another exchange counts as that of the beginning of the call. */
  const remember = (listed: NonNullable<Method.Call["listed"]>) =>
    Effect.map(refusedTools(tools), (refused) => {
      listed.refused = [...refused].join()
    })

  /** Tells a client that what its list shows is no longer what it would be. */
  const tellOfChange = (listed: NonNullable<Method.Call["listed"]>, notify: Method.Call["notify"]) =>
    Effect.flatMap(refusedTools(tools), (refused) => {
      const now = [...refused].join()
      if (listed.refused === undefined || listed.refused === now) return Effect.void
      listed.refused = now
      return notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} })
    })

  return {
    "tools/list": Method.make(
      () => ({ ...pageParams, _meta: callTool._meta }),
      Effect.fnUntraced(function* (params, { listed, protocolVersion, showsViews }) {
        const { selection = requested(params, standard) } = yield* CurrentAccess
        const refused = yield* refusedTools(tools)
        if (listed !== undefined) listed.refused = [...refused].join()
        const { listing } = offerOf(selection, refused)
        return yield* onePage(params, listing[showsViews ? "withViews" : "plain"](protocolVersion))
      }),
      firstPageParams
    ),
    "tools/call": Method.make(
      () => callTool,
      (params, { ask, caller, enter, listed, notify, page, protocolVersion, showsViews }) => {
        const tool = byName.get(params.name)
        if (tool === undefined) return Effect.fail(unknownTool(params.name, [...byName.keys()]))
        const client = params._meta?.[clientInfoKey]
        const reason = params._meta?.[reasonKey]
        const called = <E extends ToolFailure | InputNeeded>(program: Effect.Effect<Answer, E>) =>
          Effect.map(auditCall(tool, program, { input: params.arguments, client, protocolVersion, reason }), (answer) =>
            result(answer, protocolVersion)
          )
        const calling = () => {
          const program = readBy(params._meta?.[audienceKey], tool.call(params.arguments))
          const served =
            protocolVersion.era === "modern"
              ? inRounds(program, params, page, called)
              : called(
                  ask === undefined && enter === undefined
                    ? program
                    : Effect.provideService(program, Elicitation, { ask, enter })
                )
          return Effect.provideService(served, CallerId, caller(clientName(client)))
        }
        return Effect.flatMap(CurrentAccess, ({ mayChange, scopeToChange, selection }) => {
          const { isBrief, names } = offerOf(selection ?? requested(params, standard))
          // Views read more of what a tool has answered.
          const isOfView = showsViews && selection === undefined && tool.annotations.readOnlyHint
          if (!names.has(tool.name) && !isOfView) return Effect.fail(notOffered(tool.name, selection !== undefined))
          if (!mayChange && !tool.annotations.readOnlyHint) return Effect.fail(forbidden(tool.name, scopeToChange))
          const answered = isBrief ? Effect.provideService(calling(), BriefAnswers, true) : calling()
          const announcing = Effect.andThen(
            Effect.sync(() => tellSubscribers(!tool.annotations.readOnlyHint)),
            listed === undefined ? Effect.void : tellOfChange(listed, notify)
          )
          const announced = Effect.ensuring(answered, announcing)
          return listed === undefined || listed.isKept ? announced : Effect.andThen(remember(listed), announced)
        })
      },
      { work: workOf(byName) }
    )
  } satisfies Method.Methods
}

/** The tools of a selection, as one caller is offered them. */
interface SelectedTools {
  readonly names: ReadonlySet<string>
  readonly isBrief: boolean
  /** The list for clients that show views, and for others. */
  readonly listing: Readonly<Record<"plain" | "withViews", (protocolVersion: ProtocolVersion) => MethodResult>>
}

/** The default selection, unless a program that is no model, such as the page, requests all tools. */
const requested = (params: { readonly _meta?: Readonly<Record<string, unknown>> }, standard: Selection): Selection =>
  params._meta?.[selectionKey] === "all" ? everything : standard

const selectionKey = "workflow-tool-server/tools"

/** A call whose answer is read by a model, or by the person at a page. */
const readBy = <A, R>(audience: unknown, program: Effect.Effect<A, ToolFailure, R>) =>
  audience === "person"
    ? program.pipe(Effect.mapError(withoutAdvice), Effect.provideService(Audience, "person"))
    : program

const audienceKey = "workflow-tool-server/audience"

/** Selections whose lists are kept: tokens may have any combination of scopes. */
const mostSelections = 200

const selectedTools = (
  tools: ReadonlyArray<Tool>,
  selection: Selection,
  refused: ReadonlySet<string>
): SelectedTools => {
  const selected = select(tools, selection)
  const { hidden = {}, isBrief = false } = selection
  const listedTools = selected.filter(({ isListed, name }) => isListed !== false && !refused.has(name))
  const schemas = lazy(() => schemasOf(listedTools, isBrief, hidden))
  // At the first use in each revision: schemas take time.
  const listings = (showsViews: boolean) =>
    memoized((protocolVersion: ProtocolVersion): MethodResult => {
      const form = { protocolVersion, isBrief, showsViews }
      const json = lazy(() => listOf(listedTools.map((tool, at) => listing(tool, schemas()[at] ?? "", form))))
      const result = {
        get tools(): unknown {
          return JSON.parse(json())
        }
      }
      return writtenBy(result, () => `"tools":${json()}`)
    })
  return {
    names: new Set(selected.map(({ name }) => name)),
    isBrief,
    listing: { plain: listings(false), withViews: listings(true) }
  }
}

/** The form of a list: its revision, whether it is brief, and whether its reader shows views. */
interface Form {
  readonly protocolVersion: ProtocolVersion
  readonly isBrief: boolean
  readonly showsViews: boolean
}

/** The reason for a call, for the history. */
const reasonKey = "workflow-tool-server/reason"

/** The group of a call; a call that cannot be read has none. */
const workOf =
  (byName: ReadonlyMap<string, Tool>) =>
  (params: unknown): Method.Work => {
    const { arguments: args, name } = Option.getOrElse(readToolCallParams(params), (): ToolCallParams => ({ name: "" }))
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

/** The schemas of a list, as JSON: in a brief one, an argument that an earlier tool takes as well is not described again. */
const schemasOf = (
  tools: ReadonlyArray<Tool>,
  isBrief: boolean,
  hidden: NonNullable<Selection["hidden"]>
): ReadonlyArray<string> => {
  const described = new Set<string>()
  return tools.map((tool) => {
    if (!isBrief && tool.isBrief !== true) return inputJson(tool)
    const { properties = {}, ...schema }: JsonSchema.JsonSchema = JSON.parse(inputJson(tool))
    const listedArguments = Object.entries(Object(properties)).flatMap(([name, property]) => {
      if (hidden[tool.name]?.includes(name) === true) return []
      const argument = JSON.stringify([name, property])
      const { description: _, ...bareProperty } = Object(property)
      if (described.has(argument)) return [[name, bareProperty]]
      described.add(argument)
      return [[name, property]]
    })
    return JSON.stringify({ ...schema, properties: Object.fromEntries(listedArguments) })
  })
}

/** A tool in a list, as JSON. A brief list leaves out what clients assume where it is not said, and shapes of answers. */
const listing = (tool: Tool, schema: string, { protocolVersion, showsViews, ...form }: Form): string => {
  const { description, name, title } = tool
  const isBrief = form.isBrief || tool.isBrief === true
  const meta = metaFor(isBrief && tool.meta?.["ui"] === undefined ? undefined : tool.meta, showsViews)
  const annotations = isBrief ? notable(tool.annotations) : tool.annotations
  const titled = isBrief && saysTheSame(title, name) ? {} : { title }
  const { headers } = form.isBrief || protocolVersion.era === "legacy" ? {} : tool
  const inputSchema = `"inputSchema":${headers === undefined ? schema : withHeaders(schema, headers)}`
  if (!protocolVersion.hints) return `{${bare({ name, description })},${inputSchema}}`
  if (!protocolVersion.structure) {
    return `{${bare({ name, description })},${inputSchema},${bare({ annotations: { ...titled, ...annotations } })}}`
  }
  const rest = {
    ...(isBrief || tool.outputSchema === undefined
      ? {}
      : { outputSchema: answerSchema(tool.outputSchema(), protocolVersion) }),
    annotations,
    ...(meta === undefined ? {} : { _meta: meta })
  }
  return `{${bare({ name, ...titled, description })},${inputSchema},${bare(rest)}}`
}

/** A schema as JSON, with the headers that repeat its arguments. */
const withHeaders = (schema: string, headers: NonNullable<Tool["headers"]>): string => {
  const { properties = {}, ...rest }: JsonSchema.JsonSchema = JSON.parse(schema)
  const named = Object.entries(Object(properties)).map(([name, property]) => {
    const header = Object.hasOwn(headers, name) ? headers[name] : undefined
    return [name, header === undefined ? property : { ...Object(property), "x-mcp-header": header }]
  })
  return JSON.stringify({ ...rest, properties: Object.fromEntries(named) })
}

/** Whether a title is the name in other letters. */
const saysTheSame = (title: string, name: string) => title.toLowerCase().replaceAll(" ", "_").startsWith(name)

/** The annotations that differ from those that clients assume; two of them mean something only for tools that change. */
const notable = ({
  destructiveHint,
  idempotentHint,
  openWorldHint,
  readOnlyHint
}: Annotations): Partial<Annotations> => ({
  ...(readOnlyHint ? { readOnlyHint } : {}),
  ...(readOnlyHint || destructiveHint ? {} : { destructiveHint }),
  ...(readOnlyHint || !idempotentHint ? {} : { idempotentHint }),
  ...(openWorldHint ? {} : { openWorldHint })
})

/**
 * The fields that an answer always has, and no more: clients validate every answer, and the list of tools costs tokens in every
 * conversation. Modern failures are results, too, which some clients also validate.
 */
const answerSchema = ({ required = [] }: JsonSchema.JsonSchema, { era }: ProtocolVersion): JsonSchema.JsonSchema => {
  if (Array.isArray(required) && required.length === 0) return { type: "object" }
  return era === "legacy"
    ? { type: "object", required }
    : { type: "object", anyOf: [{ required }, { required: ["error"] }] }
}

const result = (answer: Answer, { structure }: ProtocolVersion): MethodResult =>
  structure && answer.structured !== undefined ? structuredResult(answer) : plainResult(answer)

const plainResult = memoized(({ content }: Answer): MethodResult => ({ content }))

const structuredResult = memoized(({ content, json, structured }: Answer): MethodResult => {
  const both = { content, structuredContent: structured }
  return json === undefined
    ? both
    : writtenBy(both, () => `"content":${JSON.stringify(content)},"structuredContent":${json}`)
})
