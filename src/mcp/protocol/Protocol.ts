import { Cause, Context, Effect, Layer, Option, Record, Result } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { Arrival } from "../callTime.ts"
import { Prompts } from "../Prompt.ts"
import { Resources } from "../Resources.ts"
import { Tools } from "../Tool.ts"
import type { Call } from "./Call.ts"
import { clean } from "./clean.ts"
import type { Era } from "./Era.ts"
import { toErrorObject } from "./errors.ts"
import * as Lanes from "./Lanes.ts"
import { legacy } from "./legacy.ts"
import type { Request } from "./Message.ts"
import type { Method } from "./Method.ts"
import { completionMethods } from "./methods/completion.ts"
import { promptMethods } from "./methods/prompts.ts"
import { resourceMethods } from "./methods/resources.ts"
import { toolMethods } from "./methods/tools.ts"
import { modern } from "./modern.ts"
import { internalError, methodNotFound } from "./ProtocolError.ts"
import { claimedVersion } from "./RequestMeta.ts"
import { failure, type Outcome, refused, success } from "./Response.ts"
import * as Revision from "./Revision.ts"
import { ServerInfo } from "./ServerInfo.ts"

/** Serves single requests of both eras; an outcome is always an answer, whatever happened. */
export class Protocol extends Context.Service<
  Protocol,
  {
    readonly serve: (request: Request, call: Call) => Effect.Effect<Outcome>
  }
>()("workflow-tool-server/protocol/Protocol") {
  static readonly layer = Layer.effect(
    Protocol,
    Effect.gen(function* () {
      const info = yield* ServerInfo
      const prompts = yield* Prompts
      const resources = yield* Resources
      const inLane = withLane(Lanes.make().run)
      const methods = {
        ...toolMethods(yield* Tools),
        ...resourceMethods(resources),
        ...promptMethods(prompts),
        ...completionMethods(prompts, resources)
      }
      const shared = { ...Record.map(methods, inLane), "tools/call": inLane(methods["tools/call"]) }
      const eras: Readonly<Record<Revision.EraName, Era>> = {
        legacy: legacy(shared, info),
        modern: modern(shared, info)
      }
      const serve = Effect.fn("Protocol.serve")(function* (request: Request, call: Call) {
        const { id, params } = request
        const revision = Option.isSome(claimedVersion(params)) ? Revision.modern : call.revision
        const era = eras[revision.era]
        const admission = yield* Effect.result(era.admit(params))
        if (Result.isFailure(admission)) return refused(id, admission.failure, revision.era)
        const method = era.methods.get(request.method)
        if (method === undefined) {
          const response = failure(id, methodNotFound(request.method))
          return { era: revision.era, verdict: "unknown method", response } satisfies Outcome
        }
        const response = yield* Effect.match(method.run(params, { ...call, revision }), {
          onSuccess: (result) => success(id, era.result(result, method)),
          onFailure: (problem) => failure(id, toErrorObject(problem, revision))
        })
        return { era: revision.era, verdict: "answered", response } satisfies Outcome
      }, answerDefects)

      return Protocol.of({ serve })
    })
  )
}

/** Only bugs are left here, and work that was stopped from within: both must not leave the caller waiting. */
const answerDefects = (
  effect: Effect.Effect<Outcome>,
  { id, method }: Request,
  { revision }: Call
): Effect.Effect<Outcome> =>
  Effect.catchCause(effect, (cause) =>
    Effect.as(Effect.logError(`Defect in ${clean(method)}: ${clean(Cause.pretty(cause))}`), {
      era: revision.era,
      verdict: "answered",
      response: failure(id, internalError)
    })
  )

/** The same method, at work only in its lane. */
const withLane =
  (run: ReturnType<typeof Lanes.make>["run"]) =>
  (method: Method): Method => {
    const { work } = method
    if (work === undefined) return method
    return {
      ...method,
      run: Effect.fnUntraced(function* (params, call) {
        const since = yield* monotonicMillis
        const program = Effect.provideService(method.run(params, call), Arrival, since)
        return yield* run(program, { ...work(params), gone: call.gone })
      })
    }
  }
