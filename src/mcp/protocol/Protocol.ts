import { Cause, Context, Effect, Layer, Option, Predicate, Record, Schema } from "effect"

import { memoized } from "../../internal/caching.ts"
import { spanned } from "../../internal/effects.ts"
import { oneLine } from "../../internal/foreignText.ts"
import { showsViews, viewExtension } from "../AppViews.ts"
import { Audit, identified, RequestId } from "../callContext.ts"
import { Prompts } from "../Prompt.ts"
import { Resources } from "../Resources.ts"
import { DefaultSelection } from "../selection.ts"
import { offeredSkills, skillExtension, Skills } from "../Skill.ts"
import { Tools } from "../Tools.ts"
import * as Rounds from "./elicitation/rounds.ts"
import {
  internalError,
  invalidParams,
  isForbidden,
  methodNotFound,
  ProtocolError,
  toErrorObject,
  toErrorResult,
  unsupportedVersion
} from "./errors.ts"
import { makeConcurrencyGroups } from "./InFlightRequests.ts"
import {
  bare,
  failure,
  membersOf,
  type MethodResult,
  type Outcome,
  refused,
  type Request,
  success,
  writtenBy
} from "./Message.ts"
import * as Method from "./Method.ts"
import { type Call, shelfLife } from "./Method.ts"
import { completionMethods, promptMethods, resourceMethods, skillMethods } from "./methods/promptsAndResources.ts"
import { makeSubscriptions } from "./methods/subscriptions.ts"
import { toolMethods } from "./methods/tools.ts"
import { clientName, observing } from "./observation.ts"
import {
  capabilitiesKey,
  dates,
  type EraName,
  modern as newest,
  negotiate,
  type ProtocolVersion,
  versionKey
} from "./ProtocolVersion.ts"
import { introduction, ServerInfo, serverInfoKey } from "./ServerInfo.ts"

/** Serves single requests of both eras; every outcome is an answer. */
export class Protocol extends Context.Service<
  Protocol,
  {
    /** Answers one request of a client. */
    readonly serve: (request: Request, call: Call) => Effect.Effect<Outcome>
    /** Whether a request is answered immediately: it needs no work outside of this process, and cannot be stopped halfway. */
    readonly isImmediate: (request: Request, protocolVersion: ProtocolVersion) => boolean
  }
>()("workflow-tool-server/protocol/Protocol") {
  static readonly layer = Layer.effect(
    Protocol,
    Effect.gen(function* () {
      const info = yield* ServerInfo
      const prompts = yield* Prompts
      const resources = yield* Resources
      const grouped = Method.inConcurrencyGroup(makeConcurrencyGroups().run)
      const tools = yield* Tools
      const selection = yield* DefaultSelection
      const skills = yield* Skills
      const ofCaller = offeredSkills(skills, tools, selection)
      const subscriptions = makeSubscriptions(tools, resources)
      const methods = {
        ...toolMethods(tools, selection, yield* Rounds.make, subscriptions.called),
        ...resourceMethods(resources, ofCaller),
        ...promptMethods(prompts),
        ...completionMethods(prompts, resources)
      }
      const hasViews = tools.some(({ meta }) => meta?.["ui"] !== undefined)
      const extensions = (isViewing: boolean) => ({
        ...(hasViews && isViewing ? { [viewExtension]: {} } : {}),
        ...(skills.length === 0 ? {} : { [skillExtension]: {} })
      })
      const shared = {
        ...(skills.length === 0 ? {} : skillMethods(ofCaller)),
        ...Record.map(methods, grouped),
        "tools/call": grouped(methods["tools/call"])
      }
      const eras: Readonly<Record<EraName, Era>> = {
        legacy: legacy(shared, info, extensions),
        modern: modern({ ...shared, ...subscriptions.methods }, info, extensions)
      }
      const answered = ({ id, method: name, params }: Request, call: Call): Effect.Effect<Outcome> => {
        const { era: eraName } = call.protocolVersion
        const era = eras[eraName]
        const method = era.methods.get(name)
        if (method === undefined) {
          return Effect.succeed({
            era: eraName,
            verdict: "unknown method",
            response: failure(id, methodNotFound(name))
          })
        }
        return Effect.match(method.run(params, call), {
          onSuccess: (result): Outcome => ({
            era: eraName,
            verdict: "answered",
            response: success(id, era.result(result, method))
          }),
          onFailure: (problem): Outcome => ({
            era: eraName,
            verdict: isForbidden(problem) ? "forbidden" : "answered",
            response: failure(id, toErrorObject(problem, call.protocolVersion))
          })
        })
      }
      const admitted = (request: Request, call: Call): Effect.Effect<Outcome> => {
        const { era } = call.protocolVersion
        const problem = eras[era].refusal(request.params)
        return problem === undefined ? answered(request, call) : Effect.succeed(refused(request.id, problem, era))
      }
      const serve = (request: Request, call: Call) => {
        const outcome = Effect.suspend(() => admitted(request, call))
        return spanned("Protocol.serve")(answerDefects(outcome, request, call))
      }

      const methodNames = new Set(Object.values(eras).flatMap(({ methods }) => [...methods.keys()]))
      const observed = observing(methodNames, tools, prompts)
      return Protocol.of({
        serve: (request, call) => identified(observed(serve(request, call), request, call)),
        isImmediate: ({ method }, { era }) => eras[era].methods.get(method)?.work === undefined
      })
    })
  )
}

/** Only defects and interrupted work are left here: neither must leave the caller waiting. */
const answerDefects = (
  effect: Effect.Effect<Outcome>,
  { id, method }: Request,
  { protocolVersion }: Call
): Effect.Effect<Outcome> =>
  Effect.catchCause(effect, (cause) =>
    Effect.andThen(
      Effect.logError(`Defect in ${oneLine(method)}: ${oneLine(Cause.pretty(cause))}`),
      Effect.map(RequestId, (requestId): Outcome => ({
        era: protocolVersion.era,
        verdict: "answered",
        response: failure(id, internalError(requestId))
      }))
    )
  )

/** One era of MCP: which requests are accepted, which methods they have, and the envelope of results. */
interface Era {
  /** The refusal of a request whose params lack something; undefined if they do not. */
  readonly refusal: (params: unknown) => ProtocolError | undefined
  readonly methods: ReadonlyMap<string, Method.Method>
  readonly result: (result: MethodResult, method: Method.Method) => MethodResult
}

/** 2024-11-05 to 2025-11-25: with or without a handshake, and every failure is a JSON-RPC error. */
const legacy = (shared: Method.Methods, info: ServerInfo["Service"], extensions: Extensions): Era => ({
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
const modern = (
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
