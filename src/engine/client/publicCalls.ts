import { Clock, Effect, Option, Result, Schema } from "effect"
import { decodeString } from "effect/encoding/Base64"

import type { Upstream, UpstreamRequest } from "../../internal/http/Upstream.ts"
import type { UpstreamFailure } from "../../internal/http/UpstreamFailure.ts"
import { releaseMeta, settingsPath, versionField } from "../workflow/naming.ts"
import type { AttemptedCall } from "./CallErrors.ts"
import type { Environment } from "./config/EngineConfig.ts"
import { callTimeout, remaining } from "./Deadline.ts"
import type { EngineError } from "./EngineError.ts"
import { json } from "./verdict.ts"

/** Statuses of an engine that does not make public what others do. */
const refusals = [401, 403]

/** The engine's own description of its API, an OpenAPI document. */
const descriptionPath = "/api/v1/openapi.yml"

/** Calls for public data, without the key. */
export const publicCalls = (
  upstream: Upstream,
  { headers }: Pick<Environment, "headers">,
  translated: <A>(call: AttemptedCall, sent: Effect.Effect<A, UpstreamFailure>) => Effect.Effect<A, EngineError>
) => {
  const read = <A>(path: string, operation: string, sent: Effect.Effect<A, UpstreamFailure>) =>
    translated({ method: "GET", path, operation }, sent)

  /** The time in an answer is the beginning of its second, somewhere between request and answer. */
  const clockSkew = Effect.gen(function* () {
    const sentAt = yield* Clock.currentTimeMillis
    const timeout = yield* remaining(callTimeout)
    const reply = yield* upstream.send({ method: "GET", path: "/", headers, expected: refusals, timeout })
    const receivedAt = yield* Clock.currentTimeMillis
    const engineTime = Date.parse(reply.headers["date"] ?? "")
    return Number.isNaN(engineTime) ? Option.none() : Option.some(engineTime + 500 - (sentAt + receivedAt) / 2)
  })

  return {
    publicJson: (path: string) =>
      Effect.flatMap(remaining(callTimeout), (timeout) =>
        upstream.send({ method: "GET", path, expected: refusals, timeout })
      ).pipe(
        (sent) => read(path, `read ${path}`, sent),
        Effect.map((answer) => (answer.status === 200 ? json(answer) : Option.none()))
      ),
    apiDescriptionIfSupported: Effect.flatMap(remaining(callTimeout), (timeout) =>
      upstream.send({ method: "GET", path: descriptionPath, headers, expected: [...refusals, 404], timeout })
    ).pipe(
      (sent) => read(descriptionPath, "read the API's description", sent),
      Effect.map(({ status, text }) => (status === 200 ? Option.some(text) : Option.none()))
    ),
    publicVersion: read("/", "read the version", publicVersion(upstream, headers)),
    clockSkew: read("/", "read the time", clockSkew)
  }
}

/** The exact version that an engine makes public: in its settings if it is an older one, otherwise on its start page. */
const publicVersion = Effect.fnUntraced(function* (
  upstream: Upstream,
  headers: NonNullable<UpstreamRequest["headers"]>
) {
  const settings = yield* upstream.send({ method: "GET", path: settingsPath, headers, expected: [401, 403] })
  const settingsVersion = Option.flatMap(json(settings), readVersion)
  if (Option.isSome(settingsVersion)) return settingsVersion
  const page = yield* upstream.send({ method: "GET", path: "/", headers, expected: [401, 403] })
  return Option.fromNullishOr(versionOnPage(page.text))
})

const Settings = Schema.Struct({ data: Schema.Struct({ [versionField]: Schema.NonEmptyString }) })
const readVersion = (settings: unknown) =>
  Option.map(Schema.decodeUnknownOption(Settings)(settings), ({ data }) => data[versionField])

const Release = Schema.fromJsonString(Schema.Struct({ release: Schema.String }))

/** The release in the Base64-encoded JSON of a meta tag, without the name of the product. */
const versionOnPage = (page: string): string | undefined => {
  const tag = page.match(/<meta\b[^<>]{0,4000}>/g)?.find((tag) => tag.includes(`name="${releaseMeta}"`))
  const [, content] = /\bcontent="([A-Za-z0-9+/=]{1,3000})"/.exec(tag ?? "") ?? []
  const text = content === undefined ? undefined : Result.getOrUndefined(decodeString(content))
  const { release } = Option.getOrElse(Schema.decodeUnknownOption(Release)(text), () => ({ release: "" }))
  return /(?<!\d)\d{1,9}\.\d{1,9}\.\d{1,9}[-+.0-9A-Za-z]{0,40}$/.exec(release)?.[0]
}
