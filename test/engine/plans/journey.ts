import { assert } from "vitest"

import { directory } from "../../cli/built.ts"
import { operatorCommand, sender, watched } from "./process.ts"
import { compare, type Seeded, stateOf } from "./scenario.ts"
import type { Place } from "./support.ts"

const numberOf = (value: unknown) => (typeof value === "number" ? value : 0)

/**
 * A promotion by tools alone: planned, applied until the server is killed in the middle, resumed by the next one, held
 * against the source field by field, rolled back, and held against what was there before.
 */
export const journey = async (places: { readonly staging: Place; readonly production: Place }, seeded: Seeded) => {
  const send = sender(places)
  const before = await stateOf(send, "production", seeded)
  const posts = { count: 0, enough: Math.floor(seeded.count / 3), kill: () => {} }
  const way = await watched(places.production.host, (method, path) => {
    if (method === "POST" && path === "/api/v1/workflows" && ++posts.count === posts.enough) posts.kill()
  })
  const cwd = await directory({
    ".config.json": {
      environments: {
        staging: { engine_host: places.staging.host, engine_api_key: places.staging.apiKey, readOnly: true },
        production: { engine_host: way.host, engine_api_key: places.production.apiKey }
      },
      defaultEnv: "production",
      promotion: { keep: [{ type: "httpRequest", fields: ["parameters.url"] }] }
    }
  })
  const doomed = operatorCommand(cwd)
  const plan = await doomed.call("plan_promotion", { from: "staging", to: "production", tag: seeded.tag })
  assert.deepInclude(plan, { kind: "promotion", blocked: [], blocked_count: 0 })
  posts.kill = () => doomed.child.kill("SIGKILL")
  const { plan_id } = plan
  const unanswered = doomed.call("apply_plan", { plan_id, confirm: true, max_seconds: 600 }).then(
    () => "answered",
    () => "killed"
  )
  assert.strictEqual(await unanswered, "killed")
  await doomed.ended
  assert.isBelow((await stateOf(send, "production", seeded)).workflows.length, seeded.count)

  const next = operatorCommand(cwd)
  const apply = async (id: unknown) => {
    for (let turns = 0; turns < 20; turns++) {
      const report = await next.call("apply_plan", { plan_id: id, confirm: true, max_seconds: 30 })
      if (report["state"] !== "in progress") return report
    }
    return assert.fail("the plan was not applied in twenty turns")
  }
  const report = await apply(plan_id)
  assert.deepInclude(report, { state: "applied", refused: [] })
  assert.strictEqual(report["done"], plan["steps"])
  const { target } = await compare(send, seeded)

  const again = await next.call("plan_promotion", { from: "staging", to: "production", tag: seeded.tag })
  assert.deepInclude(again, { steps: 0, blocked_count: 0 })

  const back = await next.call("plan_rollback", { plan_id })
  assert.deepStrictEqual(back["blocked"], [])
  assert.deepInclude(await apply(back["plan_id"]), { state: "applied", refused: [] })
  const after = await stateOf(send, "production", seeded)
  assert.deepStrictEqual(after, before)
  await next.leave()
  await way.close()
  return { steps: numberOf(plan["steps"]), workflows: target.size }
}
