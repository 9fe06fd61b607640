import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { PlanJournal } from "../../src/marketplace/apply/Plans.ts"
import { EmbeddedMarketplace } from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import type { State } from "../../src/marketplace/embedded/State.ts"
import { bigAccount, comparable } from "./accounts.ts"
import { offered } from "./offered.ts"
import { inTime, plansOver } from "./support.ts"

const campaigns = 60
const articles = 25

const account = bigAccount({ campaigns, articles })

/** The old bids of the campaigns in rubles, half a kopeck included. */
const snapshot = [...account.adverts.values()].map(({ id }, campaign) => ({
  advert_id: id,
  bid_rubles: 200.005 + campaign,
  minus_phrases: ["spare part"]
}))

/** Every so many requests one is told to wait. */
const moody = (every: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) => {
      let count = 0
      return HttpClient.make((request) =>
        ++count % every === 0
          ? Effect.succeed(
              HttpClientResponse.fromWeb(
                request,
                new Response("{}", { status: 429, headers: { "x-ratelimit-retry": "2" } })
              )
            )
          : httpClient.execute(request)
      )
    })
  )

const Answer = Schema.Record(Schema.String, Schema.Unknown)

const call = Effect.fnUntraced(function* (name: string, args: unknown) {
  const tools = yield* offered
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) return yield* Effect.die(`no tool ${name}`)
  return yield* Schema.decodeUnknownEffect(Answer)((yield* tool.call(args)).structured)
})

const applyToTheEnd = Effect.fnUntraced(function* (plan_id: unknown) {
  let calls = 0
  let answer: typeof Answer.Type
  do {
    answer = yield* call("apply_plan", { plan_id, confirm: true })
    calls += 1
  } while (answer["state"] === "in progress")
  return { answer, calls }
})

/** Plans with the lowest bids of all campaigns, which takes several calls. */
const planWithFloors = (args: object) =>
  Effect.retry(call("ads_plan_migration", { ...args, on_below_floor: "raise" }), {
    while: (error) => error._tag === "ToolError" && error.code === "ADS_FLOORS_PENDING"
  })

/** Runs a program in virtual time, a second at a step. */
const quickly = <A, E, R>(program: Effect.Effect<A, E, R>) => inTime(program, 1000)

describe("a migration of 60 campaigns with 1,500 articles through the tools alone", () => {
  it.effect.each([
    { target: "in-place", bidSteps: campaigns * articles, breakAfter: "90 seconds" },
    { target: "new-manual-campaign", bidSteps: campaigns * articles * 2, breakAfter: "4 minutes" }
  ] as const)(
    "$target is completed over a break and 429s, and rolled back to the kopeck",
    ({ bidSteps, breakAfter, target }) =>
      Effect.gen(function* () {
        const world = yield* EmbeddedMarketplace
        const store = yield* PlanJournal
        /** A server process: everything but the marketplace and the journal begins anew. */
        const aProcess = <A, E, R>(program: Effect.Effect<A, E, R>) =>
          Effect.provide(program, Layer.fresh(plansOver({}, moody(41), Layer.succeed(PlanJournal, store))), {
            local: true
          })

        const plan = yield* quickly(aProcess(planWithFloors({ target, snapshot })))
        assert.deepInclude(plan["by_kind"], { bid: bidSteps, phrases: campaigns * articles })
        assert.strictEqual(plan["blocked_count"], 0)
        const { plan_id } = plan

        const broken = yield* Effect.forkChild(aProcess(applyToTheEnd(plan_id)))
        yield* quickly(Effect.sleep(breakAfter))
        yield* Fiber.interrupt(broken)
        const halfway = yield* world.account
        assert.notDeepEqual(comparable(halfway), comparable(account))

        yield* TestClock.adjust("4 minutes")
        const { answer } = yield* quickly(aProcess(applyToTheEnd(plan_id)))
        assert.deepInclude(answer, { state: "applied", done: answer["total"], unconfirmed_count: 0 })
        const moved = yield* world.account
        const [first] = target === "in-place" ? [moved.adverts.get(7001)] : findTwin(moved, 7001)
        assert.strictEqual(first?.rows.length, articles)
        const expected = target === "in-place" ? 20_101 : 25_000
        for (const row of first?.rows ?? []) assert.strictEqual(row.search, expected)
        assert.deepStrictEqual(moved.phrases.get(`${first?.id}:100100`), ["cheap 1", "second hand", "spare part"])

        const again = yield* quickly(aProcess(planWithFloors({ target, snapshot })))
        assert.strictEqual(again["steps"], 0)

        const back = yield* quickly(aProcess(call("plan_rollback", { plan_id })))
        yield* quickly(aProcess(applyToTheEnd(back["plan_id"])))
        assert.deepStrictEqual(comparable(yield* world.account), comparable(account))
      }).pipe(Effect.provide(Layer.merge(EmbeddedMarketplace.layer({ account }), PlanJournal.layerMemory)))
  )
})

const findTwin = ({ adverts }: State, id: number) =>
  [...adverts.values()].filter(({ name }) => name.endsWith(`(manual, ${id})`))
