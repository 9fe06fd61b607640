import { Context, Effect, Layer, Predicate, Redacted, Result, Schema } from "effect"

import { baseUrl } from "../../internal/config/baseUrl.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { KeyKind } from "./ApiKey.ts"
import { BidKopecks, Wire } from "./Bids.ts"
import { AdvertId } from "./ids.ts"
import { operations } from "./operations.ts"

/** The marketplace's own addresses; the only place where its name appears. */
export const hosts = {
  production: "https://advert-api.wildberries.ru",
  sandbox: "https://advert-api-sandbox.wildberries.ru"
} as const

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

const Percent = Schema.Finite.check(Schema.isGreaterThan(0, { message: "must be above 0" }))

const orElse = <const A>(value: A) => Effect.succeed(value)

/** What may be changed at all, checked when a plan is made and again when it is applied. */
export const Guards = Schema.Struct({
  /** The highest bid that may be set, in kopecks. Default 1,000,000 (10,000 rubles). */
  maxBidKopecks: BidKopecks.pipe(Schema.withDecodingDefaultKey(orElse(1_000_000))),
  /** The largest change of a bid against what it was, up or down, in percent. Default 50. */
  maxChangePercent: Percent.pipe(Schema.withDecodingDefaultKey(orElse(50))),
  /** The same against what it was 24 hours before, over all plans of the journal together. Default 100: no more than doubled. */
  maxDailyChangePercent: Percent.pipe(Schema.withDecodingDefaultKey(orElse(100))),
  /** How many single changes one plan may hold. Default 10,000. */
  maxItemsPerApply: Positive.pipe(Schema.withDecodingDefaultKey(orElse(10_000))),
  /** The only campaigns that may be changed. Default: all. */
  allowedCampaigns: Schema.optionalKey(Schema.Array(AdvertId))
})
export type Guards = typeof Guards.Type

const Limit = Schema.Struct({ limit: Positive, periodMs: Positive, burst: Positive })

const names = Object.values(operations).map(({ name }) => name)

const Key = Schema.Trim.check(
  Schema.isPattern(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, {
    message: "must be the key, as text of printable ASCII characters"
  })
)

/** Everything that can be said about the marketplace. Only the key is required. */
export const MarketplaceSettings = Schema.Struct({
  /** Where the marketplace is called, without a slash at the end. Default: the production host. */
  baseUrl: Schema.String.pipe(Schema.withDecodingDefaultKey(orElse(hosts.production))),
  /** The key, of printable ASCII characters; redacted in every text. */
  apiKey: Schema.RedactedFromValue(Key),
  /** Whether the key goes out after the word Bearer (default) or alone. */
  authScheme: Schema.Literals(["bearer", "raw"]).pipe(Schema.withDecodingDefaultKey(orElse("bearer"))),
  /**
   * Which form the two bodies have that the marketplace publishes otherwise. Default: the document's; cluster bids
   * are then planned only in a unit that the marketplace proves.
   */
  wire: Schema.optionalKey(Wire),
  /** Decides the limits; read from the key where it tells. */
  tokenKind: Schema.optionalKey(KeyKind),
  /** Limits of single operations, in place of the published ones. */
  limits: Schema.Record(Schema.Literals(names), Schema.optionalKey(Limit)).pipe(
    Schema.withDecodingDefaultKey(orElse({}))
  ),
  /** What plans may change at most. */
  guards: Guards.pipe(Schema.withDecodingDefaultKey(orElse({}))),
  /** Whether nothing may be changed. Default true. */
  readOnly: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(orElse(true))),
  /** How long a plan can wait for its apply. Default 15. */
  planMinutes: Positive.pipe(Schema.withDecodingDefaultKey(orElse(15))),
  /** The longest wait for a turn under the limits; beyond it a call fails and says when to repeat. Default 60. */
  maxWaitSeconds: Positive.pipe(Schema.withDecodingDefaultKey(orElse(60))),
  /** File that keeps plans, their progress and the audit trail; its place is told from that of the configuration file. */
  journal: Schema.NonEmptyString.pipe(Schema.withDecodingDefaultKey(orElse(".marketplace-journal.jsonl"))),
  /** Whether `baseUrl` may be `http` on another machine. Default false. */
  allowInsecureHttp: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(orElse(false))),
  /** Of the command, whose HTTP client uses them: PEM file with certificate authorities to trust beside those of Node. */
  caFile: Schema.optionalKey(Schema.NonEmptyString),
  /** The same: URL of an HTTP proxy on the way there. */
  proxy: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/, { message: "must be the URL of an HTTP proxy" }))
  )
})
export type MarketplaceSettings = typeof MarketplaceSettings.Type & {
  /** Whether the whole server is read-only, whatever is said here. */
  readonly serverReadOnly?: boolean
  /** Why the journal cannot be written, as when another process has it: without it nothing is changed. */
  readonly journalProblem?: string
}

/** The checked settings of the marketplace. */
export class MarketplaceConfig extends Context.Service<MarketplaceConfig, MarketplaceSettings>()(
  "workflow-tool-server/marketplace/MarketplaceConfig"
) {
  /** Settings as the configuration file has them; fails with the field that cannot work. */
  static readonly layer = (given: Given): Layer.Layer<MarketplaceConfig, ConfigurationError> =>
    Layer.effect(MarketplaceConfig, decode(given))
}

/** The settings before they are checked: a plain object, in which only the key is required. The `HttpClient` knows the way. */
export type Given = Omit<typeof MarketplaceSettings.Encoded, "apiKey" | "caFile" | "proxy"> & {
  readonly apiKey: string | Redacted.Redacted
}

/** What the environment says; it goes before the file. */
interface MarketplaceEnvironment {
  readonly MARKETPLACE_API_KEY?: string | undefined
  readonly MARKETPLACE_HOST?: string | undefined
}

const read = Schema.decodeUnknownEffect(MarketplaceSettings, { onExcessProperty: "error" })

/** Reads the `marketplace` object of the configuration file; fails with the field that cannot work. */
export const decode = Effect.fn("MarketplaceConfig.decode")(function* (
  given: unknown,
  { MARKETPLACE_API_KEY: apiKey, MARKETPLACE_HOST: host }: MarketplaceEnvironment = {}
) {
  const object = given ?? {}
  if (!Predicate.isObject(object)) return yield* wrong("", "must be an object")
  const own = "apiKey" in object && Redacted.isRedacted(object.apiKey) ? Redacted.value(object.apiKey) : undefined
  const key = apiKey || own
  const settings = yield* read({
    ...object,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(host ? { baseUrl: host } : {})
  }).pipe(
    Effect.catchTag("SchemaError", (error) => {
      const { path, words } = firstIssue(error)
      return wrong(path === "" ? "" : `.${path}`, /excess property/i.test(words) ? "is not a known setting" : words)
    })
  )
  const address = baseUrl(settings.baseUrl, settings.allowInsecureHttp)
  if (Result.isFailure(address)) return yield* wrong(".baseUrl", address.failure)
  return { ...settings, baseUrl: address.success }
})

const wrong = (path: string, problem: string) =>
  Effect.fail(new ConfigurationError({ message: `marketplace${path} ${problem}` }))
