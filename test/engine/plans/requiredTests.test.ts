import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, type Json, refused } from "../../support/harness.ts"
import { inFolder } from "../../support/inFolder.ts"
import { Beside, type Given, twoEmbedded } from "./support.ts"

const node = (kind: string, name: string, parameters: Json = {}) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: kind === "set" ? 3.4 : 1,
  position: [0, 0],
  parameters
})

const assignments = (value: string) => ({
  assignments: { assignments: [{ id: "a", name: "a", type: "string", value }] },
  options: {}
})

/** `staging` has workflows of these names, which say what the second of them does. */
const given = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const { send } = yield* Beside
  for (const name of names) {
    yield* send("staging", "POST", "/workflows", {
      name,
      nodes: [node("manualTrigger", "Start"), node("set", "Say", assignments(name))],
      connections: { Start: { main: [[{ node: "Say", type: "main", index: 0 }]] } },
      settings: {}
    })
  }
})

const testOf = (name: string, said: string) => ({
  testFormat: 1,
  name,
  workflow: { id: "elsewhere", name },
  trigger: { node: "Start", items: [{}] },
  expect: { Say: { exact: [{ a: said }] } }
})

const files = () =>
  new Map<string, unknown>([
    ["good.json", testOf("good", "good")],
    ["good2.json", testOf("good", "good")],
    ["bad.json", testOf("bad", "better")],
    ["strange.json", testOf("nobody's", "x")]
  ])

const all = { from: "staging", to: "production", name: "*" }
const engines = (tests: "off" | "required" | "run", instances: Given["instances"] = {}) =>
  twoEmbedded(["2.41.1", "1.82.3"], { promotion: { tests }, instances })

describe("promotions whose workflows are tested", () => {
  it.live("block what does not pass on the source, and what has no test", () =>
    Effect.gen(function* () {
      yield* given(["good", "bad", "none"])
      const plan = yield* ask("plan_promotion", all).pipe(inFolder(files()))
      assert.deepInclude(plan, { counts: { create: 1, update: 0, leave: 0, blocked: 2 } })
      const blocked = JSON.stringify(plan["blocked"])
      assert.include(
        blocked,
        String.raw`its test bad.json does not pass on staging (Say, item 1, a: expected \"better\", got \"bad\")`
      )
      assert.include(blocked, String.raw`it has no test in tests, and promotion.tests is \"required\"`)
      assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true }), { state: "applied" })
      const { send } = yield* Beside
      for (const instance of ["staging", "production"]) {
        assert.notInclude(JSON.stringify(yield* send(instance, "GET", "/workflows")), "Temporary run of")
      }
      // What is on the target as it is on the source need not be tested again.
      const again = yield* ask("plan_promotion", { ...all, name: "good" }).pipe(inFolder(new Map()))
      assert.deepInclude(again, { counts: { create: 0, update: 0, leave: 1, blocked: 0 } })
    }).pipe(Effect.provide(engines("required")))
  )

  it.live("let go along what has no test, where none is required", () =>
    Effect.gen(function* () {
      yield* given(["good", "bad", "none"])
      const plan = yield* ask("plan_promotion", all).pipe(inFolder(files()))
      assert.deepInclude(plan, { counts: { create: 2, update: 0, leave: 0, blocked: 1 } })
    }).pipe(Effect.provide(engines("run")))
  )

  it.live("say why the tests cannot be run, and plan nothing then", () =>
    Effect.gen(function* () {
      yield* given(["good"])
      const said = (args: Json = all) => Effect.map(refused("plan_promotion", args), ({ message }) => message)
      assert.match(yield* said(), /cannot be run: there is no folder/)
      assert.match(yield* said().pipe(inFolder(new Map([["a.json", "broken"]]))), /cannot be run: a\.json: line 1/)
    }).pipe(Effect.provide(engines("required")))
  )

  it.live("need a source on which tests may run", () =>
    Effect.gen(function* () {
      yield* given(["good"])
      const { message } = yield* refused("plan_promotion", all).pipe(inFolder(files()))
      assert.match(message, /cannot be run: staging, where tests would run, is read-only/)
    }).pipe(Effect.provide(engines("required", { staging: { readOnly: true } })))
  )
})
