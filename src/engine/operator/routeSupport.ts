import { Effect, Option } from "effect"

import { withoutNames } from "../client/capabilities.ts"
import { EngineClient } from "../client/EngineClient.ts"
import type { EngineError } from "../client/EngineError.ts"
import { compareVersions } from "../workflow/releases.ts"

/** A call that not every engine has, and not every key may use. */
interface Route {
  /** The call as the engine lists it: `POST /executions/{executionId}/stop`. */
  readonly call: string
  readonly scope: string
  /** The first version that has it. */
  readonly since: string
  /** The same call in newer versions, where it has another address. */
  readonly movedTo?: string
  /** The action, as a verb: "stop executions". */
  readonly verb: string
  /** Advice for engines without it. */
  readonly instead: string
}

/**
 * The reason why a call would fail, with advice; undefined where it may be made. The reason follows from the calls that the
 * engine lists, else from its version; nothing is tried out. An engine that tells neither is taken to have the call.
 */
export const unsupportedReason = (route: Route): Effect.Effect<string | undefined, EngineError, EngineClient> =>
  Effect.gen(function* () {
    const engine = yield* EngineClient
    const offer = Option.getOrUndefined(yield* engine.capabilitiesIfSupported)
    const isOffered = (call: string) => offer?.calls.has(withoutNames(call)) === true
    if (isOffered(route.call) || (route.movedTo !== undefined && isOffered(route.movedTo))) return undefined
    const version = Option.getOrUndefined(yield* engine.publicVersion)
    if (offer === undefined)
      return version !== undefined && compareVersions(version, route.since) < 0
        ? unsupportedText(route, version)
        : undefined
    return offer.scopes.includes(route.scope)
      ? unsupportedText(route, version)
      : `The API key of instance ${engine.instance} may not ${route.verb}: it lacks the scope ${route.scope}. Create a key with it in the engine UI.`
  })

/** The guidance for an engine that does not have a call. */
export const unsupportedText = ({ instead, since, verb }: Route, version?: string): string =>
  `This engine's API${version === undefined ? "" : ` (${version})`} cannot ${verb}: that came with ${since}. ${instead}`
