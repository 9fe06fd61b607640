import { Context, Effect, Layer, Predicate, Redacted, Result, Schema } from "effect"

import { baseUrl } from "../../internal/config/baseUrl.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { KeyKind } from "./ApiKey.ts"
import { BidKopecks, Wire } from "./Bids.ts"
import { AdvertId } from "./ids.ts"
import { operations } from "./operations.ts"
import { Rule, ruleProblem } from "./Rule.ts"

/** The marketplace's own addresses; the only place where its name appears. */
export const hosts = {
  production: "https://advert-api.wildberries.ru",
  sandbox: "https://advert-api-sandbox.wildberries.ru"
} as const

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

const Percent = Schema.Finite.check(Schema.isGreaterThan(0, { message: "must be above 0" }))

const orElse = <const A>(value: A) => Effect.succeed(value)

/** Limits for changes, checked when a plan is made and again when it is applied. */
export const Guards = Schema.Struct({
  /** The highest bid that may be set, in kopecks. Default 1,000,000 (10,000 rubles). */
  maxBidKopecks: BidKopecks.pipe(Schema.withDecodingDefaultKey(orElse(1_000_000))),
  /** The largest single change of a bid, up or down, in percent. Default 50. */
  maxChangePercent: Percent.pipe(Schema.withDecodingDefaultKey(orElse(50))),
  /** The same relative to the bid 24 hours ago, across all plans in the journal. Default 100: no more than doubled. */
  maxDailyChangePercent: Percent.pipe(Schema.withDecodingDefaultKey(orElse(100))),
  /** Most changes in one plan. Default 10,000. */
  maxItemsPerApply: Positive.pipe(Schema.withDecodingDefaultKey(orElse(10_000))),
  /** The most that plans may add to budgets within 24 hours, in rubles. Default: no plan moves money. */
  maxTopUpRublesPerDay: Schema.optionalKey(Positive),
  /** The only campaigns that may be changed. Default: all. */
  allowedCampaigns: Schema.optionalKey(Schema.Array(AdvertId))
})
export type Guards = typeof Guards.Type

/** Rules that plans can be made by under their name. */
const NamedRules = Schema.Record(
  Schema.String,
  Schema.Array(
    Rule.check(
      Schema.makeFilter((rule) => {
        const problem = ruleProblem(rule)
        return problem === undefined ? undefined : { path: [problem[0]], issue: problem[1] }
      })
    )
  )
)

const Limit = Schema.Struct({ limit: Positive, periodMs: Positive, burst: Positive })

const names = Object.values(operations).map(({ name }) => name)

const Key = Schema.Trim.check(
  Schema.isPattern(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, {
    message: "must be the key, as text of printable ASCII characters"
  })
)

/** All settings of the marketplace. Only the key is required. */
export const MarketplaceSettings = Schema.Struct({
  /** The address of the marketplace, without a trailing slash. Default: the production host. */
  baseUrl: Schema.String.pipe(Schema.withDecodingDefaultKey(orElse(hosts.production))),
  /** The key, of printable ASCII characters; redacted in every text. */
  apiKey: Schema.RedactedFromValue(Key),
  /** Whether the key is sent after the word Bearer (default) or alone. */
  authScheme: Schema.Literals(["bearer", "raw"]).pipe(Schema.withDecodingDefaultKey(orElse("bearer"))),
  /**
   * The form of the two request bodies that the marketplace publishes differently. Default: the specification's;
   * cluster bids are then planned only in a unit that existing bids prove.
   */
  wire: Schema.optionalKey(Wire),
  /** Determines the limits; read from the key if it contains its kind. */
  tokenKind: Schema.optionalKey(KeyKind),
  /** Limits of single operations, instead of the published ones. */
  limits: Schema.Record(Schema.Literals(names), Schema.optionalKey(Limit)).pipe(
    Schema.withDecodingDefaultKey(orElse({}))
  ),
  guards: Guards.pipe(Schema.withDecodingDefaultKey(orElse({}))),
  /** Rules by name, such as `{ "morning": [{ … }] }`, which `ads_plan_rules` takes as `named`. */
  rules: NamedRules.pipe(Schema.withDecodingDefaultKey(orElse({}))),
  /** Whether writes are refused. Default true. */
  readOnly: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(orElse(true))),
  /** Whether `ads watch` pauses the campaigns for which a rule says so. Default false. */
  watchMayPause: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(orElse(false))),
  /** Minutes for which a plan can be applied after it was made. Default 15. */
  planMinutes: Positive.pipe(Schema.withDecodingDefaultKey(orElse(15))),
  /** The longest wait for a rate limit; after it, a call fails and says when to repeat it. Default 60. */
  maxWaitSeconds: Positive.pipe(Schema.withDecodingDefaultKey(orElse(60))),
  /** File with plans, their progress and the audit trail; relative to the configuration file. */
  journal: Schema.NonEmptyString.pipe(Schema.withDecodingDefaultKey(orElse(".marketplace-journal.jsonl"))),
  /** Whether `baseUrl` may be `http` on another machine. Default false. */
  allowInsecureHttp: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(orElse(false))),
  /** Used by the command's HTTP client: PEM file with certificate authorities to trust in addition to those of Node. */
  caFile: Schema.optionalKey(Schema.NonEmptyString),
  /** Used by the command's HTTP client: URL of an HTTP proxy. */
  proxy: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/, { message: "must be the URL of an HTTP proxy" }))
  )
})
export type MarketplaceSettings = typeof MarketplaceSettings.Type & {
  /** Whether the whole server is read-only, whatever these settings say. */
  readonly serverReadOnly?: boolean
  /** The reason why the journal cannot be written, such as a lock held by another process: without it nothing can be changed. */
  readonly journalProblem?: string
}

/** The checked settings of the marketplace. */
export class MarketplaceConfig extends Context.Service<MarketplaceConfig, MarketplaceSettings>()(
  "workflow-tool-server/marketplace/MarketplaceConfig"
) {
  /** Takes settings as in the configuration file; fails with the field that is invalid. */
  static readonly layer = (given: Given): Layer.Layer<MarketplaceConfig, ConfigurationError> =>
    Layer.effect(MarketplaceConfig, decode(given))
}

/**
 * The settings before they are validated: a plain object in which only the key is required. The certificates and proxy belong
 * to the `HttpClient`.
 */
type Given = Omit<typeof MarketplaceSettings.Encoded, "apiKey" | "caFile" | "proxy"> & {
  readonly apiKey: string | Redacted.Redacted
}

/** Settings in the environment, which take precedence over the file. */
interface MarketplaceEnvironment {
  readonly MARKETPLACE_API_KEY?: string | undefined
  readonly MARKETPLACE_HOST?: string | undefined
}

const read = Schema.decodeUnknownEffect(MarketplaceSettings, { onExcessProperty: "error" })

/** Reads the `marketplace` object of the configuration file; fails with the field that is invalid. */
export const decode = Effect.fn("MarketplaceConfig.decode")(function* (
  given: unknown,
  { MARKETPLACE_API_KEY: apiKey, MARKETPLACE_HOST: host }: MarketplaceEnvironment = {}
) {
  const object = given ?? {}
  if (!Predicate.isObject(object)) return yield* wrong("", "must be an object")
  const givenKey = "apiKey" in object && Redacted.isRedacted(object.apiKey) ? Redacted.value(object.apiKey) : undefined
  const key = apiKey || givenKey
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

/** The names of accounts, which are also part of the names of their journals. */
const accountName = /^[A-Za-z0-9_-]{1,40}$/

/** The settings of several sellers, and the default one; undefined where the object is about a single one. */
export const accountsIn = Effect.fnUntraced(function* (given: unknown) {
  if (!Predicate.isObject(given) || !("accounts" in given)) return undefined
  const { accounts } = given
  const defaultAccount = "defaultAccount" in given ? given.defaultAccount : undefined
  const stray = Object.keys(given).find((name) => name !== "accounts" && name !== "defaultAccount")
  if (stray !== undefined) return yield* wrong(`.${stray}`, "belongs into each of marketplace.accounts")
  if (!Predicate.isObject(accounts)) return yield* wrong(".accounts", "must be an object of sellers by name")
  const names = Object.keys(accounts)
  const [first] = names
  const standard = defaultAccount ?? (names.length === 1 ? first : undefined)
  if (first === undefined) return yield* wrong(".accounts", "must not be empty")
  const invalidName = names.find((name) => !accountName.test(name))
  if (invalidName !== undefined) {
    return yield* wrong(
      `.accounts.${invalidName}`,
      "must have a name of at most 40 letters, digits, hyphens and underscores"
    )
  }
  if (typeof standard !== "string" || !names.includes(standard)) {
    return yield* wrong(".defaultAccount", `must be one of the accounts: ${names.join(", ")}`)
  }
  const decoded = yield* Effect.forEach(Object.entries(accounts), ([name, one]) => {
    const settings = Predicate.isObject(one) ? { journal: `.marketplace-journal-${name}.jsonl`, ...one } : one
    return decode(settings).pipe(
      Effect.mapError(
        ({ message }) =>
          new ConfigurationError({ message: message.replace(/^marketplace/, `marketplace.accounts.${name}`) })
      ),
      Effect.map((settings) => [name, settings] as const)
    )
  })
  return { standard, accounts: decoded }
})

const wrong = (path: string, problem: string) =>
  Effect.fail(new ConfigurationError({ message: `marketplace${path} ${problem}` }))
