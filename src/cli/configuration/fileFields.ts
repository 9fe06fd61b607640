import { Effect, Schema } from "effect"

import type { EngineConfig } from "../../engine/client/config/EngineConfig.ts"
import type { PlanSettings, PromotionSettings } from "../../engine/plans/settings.ts"
import { isLoopback } from "../../internal/config/baseUrl.ts"
import { matching, meaning, number, secret, text, texts, whole, yesOrNo } from "../../internal/config/fields.ts"
import { toolName } from "./profiles.ts"
import type { TelemetrySettings } from "./telemetry.ts"
import { sections, toolsets } from "./toolsetFacts.ts"
import type { WatchSettingsInFile } from "./watchSettings.ts"

const scope = (otherwise: string) =>
  matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "one scope as issuers write it").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

/** An address that is only used over a connection that nobody can tamper with. */
const safeUrl = (what: string) =>
  text(what).check(
    Schema.makeFilter((written) => {
      if (!URL.canParse(written)) return what
      const { hash, hostname, password, protocol, search, username } = new URL(written)
      const isPlain = [hash, password, search, username].every((part) => part === "")
      return isPlain && (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) ? undefined : what
    })
  )

const toolNames = Schema.Array(matching(toolName, "the name of a profile, a toolset or a tool, or a pattern"))
  .check(Schema.makeFilter((names) => names.length > 0 || "at least one name"))
  .annotate({ message: "a list of names of tools" })

const issuerUrl = "the URL of the issuer of tokens, which begins with https://"
const resourceUrl = "the URL of /mcp as clients write it, which begins with https://"

/** The issuer whose tokens are accepted. */
export const OAuthFields = Schema.Struct({
  issuer: safeUrl(issuerUrl).pipe(
    Schema.annotateKey({ messageMissingKey: `${issuerUrl}, and there is none` }),
    meaning("as tokens name it in `iss`")
  ),
  resource: safeUrl(resourceUrl).pipe(
    Schema.annotateKey({ messageMissingKey: `${resourceUrl}, and there is none` }),
    meaning("as tokens name it in `aud`")
  ),
  audience: Schema.optionalKey(text("what tokens name as their audience")).pipe(
    meaning("what `aud` holds instead, for issuers with names of their own")
  ),
  jwksUri: Schema.optionalKey(safeUrl("the URL of the issuer's keys, which begins with https://")).pipe(
    meaning("where the issuer's keys are; left out, as its metadata says")
  ),
  readScope: scope("workflows:read").pipe(meaning("scope of tokens that may read")),
  writeScope: scope("workflows:write").pipe(meaning("scope of tokens that may change something as well")),
  clientId: Schema.optionalKey(text("the id under which the issuer knows the page")).pipe(
    meaning("client of the page's login")
  ),
  clientSecret: Schema.optionalKey(secret("the secret of that client")).pipe(
    meaning("secret of that client, where the issuer gave it one; only the server sends it, to the issuer")
  ),
  tools: Schema.optionalKey(
    Schema.Record(Schema.String, toolNames).annotate({ message: "an object from scopes to lists of tools" })
  ).pipe(meaning("tools for tokens with a scope, in place of `tools`: a list for each scope"))
}).annotate({ message: "an object with issuer and resource" })
export type OAuthSettings = typeof OAuthFields.Type

/** The HTTP server itself. */
export const HttpFields = Schema.Struct({
  port: Schema.optionalKey(whole(0, 65535, "a port number from 0 to 65535")).pipe(meaning("port")),
  host: Schema.optionalKey(text("the address to listen on as text")).pipe(
    meaning("address to listen on; another than this machine needs a token or an issuer")
  ),
  authToken: Schema.optionalKey(secret("the token that callers must send")).pipe(
    meaning("token that callers send as a bearer token")
  ),
  authTokenFile: Schema.optionalKey(text("the name of a file with that token")).pipe(
    meaning("file that holds that token")
  ),
  oauth: Schema.optionalKey(OAuthFields).pipe(meaning("tokens of an OAuth issuer, beside that one")),
  allowedHosts: texts("a list of host names").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
    meaning("names in `Host` beside the loopback ones, as `name` or `name:port`")
  ),
  allowedOrigins: texts("a list of origins").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
    meaning("values of `Origin` beside our own")
  ),
  page: Schema.optionalKey(Schema.Boolean.annotate({ message: "true or false" })).pipe(
    meaning("whether [the page](page.md) is shown; it is unless this says otherwise")
  ),
  metrics: Schema.optionalKey(Schema.Boolean.annotate({ message: "true or false" })).pipe(
    meaning("serve `GET /metrics` for Prometheus")
  )
}).annotate({ message: "an object" })

/** The log of calls that may change something: its file, and how much of it is kept. */
export const AuditFields = Schema.Struct({
  file: text("the name of the audit log's file").pipe(
    Schema.annotateKey({ messageMissingKey: "the name of the audit log's file, and there is none" }),
    meaning("its file; a relative path counts from the configuration file")
  ),
  maxBytes: whole(1000, 10_000_000_000, "a whole number of bytes from 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(10_000_000)),
    meaning("size at which a new file is begun")
  ),
  keep: whole(0, 1000, "a whole number from 0 to 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(5)),
    meaning("how many former files are kept")
  )
}).annotate({ message: "the name of a file, or an object with file, maxBytes and keep" })
export type AuditSettings = typeof AuditFields.Type

const whereFrom = '"off", "fetch" or {"folder": the name of a folder with the packages of an engine}'

/** The source of node types that an engine does not provide. */
const NodeTypesField = Schema.Union([
  Schema.Literals(["off", "fetch"]).annotate({ message: whereFrom }),
  Schema.Struct({
    folder: text(whereFrom).pipe(Schema.annotateKey({ messageMissingKey: whereFrom }))
  }).annotate({ message: whereFrom })
]).annotate({ message: whereFrom })

export const defaultPrefix = "workflow-tool-server"

const redisUrl = "the URL of a Redis, which begins with redis:// or rediss://"

/** The means that several servers share. */
export const SharedFields = Schema.Struct({
  redis: Schema.RedactedFromValue(matching(/^rediss?:\/\/\S+$/, redisUrl)).pipe(
    Schema.annotateKey({ messageMissingKey: `${redisUrl}, and there is none` }),
    meaning("the Redis; `WORKFLOW_TOOL_SERVER_REDIS` goes before it")
  ),
  prefix: matching(/^[\w:.-]{1,100}$/, "letters, digits and : . - _").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaultPrefix)),
    meaning("what the names of all keys there begin with")
  )
}).annotate({ message: "an object with redis" })
export type SharedSettings = typeof SharedFields.Type

const price = number(0, 1_000_000, "a price for a million tokens")

const PriceFields = Schema.Struct({
  input: price.pipe(Schema.annotateKey({ messageMissingKey: "the price of a million tokens of input" })),
  output: price.pipe(Schema.annotateKey({ messageMissingKey: "the price of a million tokens of output" })),
  cachedInput: Schema.optionalKey(price)
}).annotate({ message: "an object with input and output" })

const oneOfThree = 'an object with one of "env", "file" and "command", and "field" where it holds a single text'

/** The place of values of a credential outside of the conversation: all fields as JSON, or a single text, which is one field. */
export const CredentialSourceFields = Schema.Struct({
  env: Schema.optionalKey(matching(/^[A-Za-z_]\w*$/, "the name of an environment variable")),
  file: Schema.optionalKey(text("the name of a file")),
  command: Schema.optionalKey(texts("a list of a program and its arguments")),
  field: Schema.optionalKey(text("the name of a field of the credential")),
  for: Schema.optionalKey(
    Schema.Literals(["credentials", "variables"]).annotate({ message: '"credentials" or "variables"' })
  )
})
  .annotate({ message: oneOfThree })
  .check(
    Schema.makeFilter(({ command, env, file }) => {
      const isOne = [env, file, command].filter((place) => place !== undefined).length === 1
      return (isOne && command?.length !== 0) || oneOfThree
    })
  )
export type CredentialSourceSettings = typeof CredentialSourceFields.Type

/** The configuration file without its instances, which are read one by one. */
export const FileFields = Schema.Struct({
  environments: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      message: "an object from instance names to their settings"
    })
  ).pipe(meaning("the instances, each under its name")),
  defaultEnv: Schema.optionalKey(text("the name of an instance as text")).pipe(
    meaning("the instance of calls that name none; `default`, or the only one")
  ),
  http: HttpFields.pipe(Schema.withDecodingDefaultKey(Effect.succeed({})), meaning("the HTTP door")),
  readOnly: yesOrNo.pipe(meaning("refuse every change on every instance")),
  toolsets: Schema.Array(Schema.Literals(toolsets).annotate({ message: `one of ${toolsets.join(", ")}` }))
    .annotate({ message: "a list of toolset names" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])), meaning("sets of tools to offer beside `engine`")),
  tools: Schema.optionalKey(toolNames).pipe(
    meaning(
      "the tools of these sets to offer: profiles (`daily`, `all`), names, patterns, `-name` to leave one out; all"
    )
  ),
  answerLimit: Schema.optionalKey(whole(1000, 1_000_000_000, "a whole number of bytes from 1000")).pipe(
    meaning("largest answer of a tool in bytes")
  ),
  audit: Schema.optionalKey(Schema.Unknown).pipe(
    meaning("the audit log; off unless asked for. A text alone is its `file`")
  ),
  history: Schema.optionalKey(text("the name of a folder")).pipe(
    meaning("folder of the git repository that keeps the history of workflows; off unless asked for")
  ),
  shared: Schema.optionalKey(SharedFields).pipe(meaning("what several copies share")),
  telemetry: Schema.optionalKey(Schema.Unknown).pipe(
    meaning("where OpenTelemetry's traces, metrics and logs go: see [watching.md](watching.md#opentelemetry)")
  ),
  watch: Schema.optionalKey(Schema.Unknown).pipe(
    meaning("rounds in which the server looks for what is wrong, and whom it tells: see [watch.md](watch.md)")
  ),
  prices: Schema.optionalKey(
    Schema.Record(Schema.String, PriceFields).annotate({ message: "an object from names of models to their prices" })
  ).pipe(
    meaning(
      "what language models cost for a million tokens, for [`ai_usage`](ai.md): `input`, `output`, `cachedInput` for each"
    )
  ),
  tests: Schema.optionalKey(text("the name of a folder")).pipe(
    meaning("folder of recorded tests of workflows: see [testing.md](testing.md); none unless asked for")
  ),
  nodeTypes: Schema.optionalKey(NodeTypesField).pipe(
    meaning("where node types come from that an engine does not tell")
  ),
  credentialSources: Schema.optionalKey(
    Schema.Record(Schema.String, CredentialSourceFields).annotate({ message: "an object from names to sources" })
  ).pipe(meaning("where [values of credentials](rotation.md#sources) come from, by the name that tools are given")),
  ...sections,
  plans: Schema.optionalKey(Schema.Unknown).pipe(meaning("plans of workflows")),
  promotion: Schema.optionalKey(Schema.Unknown).pipe(meaning("what differs from instance to instance"))
}).annotate({ message: "an object with environments and defaultEnv" })

/** The parts of the file that other schemas read, by the fields that hold them. */
interface ReadApart {
  readonly audit?: AuditSettings
  readonly telemetry?: TelemetrySettings
  readonly watch?: WatchSettingsInFile
  readonly plans?: PlanSettings
  readonly promotion?: PromotionSettings
}

/** The validated content of the configuration files and variables. */
export interface Settings
  extends Omit<typeof FileFields.Type, keyof ReadApart | "defaultEnv" | "environments">, ReadApart {
  /** Undefined if no instance is configured and none was required. */
  readonly engine: EngineConfig["Service"] | undefined
  /** Probable mistakes that do no harm, in words for a person. */
  readonly warnings: ReadonlyArray<string>
}
