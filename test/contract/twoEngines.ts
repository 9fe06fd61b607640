import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { Beside } from "../engine/plans/support.ts"
import { ask, type Json } from "../support/harness.ts"

const decodeRows = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ id: Schema.String, name: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    ),
    nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)
export const decodeTags = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String }))
)

/** Things on two engines that may have others: all names begin with a prefix, and all of them is deleted at the end. */
export const scene = Effect.gen(function* () {
  const { send } = yield* Beside
  const prefix = `P${crypto.randomUUID().slice(0, 7)}`
  const credentials: Array<readonly [instance: string, id: string]> = []

  const listed = Effect.fnUntraced(function* (instance: string, path: "tags" | "workflows") {
    const found: Array<Json & { readonly id: string; readonly name: string }> = []
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = decodeRows(yield* send(instance, "GET", `/${path}?limit=250${query}`))
      found.push(...page.data.filter(({ name }) => name.startsWith(prefix)))
      cursor = page.nextCursor ?? undefined
    }
    return found
  })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      for (const instance of ["staging", "production"]) {
        const all = yield* listed(instance, "workflows")
        for (const { id } of all.filter((one) => one["active"] === true))
          yield* send(instance, "POST", `/workflows/${id}/deactivate`, {})
        for (const { id } of all) yield* send(instance, "DELETE", `/workflows/${id}`)
        for (const { id } of yield* listed(instance, "tags")) yield* send(instance, "DELETE", `/tags/${id}`)
      }
      for (const [instance, id] of credentials) yield* send(instance, "DELETE", `/credentials/${id}`)
    })
  )

  const hook = (path: string) => ({
    name: "Hook",
    type: "n8n-nodes-base.webhook",
    typeVersion: 2,
    position: [0, 0],
    parameters: { path: `${prefix}-${path}`, options: {} },
    webhookId: `${prefix}-${path}`
  })
  const plan = (more: Json = {}) =>
    ask("plan_promotion", { from: "staging", to: "production", name: `${prefix}*`, ...more })
  const apply = (planned: Json) => ask("apply_plan", { plan_id: planned["plan_id"], confirm: true })
  const shown = Effect.fnUntraced(function* (name: string, instance = "production") {
    const found = (yield* listed(instance, "workflows")).filter((one) => one.name === `${prefix} ${name}`)
    assert.lengthOf(found, 1, `workflows called ${name}`)
    return found[0] ?? { id: "", name: "" }
  })

  return {
    prefix,
    listed,
    hook,
    plan,
    apply,
    shown,
    make: Effect.fnUntraced(function* (instance: string, name: string, body: Json = {}) {
      const whole = { nodes: [hook(name)], connections: {}, settings: {}, ...body, name: `${prefix} ${name}` }
      return String((yield* send(instance, "POST", "/workflows", whole))["id"])
    }),
    change: Effect.fnUntraced(function* (instance: string, id: string, body: Json, query = "") {
      const { connections, name, nodes } = yield* send(instance, "GET", `/workflows/${id}`)
      yield* send(instance, "PUT", `/workflows/${id}${query}`, { name, nodes, connections, settings: {}, ...body })
    }),
    remove: (instance: string, id: string) => send(instance, "DELETE", `/workflows/${id}`),
    activate: (instance: string, id: string) => send(instance, "POST", `/workflows/${id}/activate`, {}),
    deactivate: (instance: string, id: string) => send(instance, "POST", `/workflows/${id}/deactivate`, {}),
    credential: Effect.fnUntraced(function* (instance: string, name: string) {
      const body = { name: `${prefix} ${name}`, type: "httpBasicAuth", data: { user: "u", password: "p" } }
      const { id } = yield* send(instance, "POST", "/credentials", body)
      credentials.push([instance, String(id)])
      return { id: String(id), name: `${prefix} ${name}` }
    }),
    tagged: Effect.fnUntraced(function* (instance: string, id: string, ...names: ReadonlyArray<string>) {
      const known = yield* listed(instance, "tags")
      const ids: Array<unknown> = []
      for (const name of names.map((one) => prefix + one)) {
        const found = known.find((one) => one.name === name) ?? (yield* send(instance, "POST", "/tags", { name }))
        ids.push({ id: found["id"] })
      }
      yield* send(instance, "PUT", `/workflows/${id}/tags`, ids)
    }),
    tagsOf: (name: string) =>
      Effect.map(shown(name), ({ tags }) =>
        decodeTags(tags)
          .map((tag) => tag.name.slice(prefix.length))
          .toSorted()
      ),
    applied: Effect.fnUntraced(function* (more: Json = {}) {
      const planned = yield* plan(more)
      assert.deepInclude(planned, { blocked: [] })
      assert.deepInclude(yield* apply(planned), { state: "applied", refused: [] })
      return planned
    }),
    undone: Effect.fnUntraced(function* (planned: Json) {
      const back = yield* ask("plan_rollback", { plan_id: planned["plan_id"] })
      assert.deepStrictEqual(back["blocked"], [])
      assert.deepInclude(yield* apply(back), { state: "applied", refused: [] })
    })
  }
})
