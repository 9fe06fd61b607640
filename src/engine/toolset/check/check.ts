import { Effect, Match, Option } from "effect"

import { isLoopback } from "../../../internal/config/baseUrl.ts"
import type { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import type { Finding } from "../../../mcp/Toolset.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError, InstanceNotFound } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import * as VersionLookup from "../../client/versionLookup.ts"
import { standingOf } from "../../workflow/releases.ts"
import { inFewWords, missing } from "./missing.ts"

/** Calls every configured instance, all at the same time, and tells of each in the order of the configuration. */
export const check: Effect.Effect<ReadonlyArray<Finding>, never, Instances> = Effect.gen(function* () {
  const { defaultName, names, resolve } = yield* Instances
  return yield* Effect.forEach(
    names,
    (name) => {
      const title = name === defaultName ? `${name} (default)` : name
      return Effect.matchEffect(resolve(name), {
        onSuccess: (engine) => checkInstance(title, engine),
        onFailure: (error) => Effect.succeed(failed(title, "-", error))
      })
    },
    { concurrency: "unbounded" }
  )
})

/** The answer of one instance to its key, and what it tells of itself. */
const checkInstance = Effect.fnUntraced(function* (title: string, engine: EngineClient["Service"]) {
  const problem = yield* Effect.match(engine.listWorkflows({ limit: 1 }), {
    onSuccess: () => undefined,
    onFailure: (error) => failed(title, engine.host, error)
  })
  if (problem !== undefined) return problem
  const [version, capabilities, skew] = yield* Effect.all(
    [
      Effect.orElseSucceed(VersionLookup.versionOf(engine), () => VersionLookup.unknown),
      Effect.orElseSucceed(engine.capabilitiesIfSupported, () => Option.none()),
      Effect.orElseSucceed(engine.clockSkew, () => Option.none<number>())
    ],
    { concurrency: "unbounded" }
  )
  const lacking = missing(version, Option.getOrUndefined(capabilities))
  const seconds = Option.map(skew, (milliseconds) => Math.trunc(milliseconds / 1000))
  const standing = standingOf(version)?.standing
  const runs = version === VersionLookup.unknown ? "" : ` It runs version ${version}.`
  const finding: Finding = {
    fine: true,
    words: `${title}: ${engine.host} answers and takes the key.${runs}`,
    facts: {
      instance: title,
      host: engine.host,
      reachable: "yes",
      key: Option.match(capabilities, {
        onNone: () => "accepted",
        onSome: ({ scopes }) => `accepted, ${scopes.length} rights`
      }),
      version: standing === undefined ? version : `${version} (${standing})`,
      clock: Option.match(seconds, { onNone: () => "-", onSome: (ahead) => `${ahead < 0 ? "" : "+"}${ahead} s` }),
      TLS: tls(engine.host),
      "cannot do": lacking === undefined ? "-" : lacking.length === 0 ? "nothing missing" : inFewWords(lacking)
    },
    data: {
      version,
      standing: standing ?? null,
      scopes: Option.getOrNull(Option.map(capabilities, ({ scopes }) => scopes)),
      cannot: lacking ?? null,
      clockSkewSeconds: Option.getOrNull(seconds)
    },
    notes: [...versionNotes(title, version), ...clockNotes(title, seconds), ...tlsNotes(title, engine.host)]
  }
  return finding
})

const versionNotes = (title: string, version: string) => {
  const { nearest, standing } = standingOf(version) ?? { standing: "tried", nearest: [] }
  if (standing === "tried") return []
  return [
    `${title}: version ${version} is ${standing}; ${nearest.join(" and ")} ${nearest.length > 1 ? "were" : "was"} tried. docs/engines.md says what differs`
  ]
}

/** Differences below this do no harm. */
const tolerated = 30

const clockNotes = (title: string, seconds: Option.Option<number>) =>
  Option.match(
    Option.filter(seconds, (ahead) => Math.abs(ahead) >= tolerated),
    {
      onNone: () => [],
      onSome: (ahead) => [
        `${title}: its clock is ${Math.abs(ahead)} seconds ${ahead > 0 ? "ahead of" : "behind"} this machine's. Schedules ` +
          "and filters by time are off by that much: set one of the clocks right"
      ]
    }
  )

const tls = (host: string): string => {
  const { hostname, protocol } = new URL(host)
  if (protocol === "https:") return "yes"
  return isLoopback(hostname) ? "no (this machine)" : "no"
}

const tlsNotes = (title: string, host: string) =>
  tls(host) === "no" ? [`${title}: the key goes over the network in the open (allowInsecureHttp). Use https`] : []

type Failure = ConfigurationError | EngineError | InstanceNotFound

const failed = (title: string, host: string, error: Failure): Finding => ({
  fine: false,
  words: `${title}: ${error.message}${advice(error)}`,
  facts: { instance: title, host, ...stage(error), TLS: URL.canParse(host) ? tls(host) : "-" }
})

/** The stage that the call reached. */
const stage: (error: Failure) => { readonly reachable: string; readonly key: string } = Match.type<Failure>().pipe(
  Match.tag("AuthenticationFailed", () => ({ reachable: "yes", key: "refused" })),
  Match.tag("PermissionDenied", () => ({ reachable: "yes", key: "lacks rights" })),
  Match.tag("ApiError", "ForeignAnswer", ({ httpStatus }) => ({
    reachable:
      httpStatus >= 300 && httpStatus < 400 ? "redirects" : httpStatus === 404 ? "no REST API" : "answers amiss",
    key: "-"
  })),
  Match.orElse(() => ({ reachable: "no", key: "-" }))
)

const advice: (error: Failure) => string = Match.type<Failure>().pipe(
  Match.tag(
    "AuthenticationFailed",
    () => " The key may be mistyped, expired or revoked; make a new one in the settings of that engine."
  ),
  Match.tag("PermissionDenied", () => " The key may not even list workflows; give it more rights."),
  Match.tag("ApiError", "ForeignAnswer", ({ httpStatus }) =>
    httpStatus === 404 ? " There is no REST API v1 under this address; engine_host may be wrong." : ""
  ),
  Match.orElse(() => "")
)
