import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { engineTools } from "../../../src/engine/tools/catalog.ts"
import { answers, type Step } from "../../internal/http/standIn.ts"
import { ask, type Json, refused } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type Asked, engineThat, json, key, serving } from "./standIn.ts"

const node = { name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0] }
const workflow = {
  id: "w1",
  name: "Orders",
  active: true,
  nodes: [{ ...node, parameters: { path: "orders" } }],
  connections: {}
}
const times = { createdAt: "2025-01-01T00:00:00.000Z", updatedAt: "2025-01-01T00:00:00.000Z" }
const tag = { id: "t1", name: "red" }
const execution = { id: 7 }

/** Answers with the fields that the contract names, and with nothing else. */
const routes: ReadonlyArray<readonly [RegExp, Step]> = [
  [/^GET \/api\/v1\/workflows(\?|$)/, json({ data: [{ id: "w1", name: "Orders", active: true, ...times }] })],
  [/^(GET|PUT|POST) \/api\/v1\/workflows(\/w1(\/activate|\/deactivate)?)?$/, json({ ...workflow, ...times })],
  [/^DELETE \/api\/v1\/workflows\/w1$/, json(workflow)],
  [/^PUT \/api\/v1\/workflows\/w1\/tags$/, json([tag])],
  [/^GET \/api\/v1\/executions(\?|$)/, json({ data: [execution] })],
  [/^(GET|DELETE) \/api\/v1\/executions\/7/, json(execution)],
  [/^POST \/api\/v1\/executions\/7\/retry$/, json({ id: 8 })],
  [/^POST \/api\/v1\/credentials$/, json({ id: "c1", name: "Shop", type: "httpBasicAuth" }, 201)],
  [/^GET \/api\/v1\/credentials\/schema\/httpBasicAuth$/, json({ type: "object", properties: {} })],
  [/^DELETE \/api\/v1\/credentials\/c1$/, json({ name: "Shop", type: "httpBasicAuth" })],
  [/^GET \/api\/v1\/tags(\?|$)/, json({ data: [tag] })],
  [/^(POST \/api\/v1\/tags|(GET|PUT) \/api\/v1\/tags\/t1)$/, json(tag)],
  // With nothing, as no engine does: it is read afterwards, and is gone.
  [/^DELETE \/api\/v1\/tags\/t2$/, answers(204, {}, null)],
  [/^GET \/webhook\/w1\/hook\/orders/, json({ done: true })]
]

const engine = (missing: Step) =>
  engineThat(({ headers, method, path }: Asked) => {
    if (path.startsWith("/api") && headers["x-engine-api-key"] !== key) return json({ message: "unauthorized" }, 401)
    return routes.find(([route]) => route.test(`${method} ${path}`))?.[1] ?? missing
  })

const calls: Readonly<Record<string, Json>> = {
  list_workflows: { active: true },
  get_workflow: { id: "w1" },
  create_workflow: { name: "Orders", nodes: [node], tags: ["t1"], active: true },
  update_workflow: { id: "w1", name: "Orders" },
  delete_workflow: { id: "w1" },
  activate_workflow: { id: "w1" },
  deactivate_workflow: { id: "w1" },
  execute_workflow: { id: "w1" },
  list_executions: { status: "error" },
  get_execution: { id: 7 },
  delete_execution: { id: 7 },
  retry_execution: { id: 7 },
  list_credentials: {},
  get_credential: { id: "c1" },
  create_credential: { name: "Shop", type: "httpBasicAuth", data: {} },
  update_credential: { id: "c1", name: "Shop" },
  delete_credential: { id: "c1" },
  get_credential_schema: { type: "httpBasicAuth" },
  create_tag: { name: "red" },
  get_tags: {},
  get_tag: { id: "t1" },
  update_tag: { id: "t1", name: "red" },
  delete_tag: { id: "t2" }
}

/** How an engine may say that it has no such call. */
const refusals: Readonly<Record<string, Step>> = {
  "404 in JSON": json({ message: "Not Found" }, 404),
  "405": json({ message: "GET method not allowed" }, 405)
}

describe("an engine that answers only documented fields", () => {
  for (const { name } of engineTools) {
    it.effect(`serves ${name}`, () =>
      Effect.gen(function* () {
        const answer = yield* inTime(ask(name, calls[name]))
        assert.isNotEmpty(answer)
      }).pipe(Effect.provide(serving(engine(json({ message: "Not Found" }, 404)).client)))
    )
  }

  for (const [way, missing] of Object.entries(refusals)) {
    it.live(`refuses to show credentials with a ${way}, and the caller gets guidance`, () =>
      Effect.gen(function* () {
        for (const tool of ["list_credentials", "get_credential", "update_credential"]) {
          assert.hasAllKeys(yield* ask(tool, calls[tool]), ["guidance"])
        }
      }).pipe(Effect.provide(serving(engine(missing).client)))
    )
  }

  it.live("says nothing of credentials with a 404 as a page, which is not its own answer", () =>
    Effect.gen(function* () {
      for (const tool of ["list_credentials", "get_credential", "update_credential"]) {
        const { data, message } = yield* refused(tool, calls[tool])
        assert.match(message, /^API error: the answer of instance production has status 404 and is text\/html/)
        assert.include(data, { code: "API_ERROR", httpStatus: 404, foreign: "an HTML page" })
      }
    }).pipe(
      Effect.provide(serving(engine(answers(404, { "content-type": "text/html" }, "<pre>Cannot GET</pre>")).client))
    )
  )

  it.live("words its errors under `error`, and the message is still found", () => {
    const { client } = engineThat(() => json({ error: { code: "E1", message: "Execution not found" } }, 404))
    return Effect.gen(function* () {
      const { data, message } = yield* refused("get_tag", { id: "t1" })
      assert.strictEqual(message, "API error: Execution not found (tag t1 on instance production)")
      assert.deepInclude(data, {
        httpStatus: 404,
        apiResponse: { error: { code: "E1", message: "Execution not found" } }
      })
    }).pipe(Effect.provide(serving(client)))
  })
})
