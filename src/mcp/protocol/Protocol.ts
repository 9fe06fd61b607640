import { Cause, Context, Effect, Layer, Record } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { atMillis } from "../../internal/http/monotonicMillis.ts"
import { spanned } from "../../internal/spanned.ts"
import { Arrival } from "../callTime.ts"
import { Prompts } from "../Prompt.ts"
import { identified, RequestId } from "../RequestId.ts"
import { Resources } from "../Resources.ts"
import { Tools } from "../Tools.ts"
import * as ConcurrencyGroups from "./ConcurrencyGroups.ts"
import * as Rounds from "./elicitation/rounds.ts"
import { type Era, legacy, modern, ServerInfo } from "./eras.ts"
import { toErrorObject } from "./errors.ts"
import type { Request } from "./Message.ts"
import type { Call, Method } from "./Method.ts"
import { completionMethods, promptMethods } from "./methods/prompts.ts"
import { resourceMethods } from "./methods/resources.ts"
import { toolMethods } from "./methods/tools.ts"
import { observing } from "./observed.ts"
import { internalError, isForbidden, methodNotFound } from "./ProtocolError.ts"
import type { EraName, ProtocolVersion } from "./ProtocolVersion.ts"
import { failure, type Outcome, refused, success } from "./Response.ts"

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
      const grouped = inConcurrencyGroup(ConcurrencyGroups.make().run)
      const tools = yield* Tools
      const methods = {
        ...toolMethods(tools, yield* Rounds.make),
        ...resourceMethods(resources),
        ...promptMethods(prompts),
        ...completionMethods(prompts, resources)
      }
      const shared = { ...Record.map(methods, grouped), "tools/call": grouped(methods["tools/call"]) }
      const eras: Readonly<Record<EraName, Era>> = {
        legacy: legacy(shared, info),
        modern: modern(shared, info)
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

/** The same method, within the limit of its concurrency group. */
const inConcurrencyGroup =
  (run: ReturnType<typeof ConcurrencyGroups.make>["run"]) =>
  (method: Method): Method => {
    const { work } = method
    if (work === undefined) return method
    return {
      ...method,
      run: (params, call) =>
        atMillis((since) =>
          run(Effect.provideService(method.run(params, call), Arrival, since), work(params), call.inFlight)
        )
    }
  }
