import { Context, Effect, Option, Predicate } from "effect"

import { memoized } from "../../internal/memoize.ts"
import { Audit } from "../Audit.ts"
import { clientName } from "./audited.ts"
import { toErrorResult } from "./errors.ts"
import * as Method from "./Method.ts"
import { shelfLife } from "./Method.ts"
import { initialize, type Modern, readModern } from "./params.ts"
import { invalidParams, ProtocolError, unsupportedVersion } from "./ProtocolError.ts"
import {
  capabilitiesKey,
  dates,
  modern as newest,
  negotiate,
  type ProtocolVersion,
  versionKey
} from "./ProtocolVersion.ts"
import { bare, membersOf, writtenBy, type Result } from "./Response.ts"

/** The introduction of this server to clients. */
export class ServerInfo extends Context.Service<
  ServerInfo,
  {
    /** For programs: short, without spaces. */
    readonly name: string
    /** For people. */
    readonly title: string
    readonly version: string
    /** Instructions for models that use the tools. */
    readonly instructions: string
  }
>()("workflow-tool-server/protocol/ServerInfo") {}

/** One era of MCP: which requests are accepted, which methods they have, and the envelope of results. */
export interface Era {
  /** The refusal of a request whose params lack something; undefined if they do not. */
  readonly refusal: (params: unknown) => ProtocolError | undefined
  readonly methods: ReadonlyMap<string, Method.Method>
  readonly result: (result: Result, method: Method.Method) => Result
}

/** 2024-11-05 to 2025-11-25: with or without a handshake, and every failure is a JSON-RPC error. */
export const legacy = (shared: Method.Methods, info: ServerInfo["Service"]): Era => ({
  refusal: () => undefined,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      initialize: Method.make(
        () => initialize,
        Effect.fnUntraced(function* ({ capabilities, clientInfo, protocolVersion: requested }, { completeHandshake }) {
          const client = clientName(clientInfo)
          if (client !== undefined) yield* (yield* Audit).introduce(client)
          const protocolVersion = negotiate(requested)
          yield* completeHandshake(protocolVersion, capabilities)
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
        }),
        { fits: isHandshake }
      ),
      ping: Method.make(
        () => ({}),
        () => Effect.succeed({}),
        { fits: Predicate.isObject }
      )
    })
  ),
  result: (result) => result
})

const isHandshake = (params: unknown): params is { readonly protocolVersion: string } =>
  Predicate.hasProperty(params, "protocolVersion") && Predicate.isString(params.protocolVersion)

const introduction = ({ name, title, version }: ServerInfo["Service"], { structure }: ProtocolVersion) =>
  structure ? { name, title, version } : { name, version }

/** 2026-07-28: every request is self-contained, and a tool's failure is a result for the model. */
export const modern = (
  shared: Method.Methods & { readonly "tools/call": Method.Method },
  { instructions, name, title, version }: ServerInfo["Service"]
): Era => ({
  refusal,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      "tools/call": toldToTheModel(shared["tools/call"]),
      "server/discover": Method.make(
        () => ({}),
        () =>
          Effect.succeed({
            supportedVersions: dates,
            capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
            instructions
          }),
        { ttlMs: shelfLife, fits: Predicate.isObject }
      )
    })
  ),
  result: memoized((result: Result, { ttlMs }: Pick<Method.Method, "ttlMs">) => {
    const before = { resultType: "complete" }
    const after = {
      ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
      _meta: { "io.modelcontextprotocol/serverInfo": { name, title, version } }
    }
    const whole = { ...before, ...result, ...after }
    const members = membersOf(result)
    return members === undefined ? whole : writtenBy(whole, () => [bare(before), members, bare(after)].join(","))
  })
})

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

/** A quick check; otherwise the schema decides. */
const isModern = (params: unknown): params is Modern =>
  Predicate.hasProperty(params, "_meta") &&
  Predicate.hasProperty(params._meta, versionKey) &&
  Predicate.isString(params._meta[versionKey]) &&
  Predicate.hasProperty(params._meta, capabilitiesKey) &&
  Predicate.isObject(params._meta[capabilitiesKey])

/** Params must name a modern revision and the client's capabilities. */
const refusal = (params: unknown): ProtocolError | undefined => {
  const read = isModern(params) ? Option.some(params) : readModern(params)
  if (Option.isNone(read)) return invalidParams(`_meta needs ${versionKey} and ${capabilitiesKey}`)
  const version = read.value._meta[versionKey]
  return version === newest.date ? undefined : unsupportedVersion(version, dates)
}
