import { Effect, Option, Schema } from "effect"

import { Audit } from "../Audit.ts"
import { clientName } from "./audited.ts"
import { toErrorResult } from "./errors.ts"
import { membersOf, writtenBy } from "./members.ts"
import * as Method from "./Method.ts"
import { shelfLife } from "./methods/paging.ts"
import { invalidParams, ProtocolError, unsupportedVersion } from "./ProtocolError.ts"
import {
  capabilitiesKey,
  dates,
  modern as newest,
  negotiate,
  type ProtocolVersion,
  versionKey
} from "./ProtocolVersion.ts"
import type { Result } from "./Response.ts"
import type { ServerInfo } from "./ServerInfo.ts"

/** One way of speaking MCP: which requests are let in, what they can ask for, and what stands around results. */
export interface Era {
  /** Whether the params of a request say all that the era wants said. */
  readonly admit: (params: unknown) => Effect.Effect<void, ProtocolError>
  readonly methods: ReadonlyMap<string, Method.Method>
  readonly result: (result: Result, method: Method.Method) => Result
}

/** 2024-11-05 to 2025-11-25: a handshake, or none at all, and every failure a JSON-RPC error. */
export const legacy = (shared: Method.Methods, info: ServerInfo["Service"]): Era => ({
  admit: () => Effect.void,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      initialize: Method.make(
        {
          protocolVersion: Schema.String,
          capabilities: Schema.optionalKey(Schema.Unknown),
          clientInfo: Schema.optionalKey(Schema.Unknown)
        },
        Effect.fnUntraced(function* ({ capabilities, clientInfo, protocolVersion: asked }, { settle }) {
          const client = clientName(clientInfo)
          if (client !== undefined) yield* (yield* Audit).introduce(client)
          const protocolVersion = negotiate(asked)
          yield* settle(protocolVersion, capabilities)
          return {
            protocolVersion: protocolVersion.date,
            capabilities: {
              tools: {},
              resources: {},
              prompts: {},
              ...(protocolVersion.hints ? { completions: {} } : {})
            },
            serverInfo: introduction(info, protocolVersion),
            instructions: info.instructions
          }
        })
      ),
      ping: Method.make({}, () => Effect.succeed({}))
    })
  ),
  result: (result) => result
})

const introduction = ({ name, title, version }: ServerInfo["Service"], { structure }: ProtocolVersion) =>
  structure ? { name, title, version } : { name, version }

/** 2026-07-28: every request stands alone, and what a tool fails with is a result that the model gets to read. */
export const modern = (
  shared: Method.Methods & { readonly "tools/call": Method.Method },
  { instructions, name, title, version }: ServerInfo["Service"]
): Era => ({
  admit,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      "tools/call": toldToTheModel(shared["tools/call"]),
      "server/discover": Method.make(
        {},
        () =>
          Effect.succeed({
            supportedVersions: dates,
            capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
            instructions
          }),
        { ttlMs: shelfLife }
      )
    })
  ),
  result: (result, { ttlMs }) => {
    const before = { resultType: "complete" }
    const after = {
      ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
      _meta: { "io.modelcontextprotocol/serverInfo": { name, title, version } }
    }
    const whole = { ...before, ...result, ...after }
    const members = membersOf(result)
    return members === undefined ? whole : writtenBy(whole, () => [bare(before), members, bare(after)].join(","))
  }
})

/** An object's members as JSON, without the braces. */
const bare = (object: object) => JSON.stringify(object).slice(1, -1)

const toldToTheModel = (method: Method.Method): Method.Method => ({
  ...method,
  run: (params, call) =>
    method
      .run(params, call)
      .pipe(
        Effect.catch((failure) =>
          failure instanceof ProtocolError ? Effect.fail(failure) : Effect.succeed(toErrorResult(failure))
        )
      )
})

const RequestMeta = Schema.Struct({
  _meta: Schema.Struct({
    [versionKey]: Schema.String,
    [capabilitiesKey]: Schema.Record(Schema.String, Schema.Unknown)
  })
})

const read = Schema.decodeUnknownOption(RequestMeta)

/** Whether the params name a modern revision and the client's capabilities. */
const admit = Effect.fnUntraced(function* (params: unknown) {
  const meta = read(params)
  if (Option.isNone(meta)) return yield* invalidParams(`_meta needs ${versionKey} and ${capabilitiesKey}`)
  const version = meta.value._meta[versionKey]
  return yield* version === newest.date ? Effect.void : unsupportedVersion(version, dates)
})
