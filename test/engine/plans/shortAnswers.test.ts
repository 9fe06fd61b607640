import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { Beside, twoEmbedded } from "./support.ts"

/** Long parameters, so that each row of a plan has much to say. */
const node = (place: number, url: string) => ({
  name: `Fetch ${place}`,
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [0, place * 100],
  parameters: { url: `${url}/${place}/${"orders-of-the-year/".repeat(5)}`, options: {} }
})

const workflow = (number: number, host: string) => ({
  name: `Sync ${number} of the shop in the north`,
  nodes: [
    { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} },
    ...Array.from({ length: 12 }, (_, place) => node(place, host))
  ],
  connections: {},
  settings: {}
})

const many = 80
const bytesOf = (answer: unknown) => new TextEncoder().encode(JSON.stringify(answer)).length

it.effect("answers of plans stay below 8 kB unless more is asked for, and their pages hold every step once", () =>
  Effect.gen(function* () {
    const { send } = yield* Beside
    for (let number = 0; number < many; number++) {
      yield* send("staging", "POST", "/workflows", workflow(number, "https://staging.example.com"))
      yield* send("production", "POST", "/workflows", workflow(number, "https://production.example.com"))
    }
    const planned = yield* ask("plan_promotion", { from: "staging", to: "production", name: "*" })
    assert.isBelow(bytesOf(planned), 8000)
    assert.propertyVal(planned, "steps", many)
    assert.strictEqual(Object(planned.workflows).length + Number(planned.workflows_more), many)

    const seen: Array<string> = []
    for (let pages = 0; seen.length < many; pages++) {
      assert.isBelow(pages, many)
      const page = yield* ask("show_plan", { plan_id: planned.plan_id, offset: seen.length })
      assert.isBelow(bytesOf(page), 8000)
      seen.push(...Object(page.steps).map(({ step }: { readonly step: string }) => step))
      const isLast = seen.length === many
      assert.include(page.next, isLast ? "apply_plan applies it" : `Repeat with offset ${seen.length} for more`)
    }
    assert.lengthOf(new Set(seen), many)
    assert.lengthOf(Object(yield* ask("show_plan", { plan_id: planned.plan_id, limit: many })).steps, many)

    yield* ask("apply_plan", { plan_id: planned.plan_id, confirm: true, max_seconds: 86_400 })
    const log = yield* ask("audit_log", { plan_id: planned.plan_id })
    assert.isBelow(bytesOf(log), 8000)
    assert.include(log.next, `Repeat with offset ${Object(log.entries).length} for more`)
    const { entries, total } = yield* ask("audit_log", { plans: true })
    assert.deepInclude(Object(entries)[0], { what: "planned", plan_id: planned.plan_id })
    assert.strictEqual(total, Object(entries).length)
  }).pipe(inTime, Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
)

/** A workflow that asks a service for something and then fails. */
const failing = (number: number) => ({
  name: `Import ${number} of the orders of a shop with a name that is rather long for a shop`,
  nodes: [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: `import-${number}`, httpMethod: "POST", options: {} },
      webhookId: `import-${number}`
    },
    node(number, "https://shop.example.com"),
    {
      name: "Work",
      type: "n8n-nodes-base.code",
      typeVersion: 2,
      position: [440, 0],
      parameters: { jsCode: 'throw new Error("Request failed with status code 503")' }
    }
  ],
  connections: {
    Hook: { main: [[{ node: `Fetch ${number}`, type: "main", index: 0 }]] },
    [`Fetch ${number}`]: { main: [[{ node: "Work", type: "main", index: 0 }]] }
  },
  settings: {}
})

it.effect("the answer of plan_retry stays below 2 kB, however many workflows have failed on however many engines", () =>
  Effect.gen(function* () {
    const { send, trigger } = yield* Beside
    for (const instance of ["staging", "production"]) {
      for (let number = 0; number < 40; number++) {
        const { id } = yield* send(instance, "POST", "/workflows", failing(number))
        yield* send(instance, "POST", `/workflows/${String(id)}/activate`, {})
        yield* trigger(instance, `import-${number}`)
      }
    }
    yield* Effect.sleep("10 seconds")
    const planned = yield* ask("plan_retry", { instances: ["*"], class: "service down or slow" })
    assert.deepInclude(planned, { steps: 80, by_kind: { retry: 40, "run-anew": 40 }, anew: 40 })
    assert.isAtMost(bytesOf(planned), 2000, JSON.stringify(planned))
    assert.match(String(planned.warnings), /40 runs begin anew, and repeat what already acted outside: Fetch/)
    assert.match(String(planned.warnings), /does not repeat Fetch/)
  }).pipe(inTime, Effect.provide(twoEmbedded(["1.82.3", "2.41.1"])))
)
