import { Cause, Context, Effect, Layer, Option, Result, Semaphore } from "effect"

import { Prompts } from "../Prompt.ts"
import { Resources } from "../Resources.ts"
import { Tools } from "../Tool.ts"
import type { Call } from "./Call.ts"
import { clean } from "./clean.ts"
import type { Era } from "./Era.ts"
import { toErrorObject } from "./errors.ts"
import { legacy } from "./legacy.ts"
import type { Request } from "./Message.ts"
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

/**
 * Requests that may be at work outside of this process at once; the others wait their turn. Each instance has a far
 * lower limit of its own: here is room enough that those waiting for a hung one leave places for the rest.
 */
const places = 256

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
      const shared = {
        ...toolMethods(yield* Tools),
        ...resourceMethods(resources),
        ...promptMethods(prompts),
        ...completionMethods(prompts, resources)
      }
      const eras: Readonly<Record<Revision.EraName, Era>> = {
        legacy: legacy(shared, info),
        modern: modern(shared, info)
      }
      const work = yield* Semaphore.make(places)

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
        const program = method.run(params, { ...call, revision })
        const response = yield* (method.works === true ? work.withPermit(program) : program).pipe(
          Effect.match({
            onSuccess: (result) => success(id, era.result(result, method)),
            onFailure: (problem) => failure(id, toErrorObject(problem, revision))
          }),
          // Only bugs are left, and work that was stopped from within: both must not leave the caller waiting.
          Effect.catchCause((cause) =>
            Effect.as(
              Effect.logError(`Defect in ${clean(request.method)}: ${clean(Cause.pretty(cause))}`),
              failure(id, internalError)
            )
          )
        )
        return { era: revision.era, verdict: "answered", response } satisfies Outcome
      })

      return Protocol.of({ serve })
    })
  )
}
