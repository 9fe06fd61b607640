import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, decodeEntity, given, manual, node, tagged, unique, webhook } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const decodeFound = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    searched: Schema.Int,
    failed: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
    nextCursor: Schema.optionalKey(Schema.String)
  })
)

/** Everything that a search finds, page by page. */
const search = Effect.fnUntraced(function* (args: Json) {
  let page = decodeFound(yield* ask("search_workflows", args))
  const rows = [...page.data]
  while (page.nextCursor !== undefined) {
    page = decodeFound(yield* ask("search_workflows", { cursor: page.nextCursor }))
    rows.push(...page.data)
  }
  return rows
})

const matchesOf = (rows: ReadonlyArray<Json>) => rows.map(({ id, matches }) => ({ id, matches }))

const calling = (id: string) =>
  node("executeWorkflow", "Run it", { source: "database", workflowId: { __rl: true, mode: "list", value: id } })

export const searching = (it: Suite) => {
  it.effect("search_workflows tells which workflows hold a text, in which node, and where", () =>
    Effect.gen(function* () {
      const mark = unique("needle")
      const note = node("stickyNote", "Note", { content: `# Remember\n${mark} is here` })
      const code = node("code", "Code", { jsCode: `const a = 1\nreturn "${mark.toUpperCase()}"` })
      const noted = yield* created({ nodes: [manual(), note] })
      const coded = yield* created({ nodes: [manual(), { ...code, notes: `see ${mark}` }] })
      const named = yield* created({ name: `All of ${mark}`, nodes: [manual()] })
      yield* created({ nodes: [manual()] })

      const rows = yield* search({ text: ` ${mark}` })
      assert.sameDeepMembers(matchesOf(rows), [
        { id: noted.id, matches: [{ node: "Note", field: "content", snippet: `# Remember ${mark} is here` }] },
        {
          id: coded.id,
          matches: [
            { node: "Code", field: "notes", snippet: `see ${mark}` },
            { node: "Code", field: "jsCode", snippet: `const a = 1 return "${mark.toUpperCase()}"` }
          ]
        },
        { id: named.id, matches: [{ field: "name", snippet: `All of ${mark}` }] }
      ])
      const [row] = yield* search({ text: `All of ${mark}` })
      const { active, id, instance, name } = row ?? {}
      assert.deepStrictEqual(
        { active, id, instance, name },
        { active: false, id: named.id, instance: "production", name: `All of ${mark}` }
      )
    })
  )

  it.effect("search_workflows finds nothing in what would be masked, and everything beside it", () =>
    Effect.gen(function* () {
      const mark = unique("secret")
      const fetch = node("httpRequest", "Fetch", {
        url: `https://${mark}.test`,
        headerParameters: { parameters: [{ name: "X-Api-Key", value: `key-${mark}` }] },
        options: {}
      })
      const { id } = yield* created({ nodes: [manual(), fetch] })
      assert.deepStrictEqual(yield* search({ text: `key-${mark}` }), [])
      assert.deepStrictEqual(yield* search({ text: `key-${mark.slice(0, -2)}` }), [])
      assert.deepStrictEqual(matchesOf(yield* search({ text: mark })), [
        { id, matches: [{ node: "Fetch", field: "url", snippet: `https://${mark}.test` }] }
      ])
    })
  )

  it.effect("search_workflows finds by type, credential, path, tag, state and calls, all of which must hold", () =>
    Effect.gen(function* () {
      const mark = unique("facet")
      const tag = yield* tagged()
      const credential = decodeEntity(
        yield* ask("create_credential", { name: mark, type: "httpBasicAuth", data: { user: "ann", password: "b" } })
      )
      const { send } = yield* TestedEngine
      yield* Effect.addFinalizer(() => send("DELETE", `/credentials/${credential.id}`))
      const hook: Json = webhook()
      const fetch = node(
        "httpRequest",
        "Fetch",
        { url: `https://example.test/${mark}` },
        {
          credentials: { httpBasicAuth: { id: credential.id, name: mark } }
        }
      )
      const sub = yield* created({ name: `${mark} sub`, nodes: [manual(), fetch] })
      const main = yield* created({
        name: `${mark} main`,
        nodes: [hook, calling(sub.id), answer("Done", mark)],
        connections: chain("Webhook", "Run it", "Done"),
        tags: [tag.id],
        settings: { errorWorkflow: sub.id }
      })
      const live = yield* created({ name: `${mark} live`, nodes: [webhook()], active: true })
      const ids = (args: Json) => Effect.map(search({ text: mark, ...args }), (rows) => rows.map(({ id }) => id))
      const path = String(hook.webhookId)

      for (const nodeType of [
        "httpRequest",
        "HTTPREQUEST",
        "engine-nodes-base.httpRequest",
        "n8n-nodes-base.httpRequest"
      ]) {
        assert.deepStrictEqual(yield* ids({ nodeType }), [sub.id], nodeType)
      }
      for (const wanted of [credential.id, mark, "httpBasicAuth"]) {
        assert.deepStrictEqual(yield* ids({ credential: wanted }), [sub.id], wanted)
      }
      for (const wanted of [path, `/webhook/${path}`, `https://host.test/webhook-test/${path}/?x=1`]) {
        assert.deepStrictEqual(matchesOf(yield* search({ path: wanted })), [
          { id: main.id, matches: [{ node: "Webhook", field: "path", snippet: `POST ${path}` }] }
        ])
      }
      assert.deepStrictEqual(yield* search({ path: path.slice(0, -1) }), [])
      assert.deepStrictEqual(yield* ids({ tags: [tag.name] }), [main.id])
      assert.deepStrictEqual(yield* ids({ tags: [tag.name, `not ${tag.name}`] }), [])
      assert.deepStrictEqual(yield* ids({ active: true }), [live.id])
      assert.sameMembers(yield* ids({ active: false }), [sub.id, main.id])
      assert.deepStrictEqual(yield* ids({ calls: sub.id }), [main.id])
      assert.deepStrictEqual(yield* ids({ calledBy: main.id }), [sub.id])
      assert.deepStrictEqual(yield* ids({ calledBy: "nope" }), [])
      assert.deepStrictEqual(yield* ids({ errorWorkflow: sub.id }), [main.id])
      assert.deepStrictEqual(yield* ids({ nodeType: "httpRequest", calls: sub.id }), [])
      assert.deepStrictEqual(yield* ids({ archived: true }), [])
      assert.sameMembers(yield* ids({ changedSince: "1969-12-31" }), [sub.id, main.id, live.id])
      assert.deepStrictEqual(yield* ids({ changedSince: "2999-01-01" }), [])
    })
  )

  it.effect("a workflow that runs another one is activated after that one, where the engine publishes apart", () =>
    Effect.gen(function* () {
      const { isV2, send } = yield* TestedEngine
      const start = node("executeWorkflowTrigger", "When called", { inputSource: "passthrough" }, { typeVersion: 1.1 })
      const sub = yield* created({ nodes: [start, answer("Done", "yes")], connections: chain("When called", "Done") })
      const main = yield* created({ nodes: [webhook(), calling(sub.id)], connections: chain("Webhook", "Run it") })
      if (isV2) {
        const { message } = yield* refused("activate_workflow", { id: main.id })
        assert.include(
          message,
          `Cannot publish workflow: Node "Run it" references workflow ${sub.id} ("${String(sub.name)}") which is not published. Please publish all referenced sub-workflows first.`
        )
        assert.strictEqual((yield* send("POST", `/workflows/${sub.id}/activate`)).status, 200)
      }
      assert.propertyVal(yield* ask("activate_workflow", { id: main.id }), "active", true)
    })
  )

  it.effect(
    "search_workflows reads several instances, names what it could not read, and pages with small answers",
    () =>
      Effect.gen(function* () {
        const mark = unique("many")
        const made = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, number) => `${mark} ${"long ".repeat(12)}${number}`),
          (name) => Effect.map(given({ name, nodes: [manual()] }), ({ id }) => id),
          { concurrency: 4 }
        )
        const args = { text: mark, instances: ["production", "locked", "staging"] }
        const first = decodeFound(yield* ask("search_workflows", args))
        assert.isBelow(JSON.stringify(first).length, 6500)
        assert.deepStrictEqual(
          first.failed?.map(({ instance }) => instance),
          ["locked"]
        )
        assert.match(String(first.failed?.[0]?.error), /Authentication failed/)

        const rows = yield* search(args)
        for (const name of ["production", "staging"]) {
          const ids = rows.filter(({ instance }) => instance === name).map(({ id }) => id)
          assert.sameMembers(ids, made)
          assert.lengthOf(ids, made.length)
        }

        const { message } = yield* refused("search_workflows", { text: mark, instance: "locked" })
        assert.match(message, /Authentication failed/)
        const other = yield* refused("search_workflows", { cursor: first.nextCursor, text: "something else" })
        assert.match(other.message, /^Invalid cursor/)
      })
  )
}
