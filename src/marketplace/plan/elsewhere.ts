import type { Kept } from "../../changes/Journal.ts"
import { articlesOf, bidOf, type Campaign, nameOf, placementsOf, status, statusText } from "../client/Campaign.ts"
import { kopecksToRubles } from "../client/money.ts"
import { operations } from "../client/operations.ts"
import { type Change, changeKey } from "./Change.ts"

/** One value of a campaign that is not what it was. */
export interface Difference {
  readonly advert_id: number
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}

/** The value that a change sets at a place of a campaign; undefined for changes that do not show in campaigns. */
const settingOf = (change: Change): readonly [place: string, value: string] | undefined => {
  if (change.kind === "bid") return [changeKey(change), `${kopecksToRubles(change.after)} rub`]
  if (change.kind === "state") return [changeKey(change), statusText(change.after)]
  return change.kind === "product" ? [changeKey(change), change.after ? "in the campaign" : "not in it"] : undefined
}

const actions: Readonly<Record<string, number>> = {
  [operations.startCampaign.name]: status.active,
  [operations.pauseCampaign.name]: status.paused
}

/** The values that plans and direct changes have set since a moment, by place, and the campaigns that they have made. */
export const setSince = (entries: ReadonlyArray<Kept<Change>>, since: number) => {
  const values = new Map<string, string>()
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
      const setting = change === undefined ? undefined : settingOf(change)
      if (setting !== undefined) values.set(setting[0], setting[1])
    }
  }
  return { values, created }
}

/** Everything of a campaign that is compared, by place. */
const valuesOf = (campaign: Campaign): ReadonlyMap<string, string> =>
  new Map([
    [`name ${campaign.id}`, nameOf(campaign)],
    [`state ${campaign.id}`, statusText(campaign.status)],
    ...articlesOf(campaign).flatMap((article) => [
      [`product ${campaign.id}/${article.nm_id}`, "in the campaign"] as const,
      ...placementsOf(campaign).flatMap((placement) => {
        const bid = bidOf(article, placement)
        const place = `bid ${campaign.id}/${article.nm_id}/${placement}`
        return bid === null ? [] : [[place, `${kopecksToRubles(bid)} rub`] as const]
      })
    ])
  ])

/** The differences between two readings of the campaigns that nothing of ours has made. */
export const differencesElsewhere = (
  before: ReadonlyArray<Campaign>,
  now: ReadonlyArray<Campaign>,
  ours: ReturnType<typeof setSince>
): ReadonlyArray<Difference> => {
  const earlier = new Map(before.map((campaign) => [campaign.id, campaign]))
  const present = new Set(now.map(({ id }) => id))
  const changed = now.flatMap((campaign): ReadonlyArray<Difference> => {
    const { id: advert_id } = campaign
    const old = earlier.get(advert_id)
    if (old === undefined) {
      return ours.created.has(advert_id)
        ? []
        : [{ advert_id, what: `campaign ${advert_id}`, before: null, after: nameOf(campaign) }]
    }
    const [was, is] = [valuesOf(old), valuesOf(campaign)]
    return [...new Set([...was.keys(), ...is.keys()])].flatMap((what) => {
      const [a = null, b = null] = [was.get(what), is.get(what)]
      const wanted = ours.values.get(what)
      // An article that has left takes its bids along, and one that has come brings its own.
      const article = /^bid (\d+\/\d+)\//.exec(what)?.[1]
      const isWithArticle = article !== undefined && (a === null || b === null)
      const isOurs = wanted !== undefined && (wanted === b || (wanted === "not in it" && b === null))
      return a === b || isWithArticle || isOurs ? [] : [{ advert_id, what, before: a, after: b }]
    })
  })
  const gone = before.flatMap((campaign): ReadonlyArray<Difference> =>
    present.has(campaign.id)
      ? []
      : [{ advert_id: campaign.id, what: `campaign ${campaign.id}`, before: nameOf(campaign), after: null }]
  )
  return [...changed, ...gone]
}
