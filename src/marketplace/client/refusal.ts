import { Option, Predicate, Schema } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import {
  AdsBadRequest,
  AdsConflict,
  AdsForbidden,
  AdsNotFound,
  AdsPaymentRequired,
  AdsServerError,
  AdsUnauthorized,
  BidOutOfRange,
  CampaignStateRefused,
  LowBudget,
  MarketplaceError,
  type Reason
} from "./MarketplaceError.ts"

/** Whether a text is an HTML page, such as that of a proxy: no answer of the API begins like one. */
export const isPage = (text: string): boolean => text.trimStart().startsWith("<")

export const cameAsPage = "a page came instead of JSON"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The union of the marketplace's seven shapes of errors; every field may be missing. */
const ErrorBody = Schema.Struct({
  detail: Text,
  error: Text,
  message: Text,
  title: Text,
  requestId: Text,
  request_id: Text,
  errors: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ field: Text, detail: Text }))))
})

const readBody = Schema.decodeUnknownOption(ErrorBody)
const longest = 500

/** The message of an error body in any of the known shapes; an unknown shape is shown as it is. */
const readRefusal = (text: string) => {
  const parsed = Option.getOrElse(parseJson(text), () => text)
  const asItCame = isPage(text) ? cameAsPage : (Predicate.isString(parsed) ? parsed : text).trim().slice(0, longest)
  const body = Option.getOrUndefined(readBody(parsed))
  const fields = (body?.errors ?? []).map(({ detail, field }) => ({ field: field ?? "", detail: detail ?? "" }))
  const listed = fields.map(({ detail }) => detail).join("; ")
  const requestId = body?.requestId ?? body?.request_id
  return {
    detail: body?.detail ?? (listed === "" ? (body?.error ?? body?.message ?? body?.title ?? asItCame) : listed),
    fields,
    ...(requestId ? { requestId } : {})
  }
}

const wrongBid = /wrong bid value: (\d+); min: (\d+)(?:,?\s*max:\s*(\d+))?/g

interface WrongBid {
  readonly received: number
  readonly min: number
  readonly max?: number
}

/** Of several wrong bids the one with the highest minimum, which is then valid for all placements. */
const readWrongBid = (detail: string) => {
  const bids = [...detail.matchAll(wrongBid)].map(([, received, min, max]): WrongBid => ({
    received: Number(received),
    min: Number(min),
    ...(max === undefined ? {} : { max: Number(max) })
  }))
  const isExact = (amount = 0) => Number.isSafeInteger(amount)
  return bids
    .filter(({ max, min, received }) => isExact(received) && isExact(min) && isExact(max))
    .toSorted((a, b) => b.min - a.min)
    .at(0)
}

/** The typed error for a status that is not a success. */
export const refusal = (operation: string, status: number, text: string) =>
  new MarketplaceError({ operation, reason: reasonOf(status, text) })

/** The reason for a status and its error text, which comes in two languages. */
const reasonOf = (status: number, text: string): Reason => {
  const said = readRefusal(text)
  const problem = { status, ...said, detail: said.detail === "" ? `status ${status}` : said.detail }
  const bid = readWrongBid(problem.detail)
  if (bid !== undefined) return new BidOutOfRange({ ...problem, ...bid })
  if (/low budget|not enough budget/i.test(problem.detail)) return new LowBudget(problem)
  if (/wrong advert status|status not changed|Статус кампании не изменен/i.test(problem.detail)) {
    return new CampaignStateRefused(problem)
  }
  if (status === 401) return new AdsUnauthorized(problem)
  if (status === 402) return new AdsPaymentRequired(problem)
  if (status === 403) return new AdsForbidden(problem)
  if (status === 404 || (status === 400 && /not found|не найден/i.test(problem.detail))) return new AdsNotFound(problem)
  if (status === 409) return new AdsConflict(problem)
  return status >= 500 ? new AdsServerError(problem) : new AdsBadRequest(problem)
}
