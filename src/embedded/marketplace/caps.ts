import { Predicate } from "effect"

/** How many things a list in a body may hold, and what the refusal calls them. */
export interface Cap {
  /** Where the list is, through any lists on the way. */
  readonly at: ReadonlyArray<string>
  readonly max: number
  readonly of: string
}

const cap = (at: string, max: number, of: string): Cap => ({ at: at.split("."), max, of })
const pairs = [cap("items", 100, "items")]
const clusters = [cap("bids", 100, "bids")]

/** The caps of the bodies, the same on both wires. */
export const caps: Readonly<Record<string, ReadonlyArray<Cap>>> = {
  "PATCH /api/advert/v1/bids": [cap("bids", 50, "adverts"), cap("bids.nm_bids", 50, "nm_bids")],
  "PATCH /adv/v0/auction/nms": [cap("campaigns", 20, "adverts"), cap("nms", 20, "adverts")],
  "POST /adv/v0/normquery/get-minus": pairs,
  "POST /adv/v0/normquery/set-minus": [cap("norm_queries", 1000, "norm_queries")],
  "POST /adv/v0/normquery/stats": pairs,
  "POST /adv/v0/normquery/bids": clusters,
  "POST /adv/v0/normquery/get-bids": pairs,
  "DELETE /adv/v0/normquery/bids": clusters,
  "POST /api/advert/v1/bids/min": [cap("nm_ids", 100, "nm_ids")],
  "POST /adv/v2/seacat/save-ad": [cap("nms", 50, "nms")],
  "POST /api/advert/v2/budget": [cap("advertIds", 50, "advertIds")]
}

const listsAt = (value: unknown, [name, ...rest]: Cap["at"]): ReadonlyArray<ReadonlyArray<unknown>> => {
  const found = name !== undefined && Predicate.hasProperty(value, name) ? value[name] : undefined
  if (!Array.isArray(found)) return []
  return rest.length === 0 ? [found] : found.flatMap((item) => listsAt(item, rest))
}

/** Which list of a body is too long, in the marketplace's way of saying so. */
export const capProblem = (operation: string, body: unknown): string | undefined => {
  const passed = caps[operation]?.find(({ at, max }) => listsAt(body, at).some(({ length }) => length > max))
  return passed === undefined ? undefined : `too many ${passed.of}, max ${passed.max}`
}
