import { isDeepStrictEqual } from "node:util"

import { Context, Effect, Layer, Redacted, Scope, Semaphore } from "effect"
import { HttpClientRequest } from "effect/http"

import { Kopecks } from "../../src/marketplace/client/money.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { type Advert, type State, stateOf } from "../../src/marketplace/embedded/State.ts"
import { comparable } from "../marketplace/accounts.ts"
import type { Group, Schedule } from "./schedule.ts"
import type { Remote, Reply, Sender } from "./Upstream.ts"

/** Something that has changed the account, with what it was before and after. */
export interface AccountChange extends Sender {
  readonly at: number
  readonly path: string
  readonly before: State
  readonly after: State
}

/** Milliseconds for which the marketplace may show what was. */
const longestLag = 180_000

const campaign = (index: number): Advert => ({
  id: 7000 + index,
  name: `Goods ${index}`,
  bid_type: index % 2 === 0 ? "manual" : "auto",
  status: [9, 11, 4][index % 3] ?? 9,
  payment_type: "cpm",
  search: true,
  recommendations: true,
  created: "2025-05-01T00:00:00+03:00",
  budget: 1000,
  rows: [1, 2, 3].map((article) => {
    const bid = Kopecks.make(26_000 + index * 310 + article)
    return { nm_id: 100_000 + index * 100 + article, search: bid, recommendations: bid }
  })
})

/** The last campaign pays for clicks: only those have daily limits. A cluster bid that shows proves the unit of others. */
const account = stateOf(
  [...[0, 1, 2, 3].map(campaign), { ...campaign(4), payment_type: "cpc" }],
  new Map([
    ["7001:0", ["cheap", "second hand"]],
    ["7000:100001", ["used"]]
  ]),
  new Map([["7000:100002:boots", Kopecks.make(30_000)]])
)

/** Whether all that lasts is the same; articles have no order. */
export const isSameAccount = (one: State, other: State): boolean => {
  const [before, after] = [one, other].map((state) => {
    const { adverts, ...rest } = comparable(state)
    return {
      ...rest,
      limits: new Map([...state.dailyLimits].filter(([, { enabled }]) => enabled)),
      adverts: adverts.map(([id, { rows, ...advert }]) => [id, advert, new Map(rows.map((row) => [row.nm_id, row]))])
    }
  })
  return isDeepStrictEqual(before, after)
}

/** A marketplace, and everything that has really changed an account there. */
export class Market implements Remote {
  readonly changes: Array<AccountChange> = []
  readonly name = "marketplace"
  readonly host = "http://marketplace.test"
  readonly group: Group
  readonly apiKey: string
  private readonly marketplace: EmbeddedMarketplace["Service"]
  private readonly schedule: Schedule
  private readonly oneByOne = Semaphore.makeUnsafe(1)
  /** Campaigns as they were shown, and since when, where an answer follows the account only after a while. */
  private readonly shown = new Map<string, { readonly at: number; readonly reply: Reply }>()
  private readonly isLagging: boolean

  private constructor(group: Group, marketplace: EmbeddedMarketplace["Service"], schedule: Schedule) {
    this.group = group
    this.marketplace = marketplace
    this.schedule = schedule
    this.apiKey = Redacted.value(marketplace.apiKey)
    this.isLagging = schedule.random.below(3) === 0
  }

  static readonly make = (schedule: Schedule): Effect.Effect<Market> => {
    const group: Group = { name: "marketplace", isAlive: true, wall: { ahead: 0 } }
    const layer = Layer.fresh(EmbeddedMarketplace.layer({ account, limits: "none" }))
    const built = Effect.provideService(Layer.build(layer), Scope.Scope, Scope.makeUnsafe())
    return Effect.map(
      schedule.within(group, built),
      (context) => new Market(group, Context.get(context, EmbeddedMarketplace), schedule)
    )
  }

  /** Delivers a request to the marketplace; the account is looked at before and after, one by one. */
  deliver(request: HttpClientRequest.HttpClientRequest, sender: Sender): Effect.Effect<Reply> {
    const { pathname: path } = new URL(request.url)
    const known = this.shown.get(request.url)
    const { now } = this.schedule
    const isCached = this.isLagging && path.endsWith("/adverts")
    if (isCached && known !== undefined && now < known.at + longestLag) return Effect.succeed(known.reply)
    const work = Effect.gen({ self: this }, function* () {
      const before = yield* this.marketplace.account
      const reply = yield* this.exchange(request)
      const after = yield* this.marketplace.account
      // What was deleted goes after a while, by itself.
      if (before !== after && !isSameAccount(before, after))
        this.changes.push({ ...sender, at: this.schedule.now, path, before, after })
      if (isCached) this.shown.set(request.url, { at: this.schedule.now, reply })
      return reply
    })
    return this.schedule.within(this.group, this.oneByOne.withPermit(work))
  }

  pretend(request: HttpClientRequest.HttpClientRequest, sender: Sender): Effect.Effect<Reply> {
    return this.deliver(request, sender)
  }

  /** The account as it is. */
  get account(): Effect.Effect<State> {
    return this.schedule.within(this.group, this.marketplace.account)
  }

  /** The account as it was at a moment. */
  accountAt(moment: number): State {
    return this.changes.findLast(({ at }) => at <= moment)?.after ?? account
  }

  /** Sends a request past all servers, as a person does in the cabinet. */
  send(method: "GET" | "PATCH", path: string, body?: unknown): Effect.Effect<Reply> {
    const bare = HttpClientRequest.make(method)(this.host + path, { headers: { authorization: this.apiKey } })
    const request = body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body)
    return this.deliver(request, { by: "person", call: undefined, sent: this.schedule.now })
  }

  private exchange(request: HttpClientRequest.HttpClientRequest): Effect.Effect<Reply> {
    return this.marketplace.httpClient.execute(request).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({ status: response.status, headers: { ...response.headers }, text }))
      ),
      Effect.orDie
    )
  }
}
