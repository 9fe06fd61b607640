import { Effect, Option, Predicate, Record, Schema } from "effect"

import { memoized } from "../../internal/caching.ts"
import { showsViews } from "../AppViews.ts"
import { Audit } from "../callContext.ts"
import { invalidParams, ProtocolError, toErrorResult, unsupportedVersion } from "./errors.ts"
import { bare, membersOf, type MethodResult, writtenBy } from "./Message.ts"
import * as Method from "./Method.ts"
import { shelfLife } from "./Method.ts"
import { clientName } from "./observation.ts"
import { capabilitiesKey, dates, modern as newest, negotiate, versionKey } from "./ProtocolVersion.ts"
import { introduction, type ServerInfo, serverInfoKey } from "./ServerInfo.ts"

/** One era of MCP: which requests are accepted, which methods they have, and the envelope of results. */
export interface Era {
  /** The refusal of a request whose params lack something; undefined if they do not. */
  readonly refusal: (params: unknown) => ProtocolError | undefined
  readonly methods: ReadonlyMap<string, Method.Method>
  readonly result: (result: MethodResult, method: Method.Method) => MethodResult
}

/** 2024-11-05 to 2025-11-25: with or without a handshake, and every failure is a JSON-RPC error. */
export const legacy = (shared: Method.Methods, info: ServerInfo["Service"], extensions: Extensions): Era => ({
  refusal: () => undefined,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      initialize: Method.make(
        () => ({
          protocolVersion: Schema.String,
          capabilities: Schema.optionalKey(Schema.Unknown),
          clientInfo: Schema.optionalKey(Schema.Unknown)
        }),
        Effect.fnUntraced(function* (
          { capabilities: ofClient, clientInfo, protocolVersion: requested },
          { completeHandshake }
        ) {
          const client = clientName(clientInfo)
          if (client !== undefined) yield* (yield* Audit).introduce(client)
          const protocolVersion = negotiate(requested)
          const { announcesChanges } = yield* completeHandshake(protocolVersion, ofClient)
          return {
            protocolVersion: protocolVersion.date,
            capabilities: {
              ...capabilities,
              ...(announcesChanges ? { tools: { listChanged: true } } : {}),
              ...(protocolVersion.hints ? { completions: {} } : {}),
              ...(protocolVersion.structure ? declared(extensions(showsViews(ofClient))) : {})
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

const capabilities = { tools: {}, resources: {}, prompts: {} }

/** The extensions of the protocol that a client is told of, by whether it shows views. */
type Extensions = (isViewing: boolean) => Readonly<Record<string, object>>

const declared = (extensions: ReturnType<Extensions>) => (Record.isEmptyRecord(extensions) ? {} : { extensions })

const isHandshake = (params: unknown): params is { readonly protocolVersion: string } =>
  Predicate.hasProperty(params, "protocolVersion") && Predicate.isString(params.protocolVersion)

/** 2026-07-28: every request is self-contained, and a tool's failure is a result for the model. */
export const modern = (
  shared: Method.Methods & { readonly "tools/call": Method.Method },
  info: ServerInfo["Service"],
  extensions: Extensions
): Era => ({
  refusal,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      "tools/call": toldToTheModel(shared["tools/call"]),
      "server/discover": Method.make(
        () => ({}),
        (_, call) =>
          Effect.succeed({
            supportedVersions: dates,
            capabilities: {
              ...capabilities,
              tools: { listChanged: true },
              resources: { subscribe: true },
              completions: {},
              ...declared(extensions(call.showsViews))
            },
            instructions: info.instructions,
            _meta: { [serverInfoKey]: introduction(info, newest) }
          }),
        { ttlMs: shelfLife, fits: Predicate.isObject }
      )
    })
  ),
  result: memoized((result: MethodResult, { ttlMs }: Pick<Method.Method, "ttlMs">) => {
    const before = { resultType: "complete" }
    const after = {
      ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
      // The icon is a third of a short answer: it comes with the discovery alone.
      _meta: { [serverInfoKey]: introduction(info, { structure: true, icons: false }), ...Object(result["_meta"]) }
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

const Modern = Schema.Struct({
  _meta: Schema.Struct({ [versionKey]: Schema.String, [capabilitiesKey]: Schema.Record(Schema.String, Schema.Unknown) })
})
type Modern = typeof Modern.Type

/** Params of every modern request. */
const readModern = Schema.decodeUnknownOption(Modern)

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
