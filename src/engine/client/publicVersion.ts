import { Effect, Option, Result, Schema } from "effect"
import { decodeString } from "effect/encoding/Base64"

import type { Upstream, UpstreamRequest } from "../../internal/http/Upstream.ts"
import { releaseMeta, settingsPath, versionField } from "../workflow/naming.ts"
import { json } from "./verdict.ts"

/** The exact version that an engine makes public: in its settings if it is an older one, otherwise on its start page. */
export const publicVersion = Effect.fnUntraced(function* (
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
