import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { stateOf } from "../../src/marketplace/embedded/State.ts"
import { directory, run, useCommand } from "../cli/built.ts"
import { bigAccount } from "./accounts.ts"
import { command } from "./overStdio.ts"
import { served } from "./served.ts"

useCommand()

/** Two sellers with campaigns of the same ids; the second one has fewer rights and its own guards. */
const sellers = Effect.gen(function* () {
  const account = bigAccount({ campaigns: 2, articles: 2 })
  const other = stateOf([...account.adverts.values()].map((advert) => ({ ...advert, name: `Toys ${advert.id}` })))
  const shoes = yield* served({ account, apiKey: "key-of-shoes-8f2c6d1e", limits: "none" })
  const toys = yield* served({ account: other, apiKey: "key-of-toys-47b0a95c", limits: "none" })
  const accounts = {
    shoes: { ...shoes.settings, wire: "spec" },
    toys: { ...toys.settings, wire: "spec", guards: { maxChangePercent: 5 } }
  }
  return { shoes, toys, accounts }
})

const bids = [{ advert_id: 7000, nm_id: 100_000, change_percent: 10 }]

describe("several sellers in one server", () => {
  it.live("have their keys, guards, limits and journals apart, and every tool takes the account", () =>
    Effect.gen(function* () {
      const { accounts, shoes, toys } = yield* sellers
      const marketplace = { accounts, defaultAccount: "shoes" }
      const cwd = yield* Effect.promise(() => directory({ ".config.json": { marketplace } }))
      const server = command(cwd, {}, "--config", ".config.json")
      const ask = (tool: string, args: object) => Effect.promise(() => server.call(tool, args))
      const fails = (tool: string, args: object) => Effect.promise(() => server.fail(tool, args))
      const nameOf = (answer: Readonly<Record<string, unknown>>) => Object(answer["campaigns"])[0].name
      assert.strictEqual(nameOf(yield* ask("ads_list_campaigns", {})), "Goods 0")
      assert.strictEqual(nameOf(yield* ask("ads_list_campaigns", { account: "toys" })), "Toys 7000")

      const planned = yield* ask("ads_plan_bids", { changes: bids, check_floors: false })
      assert.strictEqual(planned["steps"], 1)
      const blocked = yield* ask("ads_plan_bids", { account: "toys", changes: bids, check_floors: false })
      assert.deepStrictEqual([blocked["steps"], blocked["blocked_count"]], [0, 1])
      const report = yield* ask("apply_plan", { plan_id: planned["plan_id"], confirm: true })
      assert.deepInclude(report, { account: "shoes", state: "applied" })
      assert.notDeepEqual((yield* shoes.world.account).adverts.get(7000)?.rows[0]?.search, 15_500)
      assert.strictEqual(Number((yield* toys.world.account).adverts.get(7000)?.rows[0]?.search), 15_500)
      yield* ask("ads_pause_campaign", { account: "toys", advert_id: 7000, confirm: true })
      assert.strictEqual((yield* shoes.world.account).adverts.get(7000)?.status, 9)

      for (const [account, name] of [
        ["shoes", "Goods 0"],
        ["toys", "Toys 7000"]
      ] as const) {
        const uri = `ads://report?account=${account}`
        const { result } = yield* Effect.promise(() => server.request("resources/read", { uri }))
        assert.include(JSON.stringify(result), `7000,${name},`)
      }
      const { error } = yield* Effect.promise(() => server.request("resources/read", { uri: "ads://report?account=x" }))
      assert.include(JSON.stringify(error), "must be one of the configured accounts: shoes, toys")

      const { entries } = yield* ask("audit_log", { plans: true })
      assert.sameMembers(
        Array.from(Object(entries), (row: { readonly account: string }) => row.account),
        ["shoes", "toys", "toys"]
      )
      for (const [name, others] of [
        ["shoes", "toys"],
        ["toys", "shoes"]
      ] as const) {
        const file = path.join(cwd, `.marketplace-journal-${name}.jsonl`)
        assert.isTrue(existsSync(file))
        assert.notInclude(readFileSync(file, "utf8"), `key-of-${name}`)
        assert.isTrue(existsSync(path.join(cwd, `.marketplace-journal-${others}.jsonl`)))
      }
      assert.include(
        yield* fails("ads_list_campaigns", { account: "books" }),
        "Invalid account: must be one of the configured accounts: shoes, toys"
      )
      assert.include(yield* fails("ads_get_campaign", { account: "toys", advert_id: 9 }), "(account toys)")
      const rollback = yield* ask("plan_rollback", { plan_id: planned["plan_id"] })
      assert.deepInclude(yield* ask("apply_plan", { plan_id: rollback["plan_id"], confirm: true }), {
        account: "shoes"
      })
      server.child.stdin.end()
      yield* Effect.promise(() => server.ended)
    }).pipe(Effect.scoped)
  )

  it.live("are checked one by one, and a configuration that mixes them is refused with the field", () =>
    Effect.gen(function* () {
      const { accounts } = yield* sellers
      const started = (marketplace: object, env: Readonly<Record<string, string>> = {}) =>
        Effect.promise(async () => {
          const cwd = await directory({ ".config.json": { marketplace } })
          return run(["check", "--config", ".config.json", "--toolsets", "marketplace"], { cwd, env })
        })
      const { stdout } = yield* started({ accounts, defaultAccount: "toys" })
      assert.include(stdout, "shoes: marketplace: ")
      assert.include(stdout, "toys: marketplace: ")
      const { shoes, toys } = accounts
      const refusals: ReadonlyArray<readonly [object, string, Readonly<Record<string, string>>?]> = [
        [{ accounts }, "marketplace.defaultAccount must be one of the accounts: shoes, toys"],
        [{ accounts: {} }, "marketplace.accounts must not be empty"],
        [{ accounts, defaultAccount: "shoes", readOnly: false }, "marketplace.readOnly belongs into each of"],
        [{ accounts: { "a b": shoes } }, "marketplace.accounts.a b must have a name"],
        [{ accounts: { shoes: { ...shoes, colour: 1 } } }, "marketplace.accounts.shoes.colour is not a known setting"],
        [
          {
            accounts: { shoes, toys: { ...toys, journal: "./.marketplace-journal-shoes.jsonl" } },
            defaultAccount: "toys"
          },
          "marketplace.accounts.toys.journal must not be that of another account"
        ],
        [
          { accounts, defaultAccount: "shoes" },
          "MARKETPLACE_API_KEY is about a single seller",
          { MARKETPLACE_API_KEY: "x" }
        ]
      ]
      for (const [marketplace, problem, env] of refusals) {
        const { code, stderr, stdout: said } = yield* started(marketplace, env)
        assert.strictEqual(code, 1)
        assert.include(stderr + said, problem)
        assert.notInclude(stderr + said, "key-of-")
      }
    }).pipe(Effect.scoped)
  )
})
