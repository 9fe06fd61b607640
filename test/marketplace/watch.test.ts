import { once as onceEmitted } from "node:events"
import { createServer } from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { directory, listen, run, start, useCommand } from "../cli/built.ts"
import { served as servedEngine } from "../engine/plans/served.ts"
import { served } from "./served.ts"

useCommand()

const unlimited = { limit: 1000, periodMs: 1000, burst: 1000 }
const limits = { getAdvFullstats: unlimited, getBidsMin: unlimited }

const burns = { name: "burns", when: ["orders = 0", "spent > 5000"], at_least: { days: 7 }, do: "pause" }
const dear = { name: "dear", when: ["drr_percent > 15"], at_least: { clicks: 50 }, do: "bid", percent: -20 }
const none = { ...burns, when: ["spent > 900000000"] }

const watch = Effect.fnUntraced(function* (
  marketplace: object,
  rules: unknown,
  { args = [], more = {} }: { readonly args?: ReadonlyArray<string>; readonly more?: object } = {}
) {
  const files = { ".config.json": { marketplace, ...more }, "rules.json": rules }
  const cwd = yield* Effect.promise(() => directory(files))
  const words = ["--config", ".config.json", "ads", "watch", "--rules", "rules.json", ...args]
  return yield* Effect.promise(() => run(words, { cwd }))
})

describe("ads watch", () => {
  it.live(
    "tells by its exit code whether a rule matches, and changes nothing that the configuration does not allow",
    () =>
      Effect.gen(function* () {
        const { settings, world } = yield* served({ limits: "none" })
        const marketplace = { ...settings, tokenKind: "personal", wire: "spec", limits }
        const before = (yield* world.account).adverts
        const quiet = yield* watch(marketplace, [none])
        assert.deepInclude(quiet, { code: 0, stderr: "" })
        const { code, stdout } = yield* watch(marketplace, [burns, dear], { args: ["--json"] })
        assert.strictEqual(code, 2)
        const { matched, paused, rules } = JSON.parse(stdout)
        assert.deepStrictEqual([matched, paused], [true, 0])
        assert.deepStrictEqual(
          rules.map(({ matches, rule }: { readonly matches: number; readonly rule: string }) => [rule, matches]),
          [
            ["burns", 1],
            ["dear", 7]
          ]
        )
        const after = (yield* world.account).adverts
        for (const [id, { rows, status }] of before) assert.deepInclude(after.get(id), { rows, status })

        const pausing = yield* watch({ ...marketplace, watchMayPause: true }, [burns, dear])
        assert.strictEqual(pausing.code, 2)
        assert.match(pausing.stdout, /burns/)
        const paused1050 = (yield* world.account).adverts
        assert.strictEqual(paused1050.get(1050)?.status, 11)
        for (const [id, { rows }] of before) assert.deepStrictEqual(paused1050.get(id)?.rows, rows)
      }).pipe(Effect.scoped)
  )

  it.live("ends with 1 where it cannot tell, and says why", () =>
    Effect.gen(function* () {
      const { settings } = yield* served({ limits: "none" })
      const problems: ReadonlyArray<readonly [object, unknown, string]> = [
        [settings, "[", "must hold a JSON list of rules"],
        [settings, [], "must hold a JSON list of rules"],
        [settings, [{ ...burns, colour: 1 }], "Invalid rules.0.colour"],
        [{ ...settings, apiKey: "another-key" }, [burns], "Could not read campaigns"],
        [{ ...settings, baseUrl: "http://127.0.0.1:9" }, [burns], "http://127.0.0.1:9"]
      ]
      for (const [marketplace, rules, problem] of problems) {
        const { code, stderr, stdout } = yield* watch(marketplace, rules)
        assert.strictEqual(code, 1, problem)
        assert.strictEqual(stdout, "")
        assert.include(stderr, problem)
      }
      const cwd = yield* Effect.promise(() => directory())
      assert.deepInclude(yield* Effect.promise(() => run(["ads", "watch"], { cwd })), { code: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("ends with 130 where it is stopped", () =>
    Effect.promise(async () => {
      const silent = createServer()
      const baseUrl = `http://127.0.0.1:${await listen(silent)}`
      const reached = onceEmitted(silent, "request")
      const cwd = await directory({
        ".config.json": { marketplace: { baseUrl, apiKey: "some-key" } },
        "rules.json": [burns]
      })
      const { child, ended } = start(["--config", ".config.json", "ads", "watch", "--rules", "rules.json"], { cwd })
      await reached
      child.kill("SIGTERM")
      assert.deepInclude(await ended, { code: 130 })
    })
  )

  it.live("runs a workflow with the rules that match", () =>
    Effect.gen(function* () {
      const { settings } = yield* served({ limits: "none" })
      const marketplace = { ...settings, tokenKind: "personal", wire: "spec", limits }
      const environments = { none: { engine_host: "http://127.0.0.1:9", engine_api_key: "none" } }
      const more = { environments }
      const quiet = yield* watch(marketplace, [none], { args: ["--run", "7"], more })
      assert.strictEqual(quiet.code, 0)
      const { code, stderr } = yield* watch(marketplace, [burns], { args: ["--run", "7"], more })
      assert.strictEqual(code, 1)
      assert.include(stderr, "127.0.0.1:9")
    }).pipe(Effect.scoped)
  )

  it.live("hands what matched to a workflow of an engine, and ends with 1 where that fails", () =>
    Effect.gen(function* () {
      const { settings } = yield* served({ limits: "none" })
      const engine = yield* servedEngine("2.41.1")
      const marketplace = { ...settings, tokenKind: "personal", wire: "spec", limits }
      const node = (kind: string, name: string, typeVersion: number, parameters = {}) => {
        return { name, type: `n8n-nodes-base.${kind}`, typeVersion, position: [0, 0], parameters }
      }
      const told = {
        assignments: {
          assignments: [
            { id: "a", name: "rule", type: "string", value: "={{ $json.matched[0].rule }}" },
            { id: "b", name: "matches", type: "number", value: "={{ $json.matched[0].matches }}" }
          ]
        }
      }
      const created = (name: string, last: object) =>
        Effect.promise(async () => {
          const nodes = [node("manualTrigger", "Start", 1), last]
          const connections = { Start: { main: [[{ node: "Tell", type: "main", index: 0 }]] } }
          const answer = await fetch(`${engine.host}/api/v1/workflows`, {
            method: "POST",
            headers: { "X-N8N-API-KEY": engine.apiKey, "content-type": "application/json" },
            body: JSON.stringify({ name, nodes, connections, settings: {} })
          })
          return String(Object(await answer.json()).id)
        })
      const telling = yield* created("Tell", node("set", "Tell", 3.4, told))
      const failing = yield* created("Fail", node("stopAndError", "Tell", 1, { errorMessage: "no channel" }))
      const environments = { local: { engine_host: engine.host, engine_api_key: engine.apiKey } }
      const ran = (id: string) => watch(marketplace, [burns], { args: ["--run", id, "--json"], more: { environments } })
      const well = yield* ran(telling)
      assert.strictEqual(well.code, 2, well.stderr)
      const { run: outcome } = JSON.parse(well.stdout)
      assert.deepInclude(outcome, { ran: true, status: "success" })
      assert.include(JSON.stringify(outcome), JSON.stringify({ rule: "burns", matches: 1 }))
      const badly = yield* ran(failing)
      assert.strictEqual(badly.code, 1)
      assert.include(badly.stderr, "The run did not succeed: error")
    }).pipe(Effect.scoped)
  )
})
