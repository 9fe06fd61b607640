import { DateTime } from "effect"

import { status } from "../client/Campaign.ts"
import { dayNumber, spentBetween } from "./demand.ts"
import { type Advert, type State, withAdvert, withoutGone } from "./State.ts"

/** The budget of a campaign at a moment, in whole rubles: it falls while the campaign runs. */
export const budgetNow = (state: State, advert: Advert, moment: DateTime.Utc): number => {
  if (advert.budgetAt === undefined || advert.status !== status.active) return advert.budget
  const spent = spentBetween(state, advert, advert.budgetAt, DateTime.toEpochMillis(moment))
  return Math.max(0, Math.floor(advert.budget - spent / 100))
}

/** The campaign in another status from a moment on. */
export const inStatus = (state: State, advert: Advert, value: number, moment: DateTime.Utc): Advert => {
  const now = DateTime.toEpochMillis(moment)
  const { pausedOn: _, ...running } = { ...advert, status: value }
  if (advert.budgetAt === undefined) return running
  const today = dayNumber(now)
  return {
    ...running,
    budget: budgetNow(state, advert, moment),
    budgetAt: now,
    // What was paused has the statistics of its last day.
    ...(value === status.active ? {} : { pausedOn: today + 1 })
  }
}

/** The account at a moment: deletions are complete, and campaigns without money are paused. */
export const settled = (state: State, moment: DateTime.Utc): State => {
  const there = withoutGone(state, moment)
  const emptied = [...there.adverts.values()].filter(
    (advert) =>
      advert.budgetAt !== undefined && advert.status === status.active && budgetNow(there, advert, moment) === 0
  )
  return emptied.reduce(
    (account, advert) => withAdvert(account, inStatus(account, advert, status.paused, moment)),
    there
  )
}
