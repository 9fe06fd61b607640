/** The options of the configuration file as a table: what each expects and is without being said comes from its schema. */
import { Result, Schema, SchemaAST } from "effect"

import { AuditFields, FileFields, HttpFields, OAuthFields, SharedFields } from "../src/cli/configuration/fileFields.ts"
import { type FolderRule, folderRules } from "../src/cli/configuration/folderRules.ts"
import { TelemetryFields } from "../src/cli/configuration/telemetry.ts"
import type { sections } from "../src/cli/configuration/toolsetFacts.ts"
import { InstanceFields } from "../src/engine/client/config/instanceFields.ts"
import { instanceRules } from "../src/engine/client/config/instanceRules.ts"
import { GuardFields, KeepFields, MappingFields, PlanFields, PromotionFields } from "../src/engine/plans/settings.ts"
import { firstIssue } from "../src/internal/schema/describeIssue.ts"

/** Fields with what each is for; one without a line here does not compile, but for those of toolsets, which say it themselves. */
interface Group {
  readonly path: string
  readonly fields: Fields
  readonly meanings: Readonly<Record<string, string>>
}
type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>
const group = <const F extends Fields>(
  path: string,
  { fields }: { readonly fields: F },
  meanings: { readonly [name in Exclude<keyof F & string, keyof typeof sections>]: string }
): Group => ({ path, fields, meanings })

const groups: ReadonlyArray<Group> = [
  group("", FileFields, {
    environments: "the instances, each under its name",
    defaultEnv: "the instance of calls that name none; `default`, or the only one",
    http: "the HTTP door",
    readOnly: "refuse every change on every instance",
    toolsets: "sets of tools to offer beside `engine`",
    answerLimit: "largest answer of a tool in bytes",
    audit: "the audit log; off unless asked for. A text alone is its `file`",
    history: "folder of the git repository that keeps the history of workflows; off unless asked for",
    shared: "what several copies share",
    telemetry: "where OpenTelemetry's traces, metrics and logs go: see [watching.md](watching.md#opentelemetry)",
    tests: "folder of recorded tests of workflows: see [testing.md](testing.md); none unless asked for",
    nodeTypes: "where node types come from that an engine does not tell",
    plans: "plans of workflows",
    promotion: "what differs from instance to instance"
  }),
  group("environments.NAME.", InstanceFields, {
    engine_host: "base URL, without `/api/v1`",
    engine_api_key: "API key of that instance",
    engine_api_key_header: "name of the key header; left out, it is learnt from the first call",
    readOnly: "refuse every change there",
    allowInsecureHttp: "permit `http://` to another machine",
    requestsPerSecond: "most requests that leave in any one second",
    concurrency: "most requests under way at once",
    headers: "headers of every request, for a proxy in front of the engine; their values are kept secret",
    caFile: "certificate authorities to trust beside those of Node",
    proxy: "HTTP proxy on the way there"
  }),
  group("http.", HttpFields, {
    port: "port",
    host: "address to listen on; another than this machine needs a token or an issuer",
    authToken: "token that callers send as a bearer token",
    authTokenFile: "file that holds that token",
    oauth: "tokens of an OAuth issuer, beside that one",
    allowedHosts: "names in `Host` beside the loopback ones, as `name` or `name:port`",
    allowedOrigins: "values of `Origin` beside our own",
    page: "whether [the page](page.md) is shown; it is unless this says otherwise",
    metrics: "serve `GET /metrics` for Prometheus"
  }),
  group("http.oauth.", OAuthFields, {
    issuer: "as tokens name it in `iss`",
    resource: "as tokens name it in `aud`",
    audience: "what `aud` holds instead, for issuers with names of their own",
    jwksUri: "where the issuer's keys are; left out, as its metadata says",
    readScope: "scope of tokens that may read",
    writeScope: "scope of tokens that may change something as well"
  }),
  group("audit.", AuditFields, {
    file: "its file; a relative path counts from the configuration file",
    maxBytes: "size at which a new file is begun",
    keep: "how many former files are kept"
  }),
  group("shared.", SharedFields, {
    redis: "the Redis; `WORKFLOW_TOOL_SERVER_REDIS` goes before it",
    prefix: "what the names of all keys there begin with"
  }),
  group("telemetry.", TelemetryFields, {
    endpoint: "base URL of the collector; `/v1/traces` and so on are added",
    headers: "headers of every delivery; their values are kept secret",
    caFile: "certificate authorities to trust beside those of Node; a relative path counts from the configuration file",
    protocol: "how it is written",
    compression: "whether it is compressed",
    signals: "what is delivered; all unless this says otherwise",
    sampleRatio: "part of the traces to keep, where the caller has not decided",
    serviceName: "`service.name`; `workflow-tool-server` unless this says otherwise",
    attributes: "further attributes of the resource"
  }),
  group("plans.", PlanFields, {
    journal: "file that keeps plans and their progress; a relative path counts from the configuration file",
    planMinutes: "how long a plan can wait to be applied",
    guards: "what plans may change at all"
  }),
  group("plans.guards.", GuardFields, {
    maxItemsPerApply: "how many single changes one plan may hold",
    allowedInstances: "the only instances that plans may change",
    allowedTags: "only workflows with one of these tags may be changed",
    protected:
      "workflows that a person has to agree to: `{ tags, names }`; `directWrites: false` leaves out single changes"
  }),
  group("promotion.", PromotionFields, {
    mappings: "what stands for what on another instance",
    keep: "fields of nodes whose values stay as they are on the target",
    tests:
      "whether recorded tests run on the source when a promotion is planned, and block what does not pass; `required` also blocks what has none"
  }),
  group("promotion.mappings[].", MappingFields, {
    from: "instance that is promoted from",
    to: "instance that is promoted to",
    credentials: "from a credential there to one here",
    tags: "from a tag there to one here",
    workflows: "from a workflow there to one here",
    values: "from a text in parameters there to the one here"
  }),
  group("promotion.keep[].", KeepFields, {
    workflow: "only in these workflows",
    node: "only in these nodes",
    type: "only in nodes of this type",
    fields: "the fields that stay"
  })
]

/** What a field is where nothing is said. */
const otherwise = (decode: (input: unknown) => Result.Result<object, unknown>): string => {
  const decoded = decode({})
  if (Result.isFailure(decoded)) return "required"
  const [value] = Object.values(decoded.success)
  if (typeof value === "object" || value === undefined) return ""
  return `\`${JSON.stringify(value)}\``
}

/** What a field wants, in the words of its own error. */
const expected = (decode: (input: unknown) => Result.Result<object, Schema.SchemaError>): string =>
  Result.match(decode({ field: () => {} }), { onFailure: (error) => firstIssue(error).words, onSuccess: () => "" })

const instanceField = "environments.NAME."
const always: ReadonlySet<string> = new Set(
  Object.entries(instanceRules).flatMap(([name, restricts]) => (restricts(undefined) ? [name] : []))
)

/** Whether an option counts in a file that merely lies in the working folder. */
const inFolder = (place: string): string => {
  if (place.startsWith(instanceField))
    return always.has(place.slice(instanceField.length)) ? "counts" : "beside its own key"
  const rule = place
    .split(".")
    .reduce<FolderRule>(
      (outer, name) => (typeof outer === "object" ? (outer[name] ?? "needs trust") : outer),
      folderRules
    )
  if (typeof rule === "object") return ""
  return typeof rule === "function" ? "up to the default" : rule
}

const rowsOf = ({ fields, meanings, path }: Group) =>
  Object.entries(fields).map(([name, field]) => {
    const decode = Schema.decodeUnknownResult(Schema.Struct({ field }))
    const meaning = meanings[name] ?? SchemaAST.resolveDescription(field.ast) ?? ""
    return [`\`${path}${name}\``, meaning, expected(decode), otherwise(decode), inFolder(path + name)]
  })

/** Every option: its place, what it is for, what it expects, and what it is where nothing is said. */
export const optionRows = groups.flatMap(rowsOf)
