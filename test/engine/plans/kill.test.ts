import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { directory, useCommand } from "../../cli/built.ts"
import { journey } from "./journey.ts"
import { operatorCommand, sender, watched } from "./process.ts"
import { seed } from "./scenario.ts"
import { served } from "./served.ts"

useCommand()

describe("a promotion of 150 workflows", () => {
  it.live(
    "survives kill -9 in the middle, arrives field by field, and is rolled back to what was there",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("1.82.3"), production: yield* served("2.41.1") }
        const seeded = yield* Effect.promise(() => seed(sender(places), "Acme", 150))
        const { workflows } = yield* Effect.promise(() => journey(places, seeded))
        assert.strictEqual(workflows, 150)
      }),
    120_000
  )
})

const readId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const readRuns = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({ id: Schema.String, retryOf: Schema.NullOr(Schema.String), status: Schema.String })
    )
  })
)

const failing = (path: string) => ({
  name: "Shipping",
  nodes: [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", options: {} },
      webhookId: path
    },
    {
      name: "Ship",
      type: "n8n-nodes-base.code",
      typeVersion: 2,
      position: [220, 0],
      parameters: { jsCode: 'throw new Error("connect ECONNREFUSED 10.0.0.1:443")' }
    }
  ],
  connections: { Hook: { main: [[{ node: "Ship", type: "main", index: 0 }]] } },
  settings: {}
})

describe("a retry of 150 failed runs", () => {
  it.live(
    "survives kill -9 in the middle, also of a retry that is on its way, and retries each run once, the oldest first",
    () =>
      Effect.gen(function* () {
        const place = yield* served("2.41.1")
        yield* Effect.promise(async () => {
          const send = sender({ local: place })
          const { id } = readId(await send("local", "POST", "/workflows", failing("shipping")))
          await send("local", "POST", `/workflows/${id}/activate`, {})
          const call = async () => (await fetch(`${place.host}/webhook/shipping`, { method: "POST" })).status
          while ((await call()) === 404) await new Promise((resolve) => setTimeout(resolve, 20))
          const runs = async () => readRuns(await send("local", "GET", "/executions?limit=250")).data
          while ((await runs()).filter(({ status }) => status === "error").length < 150) await call()
          const failed = (await runs()).map((run) => run.id).toReversed()

          const retries: Array<string> = []
          let kill = () => {}
          const way = await watched(place.host, async (method, path) => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            const execution = method === "POST" ? /\/executions\/(\d+)\/retry$/.exec(path)?.[1] : undefined
            if (execution === undefined) return
            retries.push(execution)
            // It arrives all the same.
            if (retries.length === 40 || retries.length === 90) kill()
          })
          const environments = { local: { engine_host: way.host, engine_api_key: place.apiKey } }
          const cwd = await directory({ ".config.json": { environments } })
          const first = operatorCommand(cwd)
          const plan = await first.call("plan_retry", { class: "service down or slow", per_minute: 6000 })
          assert.deepInclude(plan, { steps: failed.length, classes: { "service down or slow": failed.length } })
          await first.leave()
          const args = { plan_id: plan["plan_id"], confirm: true, max_seconds: 300 }
          for (const turn of ["first", "second"]) {
            const doomed = operatorCommand(cwd)
            kill = () => doomed.child.kill("SIGKILL")
            const ended = await doomed.call("apply_plan", args).then(
              () => "answered",
              () => "killed"
            )
            assert.strictEqual(ended, "killed", turn)
            await doomed.ended
          }
          const last = operatorCommand(cwd)
          let report = await last.call("apply_plan", args)
          for (let turn = 0; report["state"] === "in progress" && turn < 20; turn++) {
            report = await last.call("apply_plan", args)
          }
          assert.deepInclude(report, { state: "applied", done: failed.length, retried: failed.length, succeeded: 0 })
          await last.leave()
          await way.close()
          assert.deepStrictEqual(retries, failed)
          const again: Array<string> = []
          for (let cursor = ""; ;) {
            const page = await send("local", "GET", `/executions?limit=250${cursor}`)
            again.push(...readRuns(page).data.flatMap(({ retryOf }) => retryOf ?? []))
            if (typeof page["nextCursor"] !== "string") break
            cursor = `&cursor=${encodeURIComponent(page["nextCursor"])}`
          }
          assert.deepStrictEqual(again.toReversed(), failed)
        })
      }),
    120_000
  )
})
