import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"

import { selectionOf } from "../../../src/cli/configuration/profiles.ts"
import { ask, type Json } from "../../support/harness.ts"
import { Beside, hook, twoEmbedded } from "./support.ts"

/** Calls, and bytes of arguments and answers, that each of eight jobs may cost an assistant who knows nothing but the list. */
const most: Readonly<Record<string, { readonly calls: number; readonly bytes: number }>> = {
  "the channel of messages": { calls: 2, bytes: 2000 },
  "a failed import": { calls: 1, bytes: 950 },
  "undoing a change": { calls: 2, bytes: 1050 },
  "a promotion": { calls: 2, bytes: 2200 },
  "a promotion and its rollback": { calls: 4, bytes: 2400 },
  "tries and an error branch": { calls: 3, bytes: 3100 },
  "what would be sent": { calls: 2, bytes: 1400 },
  "another model": { calls: 2, bytes: 1400 },
  "a webhook that answers": { calls: 3, bytes: 2250 },
  "a schedule that fetches and posts": { calls: 3, bytes: 2500 }
}

const spent = new Map<string, { readonly calls: number; readonly bytes: number }>()

/** Calls a tool for a job. */
const forJob = (job: string) =>
  Effect.fnUntraced(function* (name: string, args: Json) {
    const answer = yield* ask(name, args)
    const { bytes, calls } = spent.get(job) ?? { calls: 0, bytes: 0 }
    spent.set(job, { calls: calls + 1, bytes: bytes + JSON.stringify(args).length + JSON.stringify(answer).length })
    return answer
  })

const node = (kind: string, name: string, typeVersion: number, parameters: Json, more: Json = {}) => ({
  name,
  type: kind.includes(".") ? kind : `n8n-nodes-base.${kind}`,
  typeVersion,
  position: [0, 0],
  parameters,
  ...more
})

const slack = (name: string, channel: string, text = "=Order {{ $json.body.order }}") =>
  node("slack", name, 2.3, {
    resource: "message",
    operation: "post",
    select: "channel",
    channelId: { __rl: true, mode: "name", value: channel },
    text,
    otherOptions: {}
  })

const chain = (...names: ReadonlyArray<string>): Json =>
  Object.fromEntries(
    names.slice(1).map((target, index) => [names[index], { main: [[{ node: target, type: "main", index: 0 }]] }])
  )

/** A workflow on an engine, made past the server. */
const made = Effect.fnUntraced(function* (instance: string, name: string, nodes: ReadonlyArray<Json>, more: Json = {}) {
  const { send } = yield* Beside
  const connections = chain(...nodes.map((one) => String(one["name"])))
  const { id } = yield* send(instance, "POST", "/workflows", { name, nodes, connections, settings: {}, ...more })
  return String(id)
})

const apply = (job: string, planned: Json) => forJob(job)("apply_plan", { plan_id: planned["plan_id"], confirm: true })

layer(twoEmbedded(["2.41.1", "2.41.1"], { selection: selectionOf(["daily"]) }), { excludeTestServices: true })(
  "an assistant with the daily tools",
  (it) => {
    it.effect("sends messages to another channel, and sees first what would change", () =>
      Effect.gen(function* () {
        const job = "the channel of messages"
        for (const name of ["Orders", "Returns", "Stock"])
          yield* made("production", name, [hook(name), slack("Tell", "#alerts")])
        yield* made("production", "Databases", [hook("db"), slack("Tell", "#alerts-db")])
        const planned = yield* forJob(job)("plan_bulk", {
          instance: "production",
          action: ["replace_text"],
          find: "#alerts",
          value: "#ops",
          where: { nodeType: "slack" }
        })
        assert.deepInclude(yield* apply(job, planned), { state: "applied" })
      })
    )

    it.effect("learns why an import failed", () =>
      Effect.gen(function* () {
        const { send, trigger } = yield* Beside
        const jsCode = "return { json: { mail: $json.email.toLowerCase() } }"
        const id = yield* made("production", "Order import", [
          { ...hook("import"), parameters: { path: "import", httpMethod: "POST", options: {} } },
          node("code", "Make", 2, { jsCode: "return [{ email: 'a@b.c', order: 1 }, { order: 2 }]" }),
          node("code", "Lower", 2, { mode: "runOnceForEachItem", jsCode })
        ])
        yield* send("production", "POST", `/workflows/${id}/activate`, {})
        yield* trigger("production", "import")
        const failures = send("production", "GET", `/executions?workflowId=${id}&status=error`)
        yield* Effect.repeat(failures, {
          until: ({ data }) => Array.isArray(data) && data.length > 0,
          schedule: Schedule.spaced("20 millis"),
          times: 100
        })
        const said = yield* forJob("a failed import")("explain_execution", {
          workflowId: "Order import",
          instance: "production"
        })
        assert.deepNestedInclude(said, { "failed.node": "Lower", "item.index": 1, "item.json": { order: 2 } })
      })
    )

    it.effect("undoes what somebody has changed", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const nodes = [hook("price"), node("code", "Price", 2, { jsCode: "return [{ price: 2 }]" })]
        const id = yield* made("production", "Price calculator", nodes)
        const broken = [hook("price"), node("code", "Price", 2, { jsCode: "return [{ price: 200 }]" })]
        const body = { name: "Price calculator", nodes: broken, connections: chain("Hook", "Price"), settings: {} }
        yield* send("production", "PUT", `/workflows/${id}`, body)
        const call = forJob("undoing a change")
        const tried = yield* call("restore_workflow", { id: "Price calculator", instance: "production", dry_run: true })
        assert.include(JSON.stringify(tried), "price: 2 }")
        yield* call("restore_workflow", { id: "Price calculator", instance: "production" })
        const { nodes: now } = yield* send("production", "GET", `/workflows/${id}`)
        assert.include(JSON.stringify(now), "price: 2 }")
      })
    )

    it.effect("brings a workflow to production, with all that it needs, and switches it on", () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const login = { name: "CRM login", type: "httpBasicAuth", data: { user: "u", password: "p" } }
        const { id: here } = yield* send("staging", "POST", "/credentials", login)
        const { id: there } = yield* send("production", "POST", "/credentials", login)
        const credentials = { httpBasicAuth: { id: here, name: "CRM login" } }
        const fetch = node("httpRequest", "Fetch", 4.2, { url: "https://crm.example", options: {} }, { credentials })
        const id = yield* made("staging", "CRM sync", [hook("crm"), fetch])
        const { id: tag } = yield* send("staging", "POST", "/tags", { name: "crm" })
        yield* send("staging", "PUT", `/workflows/${id}/tags`, [{ id: tag }])
        const job = "a promotion"
        const request = { from: "staging", to: "production", ids: ["CRM sync"], activation: "activate" }
        const planned = yield* forJob(job)("plan_promotion", request)
        assert.include(JSON.stringify(planned), "CRM login (found on production)")
        const done = yield* apply(job, planned)
        assert.deepInclude(done, { state: "applied" })
        assert.notProperty(done, "refused")
        assert.deepNestedInclude(done, {
          "workflows[0].name": "CRM sync",
          "workflows[0].active": true,
          "workflows[0].tags": ["crm"],
          "workflows[0].credentials": ["CRM login (found on production)"]
        })
        const { data } = yield* send("production", "GET", "/workflows?limit=100")
        assert.include(JSON.stringify(data), String(there))
      })
    )

    it.effect("brings a workflow to production and takes it back", () =>
      Effect.gen(function* () {
        yield* made("staging", "Loyalty points", [hook("loyalty"), node("noOp", "Count", 1, {})])
        const job = "a promotion and its rollback"
        const planned = yield* forJob(job)("plan_promotion", {
          from: "staging",
          to: "production",
          ids: ["Loyalty points"]
        })
        yield* apply(job, planned)
        const back = yield* forJob(job)("plan_rollback", { plan_id: planned["plan_id"] })
        assert.deepInclude(yield* apply(job, back), { state: "applied" })
      })
    )

    it.effect("lets a node be tried again, and its failure be told", () =>
      Effect.gen(function* () {
        const book = node("httpRequest", "Book invoice", 4.2, {
          method: "POST",
          url: "https://books.example",
          options: {}
        })
        yield* made("production", "Invoices", [hook("invoices"), book])
        const call = forJob("tries and an error branch")
        const at = { id: "Invoices", instance: "production" }
        const set = (path: string, value: unknown) => ({ op: "set", node: "Book invoice", path, value })
        const { parameters } = slack("", "#billing-errors", "={{ $json.error }}")
        const tried = yield* call("edit_workflow", {
          ...at,
          operations: [
            set("retryOnFail", true),
            set("maxTries", 3),
            set("waitBetweenTries", 5000),
            set("onError", "continueErrorOutput"),
            { op: "add", node: "Tell", type: "slack", parameters, from: "Book invoice", output: "error" }
          ],
          dry_run: true
        })
        assert.include(JSON.stringify(tried["changes"]), "#billing-errors")
        yield* call("edit_workflow", { ...at, apply: tried["apply"] })
        const { nodes } = yield* call("run_workflow", { ...at, dry_run: true })
        assert.deepEqual(nodes, ["Hook", "Book invoice", "Tell"])
      })
    )

    it.effect("shows the mail that would be sent", () =>
      Effect.gen(function* () {
        const mail = {
          fromEmail: "shop@a.b",
          toEmail: "={{ $json.mail }}",
          subject: "=Order {{ $json.order }}",
          emailFormat: "text"
        }
        const text = "=Thank you, {{ $json.name }}, for order {{ $json.order }}."
        yield* made("production", "Order confirmation", [
          hook("confirm"),
          node("emailSend", "Send mail", 2.1, { ...mail, text, options: {} })
        ])
        const call = forJob("what would be sent")
        const at = {
          id: "Order confirmation",
          instance: "production",
          items: [{ mail: "ann@a.b", order: 7, name: "Ann" }]
        }
        assert.deepInclude(yield* call("run_workflow", at), { ran: false })
        const run = yield* call("run_workflow", { ...at, mocks: { "Send mail": [{}] } })
        assert.deepNestedInclude(run, {
          "nodes[0].wouldSend[0].toEmail": "ann@a.b",
          "nodes[0].wouldSend[0].text": "Thank you, Ann, for order 7."
        })
      })
    )

    it.effect("gives an agent another model", () =>
      Effect.gen(function* () {
        const model = "@n8n/n8n-nodes-langchain.lmChatOpenAi"
        const agent = node("@n8n/n8n-nodes-langchain.agent", "Support", 1.9, {
          promptType: "define",
          text: "={{ $json.q }}"
        })
        const id = yield* made("production", "Support assistant", [hook("support"), agent])
        const { send } = yield* Beside
        const { connections, nodes } = yield* send("production", "GET", `/workflows/${id}`)
        const options = { model: { __rl: true, mode: "list", value: "gpt-x" }, options: { temperature: 0.2 } }
        const gpt = node(model, "Model", 1.2, options)
        const toAgent = { ai_languageModel: [[{ node: "Support", type: "ai_languageModel", index: 0 }]] }
        yield* send("production", "PUT", `/workflows/${id}`, {
          name: "Support assistant",
          nodes: [...(Array.isArray(nodes) ? nodes : []), gpt],
          connections: { ...Object(connections), Model: toAgent },
          settings: {}
        })
        const call = forJob("another model")
        const at = { id: "Support assistant", instance: "production" }
        const tried = yield* call("edit_workflow", {
          ...at,
          operations: [
            {
              op: "retype",
              node: "Model",
              type: "lmChatAnthropic",
              typeVersion: 1.3,
              parameters: { model: { __rl: true, mode: "id", value: "claude" } }
            }
          ],
          dry_run: true
        })
        const done = yield* call("edit_workflow", { ...at, apply: tried["apply"] })
        assert.include(JSON.stringify(done["changes"]), "lmChatOpenAi → lmChatAnthropic")
      })
    )

    it.effect("builds a webhook with two answers, and shows both", () =>
      Effect.gen(function* () {
        const call = forJob("a webhook that answers")
        const conditions = {
          options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
          conditions: [
            { leftValue: "={{ $json.amount }}", rightValue: 100, operator: { type: "number", operation: "gt" } }
          ],
          combinator: "and"
        }
        const amount = { name: "amount", value: "={{ $json.body.amount }}", type: "number" }
        const respond = (name: string, size: string) =>
          node("respondToWebhook", name, 1.1, { respondWith: "json", responseBody: `{"size":"${size}"}` })
        const to = (target: string) => [{ node: target, type: "main", index: 0 }]
        const created = yield* call("create_workflow", {
          name: "Order size",
          active: true,
          nodes: [
            node("webhook", "Webhook", 2, { httpMethod: "POST", path: "order-size", responseMode: "responseNode" }),
            node("set", "Set", 3.4, { assignments: { assignments: [amount] } }),
            node("if", "If", 2.2, { conditions }),
            respond("Big", "big"),
            respond("Small", "small")
          ],
          connections: {
            Webhook: { main: [to("Set")] },
            Set: { main: [to("If")] },
            If: { main: [to("Big"), to("Small")] }
          }
        })
        assert.deepInclude(created, { active: true, addresses: ["POST /webhook/order-size"] })
        for (const [value, size] of [
          [150, "big"],
          [50, "small"]
        ]) {
          const ran = yield* call("run_workflow", { id: "Order size", items: [{ body: { amount: value } }] })
          assert.deepInclude(ran, { status: "success", response: { httpStatus: 200, body: { size } } })
          assert.notProperty(ran, "notice")
        }
      })
    )

    it.effect("builds a schedule that fetches and posts, and tries it once", () =>
      Effect.gen(function* () {
        const call = forJob("a schedule that fetches and posts")
        const schedule = { rule: { interval: [{ field: "cronExpression", expression: "0 9 * * 1-5" }] } }
        const kept = { leftValue: "={{ $json.total }}", rightValue: 100, operator: { type: "number", operation: "gt" } }
        const conditions = {
          options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
          conditions: [kept],
          combinator: "and"
        }
        const post = { method: "POST", url: "https://reports.example.com/orders", sendBody: true, specifyBody: "json" }
        yield* call("create_workflow", {
          name: "Morning orders",
          active: true,
          settings: { timezone: "Europe/Berlin" },
          nodes: [
            node("scheduleTrigger", "Schedule", 1.2, schedule),
            node("httpRequest", "Fetch", 4.2, { url: "https://shop.example.com/orders", options: {} }),
            node("filter", "Filter", 2.2, { conditions }),
            node("httpRequest", "Post", 4.2, { ...post, jsonBody: "={{ JSON.stringify($json) }}", options: {} })
          ],
          connections: chain("Schedule", "Fetch", "Filter", "Post")
        })
        const refused = yield* call("run_workflow", { id: "Morning orders" })
        assert.deepInclude(refused, {
          ran: false,
          reads: [{ node: "Fetch", type: "httpRequest", does: "GET https://shop.example.com/orders" }]
        })
        const orders = [20, 150, 220].map((total, index) => ({ id: index + 1, total, status: "open" }))
        const mocks = { Fetch: orders }
        const ran = yield* call("run_workflow", { id: "Morning orders", mocks, confirm: ["Post"] })
        assert.propertyVal(ran, "id", refused["id"])
        assert.include(JSON.stringify(ran["nodes"]), '{"node":"Fetch","in":1,"out":3,"status":"mocked"')
      })
    )

    it.effect("does every job in few calls and bytes", () =>
      Effect.sync(() => {
        for (const [job, { bytes, calls }] of Object.entries(most)) {
          const costs = spent.get(job)
          assert.isDefined(costs, `${job} was not done`)
          assert.isAtMost(costs?.calls ?? Infinity, calls, `calls for ${job}`)
          assert.isAtMost(costs?.bytes ?? Infinity, bytes, `bytes for ${job}`)
        }
      })
    )
  }
)
