import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { Step } from "../../internal/http/standIn.ts"
import { ask, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const hook = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }
const asleep = { id: "w1", name: "Orders", active: false, nodes: [hook], connections: {} }
const awake = { ...asleep, active: true, activeVersionId: "v1", triggerCount: 0 }

const isActivation = ({ method }: ReceivedRequest) => method === "POST"

/** An engine that takes the activation, and then shows the workflow so, the last for good. */
const engine = (...steps: readonly [Step, ...Array<Step>]) => {
  const { requests, client } = engineThat((call) => {
    if (isActivation(call)) return json(awake)
    const looks = requests.length - requests.findIndex(isActivation) - 1
    return requests.some(isActivation) ? (steps[looks - 1] ?? steps[0]) : json(asleep)
  })
  return { looks: () => requests.filter(({ path }) => !path.endsWith("/discover")).length - 2, server: serving(client) }
}

describe("activate_workflow, where the engine starts triggers in the background", () => {
  it.effect("answers once the triggers listen", () => {
    const { looks, server } = engine(json(awake), json(awake), json({ ...awake, triggerCount: 1 }))
    return Effect.gen(function* () {
      const answer = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, { ...awake, triggerCount: 1 })
      assert.strictEqual(looks(), 3)
    }).pipe(Effect.provide(server))
  })

  it.effect("says after some seconds that no trigger listens", () => {
    const { looks, server } = engine(json(awake))
    return Effect.gen(function* () {
      const { notice, ...answer } = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, awake)
      assert.match(String(notice), /shows no running trigger/)
      assert.strictEqual(looks(), 31)
    }).pipe(Effect.provide(server))
  })

  it.effect("answers that the workflow is active when it cannot be read back", () => {
    const { server } = engine(json({ message: "no" }, 403))
    return Effect.gen(function* () {
      const { notice, ...answer } = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, awake)
      assert.match(String(notice), /shows no running trigger/)
    }).pipe(Effect.provide(server))
  })
})

describe("activate_workflow, where another workflow has the same address", () => {
  const collision = json({ message: "There is a conflict with one of the webhooks." }, 409)
  const other = { id: "w2", name: "Other", active: true, nodes: [], connections: {} }
  const pageOf = (nextCursor: string | null) => json({ data: Array.from({ length: 100 }, () => other), nextCursor })

  const refusal = (cursorOf: (pages: number) => string | null) => {
    const { requests, client } = engineThat((call) => {
      if (isActivation(call)) return collision
      const lists = requests.filter(({ path }) => path.startsWith("/api/v1/workflows?")).length
      return call.path.startsWith("/api/v1/workflows?") ? pageOf(cursorOf(lists)) : json(asleep)
    })
    return inTime(refused("activate_workflow", { id: "w1" })).pipe(Effect.provide(serving(client)))
  }

  it.effect("says that no workflow has the address, once it has seen all", () =>
    Effect.map(
      refusal((pages) => (pages < 2 ? `page ${pages}` : null)),
      ({ message }) =>
        assert.match(
          message,
          /webhooks\. On instance production: no active workflow that this key can list has the same address\.$/
        )
    )
  )

  it.effect("says how many workflows it looked at, where there are more", () =>
    Effect.map(
      refusal((pages) => `page ${pages}`),
      ({ message }) =>
        assert.match(message, /none of the first 800 active workflows that this key can list has the same address\.$/)
    )
  )
})

describe("activate_workflow, where the engine would take a webhook from another workflow without a word", () => {
  const nodes = [{ ...hook, webhookId: "orders", parameters: { path: "orders" } }]
  const before = { ...asleep, nodes }
  const other = { id: "w2", name: "Other", active: true, nodes: [], connections: {} }

  let pages = 0

  /** The notice about an activation by an engine before generation 2 that answers so to lists. */
  const notice = (lists: Step) => {
    const { client } = engineThat((call) => {
      if (isActivation(call)) return json({ ...before, active: true })
      return call.path.startsWith("/api/v1/workflows?") ? lists : json(before)
    })
    return inTime(ask("activate_workflow", { id: "w1" })).pipe(
      Effect.map((answer) => answer["notice"]),
      Effect.provide(serving(client))
    )
  }

  it.effect("says nothing where nobody else has it", () =>
    Effect.map(notice(json({ data: [other], nextCursor: null })), (said) => assert.isUndefined(said))
  )

  const unknown: ReadonlyArray<readonly [name: string, lists: Step, reason: RegExp]> = [
    ["the key may not list workflows", json({ message: "Forbidden" }, 403), /not known: .*Insufficient permissions/],
    [
      "there are too many",
      (request) => json({ data: [other], nextCursor: `${++pages}` })(request),
      /not known: there are more active ones/
    ],
    ["the engine does not answer", () => Effect.never, /not known: listing them took longer than 4 seconds/]
  ]
  for (const [name, lists, reason] of unknown) {
    it.effect(`says that it could not look where ${name}`, () =>
      Effect.map(notice(lists), (said) => assert.match(String(said), reason))
    )
  }
})
