import type { StoredEntry } from "../../changes/Journal.ts"
import {
  articlesOf,
  bidOf,
  type Campaign,
  nameOf,
  placementsOf,
  shownAt,
  status,
  statusText
} from "../client/Campaign.ts"
import { pairKey } from "../client/ids.ts"
import { isKopecks, kopecksToRubles } from "../client/money.ts"
import { operations } from "../client/operations.ts"
import type { Seen, SeenArticle } from "../report/seen.ts"
import { type Change, changeKey } from "./Change.ts"
import * as Phrases from "./phrases.ts"

/** One value of a campaign that is not what it was. */
export interface Difference {
  readonly advert_id: number
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}

const none = "none"
const phrasesText = ({ length }: ReadonlyArray<string>) => (length === 1 ? "1 phrase" : `${length} phrases`)
const amount = (kopecks: number | null | undefined): string =>
  isKopecks(kopecks) ? `${kopecksToRubles(kopecks)} rub` : none
const places = (some: ReadonlyArray<string>): string => some.join(", ") || none

/** The value that a change sets; undefined for changes that do not show in what is seen. */
const settingOf = (change: Change): string | undefined => {
  switch (change.kind) {
    case "bid":
    case "cluster":
    case "limit":
      return amount(change.after)
    case "state":
      return statusText(change.after)
    case "product":
      return change.after ? "in the campaign" : "not in it"
    case "placements":
      return places(change.after)
    case "name":
      return change.after
    default:
      return undefined
  }
}

const actions: Readonly<Record<string, number>> = {
  [operations.startCampaign.name]: status.active,
  [operations.pauseCampaign.name]: status.paused
}

/** The values that plans and direct changes have set since a moment, by place, and the campaigns that they have made. */
export const setSince = (entries: ReadonlyArray<StoredEntry<Change>>, since: number) => {
  const values = new Map<string, string>()
  const phrases = new Map<string, ReadonlyArray<string>>()
  const created = new Set<number>()
  const changes = new Map<string, Change>()
  for (const entry of entries) {
    if (entry.type === "planned") {
      for (const { change, id } of entry.plan.steps) changes.set(`${entry.plan_id} ${id}`, change)
    }
    if (entry.at < since) continue
    if (entry.type === "action") {
      const after = actions[entry.operation]
      if (after !== undefined && entry.outcome === "done")
        values.set(`state ${String(entry["advert_id"])}`, statusText(after))
    }
    if (entry.type !== "begun" && entry.type !== "done") continue
    if (entry.type === "done" && typeof entry.created === "number") created.add(entry.created)
    for (const id of entry.steps) {
      const change = changes.get(`${entry.plan_id} ${id}`)
      if (change === undefined) continue
      const setting = settingOf(change)
      if (setting !== undefined) values.set(changeKey(change), setting)
      if (change.kind === "phrases") phrases.set(changeKey(change), change.after)
    }
  }
  return { values, phrases, created }
}

type Ours = ReturnType<typeof setSince>

/** Everything of a campaign in the list of campaigns that is compared, by place. */
const valuesOf = (campaign: Campaign): ReadonlyMap<string, string> =>
  new Map([
    [`name ${campaign.id}`, nameOf(campaign)],
    [`state ${campaign.id}`, statusText(campaign.status)],
    ...(campaign.bid_type === "manual"
      ? [[`placements ${campaign.id}`, places(shownAt(campaign.settings.placements))] as const]
      : []),
    ...articlesOf(campaign).flatMap((article) => [
      [`product ${campaign.id}/${article.nm_id}`, "in the campaign"] as const,
      ...placementsOf(campaign).flatMap((placement) => {
        const bid = bidOf(article, placement)
        const place = `bid ${campaign.id}/${article.nm_id}/${placement}`
        return bid === null ? [] : [[place, amount(bid)] as const]
      })
    ])
  ])

const compared = (
  advert_id: number,
  what: string,
  { after, before, ours }: Omit<Difference, "advert_id" | "what"> & { readonly ours: Ours }
): ReadonlyArray<Difference> => {
  const wanted = ours.values.get(what)
  const isOurs = wanted !== undefined && (wanted === after || (wanted === "not in it" && after === null))
  return after === before || isOurs ? [] : [{ advert_id, what, before, after }]
}

/** The differences of one campaign in two lists. */
const inCampaign = (old: Campaign, campaign: Campaign, ours: Ours): ReadonlyArray<Difference> => {
  const [was, is] = [valuesOf(old), valuesOf(campaign)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((what) => {
    const [before = null, after = null] = [was.get(what), is.get(what)]
    // An article that has left takes its bids along, and one that has come brings its own; so does a placement.
    const isWithArticle = what.startsWith("bid ") && (before === null || after === null)
    return isWithArticle ? [] : compared(campaign.id, what, { before, after, ours })
  })
}

/** The differences of an article's minus-phrases and cluster bids, as far as both were told. */
const inArticle = (
  advert_id: number,
  nm_id: number,
  [old, now]: readonly [SeenArticle, SeenArticle],
  ours: Ours
): ReadonlyArray<Difference> => {
  const what = `phrases ${advert_id}/${nm_id}`
  const [was, is, wanted] = [old.phrases, now.phrases, ours.phrases.get(what)]
  const isChanged = was !== undefined && is !== undefined && !Phrases.same(was, is)
  // What a plan of ours has set meanwhile is not told as the change of others.
  const from = wanted ?? was ?? []
  const phrases =
    isChanged && !Phrases.same(from, is)
      ? [
          {
            advert_id,
            what,
            before: phrasesText(from),
            after: `${phrasesText(is)}: ${Phrases.differenceText({ before: from, after: is })}`
          }
        ]
      : []
  const { bids: bidsNow } = now
  const { bids: bidsBefore } = old
  if (bidsBefore === undefined || bidsNow === undefined) return phrases
  const clusters = [...new Set([...Object.keys(bidsBefore), ...Object.keys(bidsNow)])].flatMap((query) =>
    compared(advert_id, `cluster ${advert_id}/${nm_id}/${query}`, {
      before: amount(bidsBefore[query]),
      after: amount(bidsNow[query]),
      ours
    })
  )
  return [...phrases, ...clusters]
}

/** The differences between the account as it was last seen and now that nothing of ours has made since. */
export const differencesElsewhere = (
  before: Seen,
  now: Seen,
  oursSince: (moment: number) => Ours
): ReadonlyArray<Difference> => {
  const ours = oursSince(before.at)
  const earlier = new Map(before.adverts.map((campaign) => [campaign.id, campaign]))
  const present = new Map(now.adverts.map((campaign) => [campaign.id, campaign]))
  const changed = now.adverts.flatMap((campaign): ReadonlyArray<Difference> => {
    const { id: advert_id } = campaign
    const old = earlier.get(advert_id)
    if (old !== undefined) return inCampaign(old, campaign, ours)
    if (ours.created.has(advert_id)) return []
    return [{ advert_id, what: `campaign ${advert_id}`, before: null, after: nameOf(campaign) }]
  })
  const gone = before.adverts
    .filter(({ id }) => !present.has(id))
    .map((campaign): Difference => ({
      advert_id: campaign.id,
      what: `campaign ${campaign.id}`,
      before: nameOf(campaign),
      after: null
    }))
  const limits = [...(now.limits ?? [])].flatMap(([advert_id, limit]) => {
    const old = before.limits?.get(advert_id)
    if (old === undefined) return []
    return compared(advert_id, `limit ${advert_id}`, { before: amount(old), after: amount(limit), ours })
  })
  // What has left takes its phrases and cluster bids along.
  const articles = now.adverts.flatMap((campaign) => {
    const { id } = campaign
    const old = earlier.get(id)
    if (old === undefined) return []
    const stayed = new Set(articlesOf(old).map(({ nm_id }) => nm_id))
    return articlesOf(campaign).flatMap(({ nm_id }) => {
      const key = pairKey({ advert_id: id, nm_id })
      const [was, is] = [before.articles.get(key), now.articles.get(key)]
      if (was === undefined || is === undefined || !stayed.has(nm_id)) return []
      return inArticle(id, nm_id, [was, is], oursSince(was.at))
    })
  })
  return [...changed, ...gone, ...limits, ...articles]
}
