import { Effect, Option, Schema } from "effect"
import { Base64Url } from "effect/encoding"

import { next, whole } from "../../changes/tools/results.ts"
import { reads } from "../../mcp/annotations.ts"
import { flag, optional } from "../../mcp/parameters.ts"
import { ResourceNotFound, type ResourceProvider } from "../../mcp/Resources.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { explain } from "../apply/advice.ts"
import { keyReport, limitOf } from "../client/keyRules.ts"
import { MarketplaceConfig, type MarketplaceSettings } from "../client/MarketplaceConfig.ts"
import { retryAfter } from "../client/MarketplaceError.ts"
import { caps, intervalMs, type OperationName } from "../client/operations.ts"
import { csvOf, rowOf, totalOf } from "../report/answer.ts"
import { levels } from "../report/lines.ts"
import type { UnreadCampaigns } from "../report/Reports.ts"
import { orRefuse } from "./errors.ts"
import { linesFor, reportFields } from "./reportLines.ts"

const reportShown = Schema.Struct({
  level: Schema.optionalKey(Schema.Literals(levels)),
  period: Schema.optionalKey(Schema.Struct({ from: Schema.String, to: Schema.String })),
  total: Schema.Record(Schema.String, Schema.Unknown),
  rows: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  unread: Schema.optionalKey(Schema.Struct({ campaigns: whole, reads: whole, minutes: whole })),
  cursor: Schema.optionalKey(Schema.String),
  next
})

const mostRows = 500

const fields = {
  ...reportFields,
  compare: optional(flag("With the period before")),
  by_day: optional(flag("A row for each day")),
  limit: optional(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: mostRows }, { message: `must be between 1 and ${mostRows}` })
    ).annotate({ inputSchema: { type: "integer", description: "Rows, default 20" } })
  ),
  cursor: optional(Schema.String.annotate({ description: "Goes on" }))
}

const Arguments = Schema.Struct(fields)
type Arguments = typeof Arguments.Type

const Cursor = Schema.fromJsonString(Schema.Struct({ offset: Schema.Int, of: Arguments }))
const decodeCursor = Schema.decodeUnknownOption(Cursor)

const cursorOf = (of: Arguments, offset: number): string => Base64Url.encode(JSON.stringify({ offset, of }))

/** The arguments that a cursor continues, and the rows that are behind it. */
const continued = (given: Arguments) => {
  if (given.cursor === undefined) return Effect.succeed({ offset: 0, of: given })
  const read = Option.flatMap(Option.getSuccess(Base64Url.decodeString(given.cursor)), decodeCursor)
  const wrong = (argument: string, problem: string) => Effect.fail(new InvalidArgument({ argument, problem }))
  if (Option.isNone(read)) return wrong("cursor", "must be one that ads_report returned")
  const before = new Map<string, unknown>(Object.entries(read.value.of))
  const other = Object.entries(given).find(
    ([name, value]) => name !== "cursor" && JSON.stringify(value) !== JSON.stringify(before.get(name))
  )
  if (other !== undefined) return wrong(other[0], "must be as in the call that returned the cursor, or left out")
  return Effect.succeed(read.value)
}

export const report = Tool.make("ads_report", {
  title: "Report",
  description:
    "Statistics (статистика): spend, orders, revenue, ДРР of campaigns, articles (товары), clusters (кластеры); charges (списания)",
  annotations: reads,
  arguments: fields,
  result: reportShown,
  run: Effect.fn("ads_report")(function* (given) {
    const { of, offset } = yield* continued(given)
    const { left, level, lines, missing, period, unread, wanted } = yield* linesFor(of)
    const { limit = 20 } = of
    const page = lines.slice(offset, offset + limit)
    const end = offset + page.length
    return {
      level,
      period,
      total: { rows: lines.length, ...totalOf(level, lines) },
      rows: page.map((line) => rowOf(level, line, wanted)),
      ...left,
      ...(unread === undefined
        ? {}
        : {
            unread: {
              campaigns: unread.campaigns,
              reads: unread.reads,
              minutes: minutesFor(yield* MarketplaceConfig, unread, level)
            }
          }),
      ...(end < lines.length ? { cursor: cursorOf({ ...of, ...period }, end) } : {}),
      next: [
        ...(unread === undefined ? [] : [goOn(yield* MarketplaceConfig, unread)]),
        ...(missing.length === 0 ? [] : [`There are no statistics of ${missing.slice(0, 10).join(", ")}.`]),
        end < lines.length ? "cursor shows more rows; ads_plan_rules plans changes by rules." : then[level]
      ].join(" ")
    }
  }, orRefuse)
})

const then = {
  campaign: "ads_plan_rules plans changes by rules; level article or cluster shows what is inside.",
  article: "ads_plan_rules plans changes by rules, ads_plan_bids single bids.",
  cluster: "ads_plan_rules excludes clusters and changes their bids by rules; ДРР of clusters is estimated.",
  keyword: "ads_plan_minus_phrases shuts phrases out.",
  charge: "A charge follows what statistics show; level campaign tells what it brought."
} as const

/** The time that the limits ask for what is unread. */
export const minutesFor = (settings: MarketplaceSettings, { reads: left }: UnreadCampaigns, level: string): number => {
  const operation: OperationName = level === "cluster" ? "getNormqueryStats" : "getAdvFullstats"
  return Math.ceil((left * intervalMs(limitOf(settings, operation))) / 60_000)
}

/** The advice on how to see the rest; with a base key, its abilities come first. */
export const goOn = (
  settings: MarketplaceSettings,
  { campaigns, of, problem, reads: left }: UnreadCampaigns
): string => {
  const { kind } = keyReport(settings, 0)
  const isSlow = kind === "base" || kind === "test"
  const pace = isSlow
    ? `A ${kind} key reads the statistics of ${caps.campaignIds} campaigns once an hour; a personal key reads them at once. `
    : ""
  const wait = problem === undefined ? undefined : retryAfter(problem)
  const why = problem === undefined || wait !== undefined ? "" : ` ${explain(problem)}`
  const when =
    wait === undefined
      ? "Call again with the same arguments"
      : `In ${Math.ceil(wait)} seconds, call again with the same arguments`
  return `${pace}Not complete: ${campaigns} of ${of} campaigns are not read yet (${left} reads left).${why} ${when}: what was read is kept, and reading goes on.`
}

const template = "ads://report{?level,from,to,where,sort,statuses,name,by_day}"

/** Reports as CSV, all rows of them. */
export const reportResources: ResourceProvider<Effect.Services<ReturnType<typeof linesFor>> | MarketplaceConfig> = {
  list: [],
  templates: [
    {
      uriTemplate: template,
      name: "report",
      title: "Report as CSV",
      description: "All rows of ads_report, with every metric; where as often as needed",
      mimeType: "text/csv"
    }
  ],
  read: (uri) =>
    URL.canParse(uri) && new URL(uri).protocol === "ads:" && new URL(uri).host === "report"
      ? Effect.map(csvFor(new URL(uri).searchParams), (text) => ({ uri, mimeType: "text/csv", text }))
      : Effect.fail(new ResourceNotFound({ uri })),
  complete: () => Effect.succeed({ values: [] })
}

const Query = Schema.Struct(reportFields)
const decodeQuery = Schema.decodeUnknownEffect(Query)

const csvFor = Effect.fnUntraced(function* (query: URLSearchParams) {
  const text = (name: string) => query.get(name) ?? undefined
  const statuses = text("statuses")?.split(",").map(Number)
  const campaigns = { ...(statuses && { statuses }), ...(text("name") && { name: text("name") }) }
  const fromUri = {
    ...Object.fromEntries(
      ["level", "from", "to", "sort"].flatMap((name) => (query.has(name) ? [[name, text(name)]] : []))
    ),
    ...(query.has("where") ? { where: query.getAll("where") } : {}),
    ...(Object.keys(campaigns).length === 0 ? {} : { campaigns })
  }
  const read = yield* Effect.mapError(
    decodeQuery(fromUri),
    ({ message }) => new InvalidArgument({ argument: "uri", problem: message })
  )
  const { level, lines, unread } = yield* linesFor({ ...read, by_day: query.get("by_day") === "true" }, true)
  if (unread !== undefined) {
    return yield* new InvalidArgument({ argument: "uri", problem: goOn(yield* MarketplaceConfig, unread) })
  }
  return csvOf(level, lines)
}, orRefuse)
