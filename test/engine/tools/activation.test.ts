import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { Step } from "../../internal/http/standIn.ts"
import { ask } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type Asked, engineThat, json, serving } from "./standIn.ts"

const hook = { name: "Hook", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }
const asleep = { id: "w1", name: "Orders", active: false, nodes: [hook], connections: {} }
const awake = { ...asleep, active: true, activeVersionId: "v1", triggerCount: 0 }

const isActivation = ({ method }: Asked) => method === "POST"

/** An engine that takes the activation, and then shows the workflow so, the last for good. */
const engine = (...shown: readonly [Step, ...Array<Step>]) => {
  const { asked, client } = engineThat((call) => {
    if (isActivation(call)) return json(awake)
    const looks = asked.length - asked.findIndex(isActivation) - 1
    return asked.some(isActivation) ? (shown[looks - 1] ?? shown[0]) : json(asleep)
  })
  return { looks: () => asked.length - 2, server: serving(client) }
}

describe("activate_workflow, where triggers are started in the background,", () => {
  it.effect("answers once they listen", () => {
    const { looks, server } = engine(json(awake), json(awake), json({ ...awake, triggerCount: 1 }))
    return Effect.gen(function* () {
      const answer = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, { ...awake, triggerCount: 1 })
      assert.strictEqual(looks(), 3)
    }).pipe(Effect.provide(server))
  })

  it.effect("says after some seconds that none does", () => {
    const { looks, server } = engine(json(awake))
    return Effect.gen(function* () {
      const { notice, ...answer } = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, awake)
      assert.match(String(notice), /shows no running trigger/)
      assert.strictEqual(looks(), 31)
    }).pipe(Effect.provide(server))
  })

  it.effect("tells what it knows when the workflow cannot be read back: it is active", () => {
    const { server } = engine(json({ message: "no" }, 403))
    return Effect.gen(function* () {
      const { notice, ...answer } = yield* inTime(ask("activate_workflow", { id: "w1" }))
      assert.deepInclude(answer, awake)
      assert.match(String(notice), /shows no running trigger/)
    }).pipe(Effect.provide(server))
  })
})
