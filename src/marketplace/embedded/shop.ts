import { status } from "../client/Campaign.ts"
import { Kopecks } from "../client/money.ts"
import { dayNumber } from "./demand.ts"
import { type Advert, type Demand, type Good, type State, stateOf } from "./State.ts"

/* The account of the embedded marketplace: 60 campaigns with 400 articles, and 90 days of statistics. */

const subjects = [
  "Кружка",
  "Лампа",
  "Блокнот",
  "Носки",
  "Плед",
  "Подушка",
  "Полотенце",
  "Термос",
  "Рюкзак",
  "Зонт",
  "Ваза",
  "Свеча",
  "Коврик",
  "Фартук",
  "Шкатулка",
  "Органайзер",
  "Салфетки",
  "Корзина",
  "Зеркало",
  "Часы"
] as const
const kinds = ["основная", "новинки", "распродажа"] as const

const dayMs = 86_400_000
const days = 90

/** Campaigns whose advertising costs more than 15 % of what is ordered: few clicks lead to an order. */
const wasteful: ReadonlyArray<number> = [1010, 1017, 1024, 1031, 1038, 1045]
/** The campaign that burns: ten times the views of others, and no order. */
const burning = 1050
/** Campaigns whose budget is gone within a day. */
const nearlyEmpty: ReadonlyArray<number> = [1012, 1026]
/** The campaign that the marketplace has paused as its budget was used up. */
const emptied = 1058
const payingForClicks: ReadonlyArray<number> = [1055, 1056]

const articlesIn = (index: number): number => [3, 2, 2, 1][index] ?? 7

const demandOf = (id: number): Partial<Demand> => {
  if (id === burning) return { views: 2500, conversion: 0 }
  return wasteful.includes(id) ? { conversion: 0.012, price: 900 } : {}
}

const statusOf = (id: number): number => {
  if (id === 1004 || id === 1057 || id === emptied) return status.paused
  if (id === 1059) return status.ready
  return id === 1060 ? status.finished : status.active
}

const budgetOf = (id: number): number => {
  if (id === emptied || id === 1059 || id === 1060) return 0
  if (id <= 1004) return 5000
  if (id === burning) return 6000
  return nearlyEmpty.includes(id) ? 150 : 3000 + ((id * 37) % 17) * 500
}

const lowest = { combined: 15_500, manual: 25_000 } as const

const campaign = (index: number, now: number): Advert => {
  const id = 1001 + index
  const isManual = id === 1003 || id === 1004 || id >= 1043
  const hasRecommendations = id !== 1003
  const value = statusOf(id)
  const bidOf = (article: number) => {
    const old = [[25_000, 25_000, 25_000], [31_550, 31_550], [28_000, 30_500], [26_000]][index]?.[article]
    return Kopecks.make(old ?? (isManual ? lowest.manual : lowest.combined) + ((id * 7 + article * 13) % 40) * 500)
  }
  return {
    id,
    name: `${subjects[index % subjects.length]}, ${kinds[Math.floor(index / subjects.length)]}`,
    bid_type: isManual ? "manual" : "auto",
    status: value,
    payment_type: payingForClicks.includes(id) ? "cpc" : "cpm",
    search: true,
    recommendations: hasRecommendations,
    created: "2025-06-02T09:30:00+03:00",
    budget: budgetOf(id),
    budgetAt: now,
    demand: demandOf(id),
    ...(value === status.active ? {} : { pausedOn: dayNumber(now) - (id === emptied ? 1 : 20) }),
    rows: Array.from({ length: articlesIn(index) }, (_, article) => ({
      nm_id: 500_101 + index * 100 + article,
      search: bidOf(article),
      recommendations: hasRecommendations ? bidOf(article) : Kopecks.make(0)
    }))
  }
}

const phrases = new Map([
  ["1001:0", ["стакан", "бутылка"]],
  ["1002:0", ["торшер"]],
  ["1003:500301", ["ежедневник"]]
])

const clusterBids = new Map([
  ["1003:500302:блокнот в подарок", Kopecks.make(34_000)],
  ["1004:500401:носки набор", Kopecks.make(29_000)],
  ["1043:504301:блокнот своими руками", Kopecks.make(36_000)]
])

/** The account at a moment. Campaigns 1010, 1017, 1024, 1031, 1038, 1045 waste money, and 1050 burns it. */
export const shop = (now: number): State => {
  const adverts = Array.from({ length: 60 }, (_, index) => campaign(index, now))
  const goods = new Map(
    adverts.flatMap(({ name, rows }, index): ReadonlyArray<readonly [number, Good]> => {
      const subject = subjects[index % subjects.length] ?? ""
      return rows.map(({ nm_id }, article) => [nm_id, { name: `${name.split(",")[0]} №${article + 1}`, subject }])
    })
  )
  return { ...stateOf(adverts, phrases, clusterBids), goods, since: now - days * dayMs }
}
