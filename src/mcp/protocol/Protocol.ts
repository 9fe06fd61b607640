import { Cause, Context, Effect, Layer, Record } from "effect"

import { spanned } from "../../internal/effects.ts"
import { oneLine } from "../../internal/foreignText.ts"
import { viewExtension } from "../AppViews.ts"
import { identified, RequestId } from "../callContext.ts"
import { Prompts } from "../Prompt.ts"
import { Resources } from "../Resources.ts"
import { DefaultSelection } from "../selection.ts"
import { offeredSkills, skillExtension, Skills } from "../Skill.ts"
import { Tools } from "../Tools.ts"
import * as Rounds from "./elicitation/rounds.ts"
import * as SecretForms from "./elicitation/SecretForms.ts"
import { type Era, legacy, modern } from "./eras.ts"
import { internalError, isForbidden, methodNotFound, toErrorObject } from "./errors.ts"
import { makeConcurrencyGroups } from "./InFlightRequests.ts"
import { failure, type Outcome, refused, type Request, success } from "./Message.ts"
import * as Method from "./Method.ts"
import type { Call } from "./Method.ts"
import { completionMethods, promptMethods, resourceMethods, skillMethods } from "./methods/promptsAndResources.ts"
import { makeSubscriptions } from "./methods/subscriptions.ts"
import { toolMethods } from "./methods/tools.ts"
import { observeRequests } from "./observation.ts"
import type { EraName, ProtocolVersion } from "./ProtocolVersion.ts"
import { ServerInfo } from "./ServerInfo.ts"

/** Serves single requests of both eras; every outcome is an answer. */
export class Protocol extends Context.Service<
  Protocol,
  {
    /** Answers one request of a client. */
    readonly serve: (request: Request, call: Call) => Effect.Effect<Outcome>
    /** Whether a request is answered immediately: it needs no work outside of this process, and cannot be stopped halfway. */
    readonly isImmediate: (request: Request, protocolVersion: ProtocolVersion) => boolean
    /** The forms for secrets that are open. */
    readonly forms: SecretForms.SecretForms
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
      const forms = yield* SecretForms.make
      const methods = {
        ...toolMethods(tools, selection, yield* Rounds.make(forms), subscriptions.called),
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
      const observed = observeRequests(methodNames, tools, prompts)
      return Protocol.of({
        forms,
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
