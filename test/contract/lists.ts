import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, decodePage, everyDay, idsOf, manual, node, tagged } from "./fixtures.ts"

/** Five workflows of one tag, two of them active. */
const five = Effect.gen(function* () {
  const tag = yield* tagged()
  const ids = yield* Effect.forEach([true, false, true, false, false], (active) =>
    Effect.map(created({ nodes: [everyDay()], tags: [tag.id], active }), ({ id }) => ({ id, active }))
  )
  const of = (wanted: boolean) => ids.filter(({ active }) => active === wanted).map(({ id }) => id)
  return { tag, all: ids.map(({ id }) => id), active: of(true), inactive: of(false) }
})

export const lists = (it: Suite) => {
  it.effect("list_workflows shows what identifies a workflow and counts its nodes", () =>
    Effect.gen(function* () {
      const tag = yield* tagged()
      const { id, name } = yield* created({ nodes: [everyDay(), node("noOp", "Work")], tags: [tag.id] })
      const { data, nextCursor } = decodePage(yield* ask("list_workflows", { tags: [tag.name] }))
      assert.isUndefined(nextCursor)
      const [only] = data
      assert.lengthOf(data, 1)
      assert.deepInclude(only, { id, name, active: false, nodes: 2, tags: [{ id: tag.id, name: tag.name }] })
      assert.sameMembers(Object.keys(only ?? {}), ["id", "name", "active", "createdAt", "updatedAt", "nodes", "tags"])
      for (const time of [only?.createdAt, only?.updatedAt]) assert.match(String(time), /^\d{4}-.*T.*Z$/)
    })
  )

  it.effect("list_workflows filters by state", () =>
    Effect.gen(function* () {
      const { active, inactive, tag } = yield* five
      const tags = [tag.name]
      assert.sameMembers([...idsOf(yield* ask("list_workflows", { tags, active: true }))], active)
      assert.sameMembers([...idsOf(yield* ask("list_workflows", { tags, active: false }))], inactive)
    })
  )

  it.effect("list_workflows demands all tags, also those that nobody has", () =>
    Effect.gen(function* () {
      const [red, blue] = [yield* tagged(), yield* tagged()]
      const both = yield* created({ nodes: [manual()], tags: [red.id, blue.id] })
      const one = yield* created({ nodes: [manual()], tags: [red.id] })
      const found = (...tags: ReadonlyArray<string>) => Effect.map(ask("list_workflows", { tags }), idsOf)
      assert.sameMembers([...(yield* found(red.name))], [both.id, one.id])
      assert.deepStrictEqual(yield* found(red.name, blue.name), [both.id])
      assert.deepStrictEqual(yield* found(red.name, "nobody has this"), [])
      assert.deepStrictEqual(yield* found("nobody, has this", red.name), [])
    })
  )

  it.effect("a cursor alone continues the same list to its end", () =>
    Effect.gen(function* () {
      const { all, inactive, tag } = yield* five
      const walk = Effect.fnUntraced(function* (first: object) {
        const seen: Array<unknown> = []
        const sizes: Array<number> = []
        let next: object | undefined = first
        while (next !== undefined && sizes.length < 10) {
          const { data, nextCursor } = decodePage(yield* ask("list_workflows", { ...next }))
          seen.push(...data.map(({ id }) => id))
          sizes.push(data.length)
          next = nextCursor === undefined ? undefined : { cursor: nextCursor }
        }
        return { seen, sizes }
      })
      const everything = yield* walk({ tags: [tag.name], limit: 2 })
      assert.sameMembers(everything.seen, all)
      assert.deepStrictEqual(everything.sizes, [2, 2, 1])
      const idle = yield* walk({ tags: [tag.name], active: false, limit: 1 })
      assert.sameMembers(idle.seen, inactive)
      assert.deepStrictEqual(idle.sizes, [1, 1, 1])
    })
  )

  it.effect("a cursor that is broken, or of another list, is an invalid argument", () =>
    Effect.gen(function* () {
      const { tag } = yield* five
      const { nextCursor } = decodePage(yield* ask("list_workflows", { tags: [tag.name], limit: 1 }))
      const engines = Buffer.from('{"limit":2,"offset":2}').toString("base64")
      const strangers = [
        ["list_workflows", "broken"],
        ["list_workflows", engines],
        ["list_workflows", `${nextCursor}x`],
        ["list_executions", nextCursor],
        ["get_tags", nextCursor]
      ] as const
      for (const [tool, cursor] of strangers) {
        const { code, message } = yield* refused(tool, { cursor })
        assert.deepStrictEqual(
          [code, message],
          [-32602, `Invalid cursor: must be the nextCursor of an earlier ${tool} on instance production`]
        )
      }
      assert.match(
        (yield* refused("list_workflows", { cursor: nextCursor, instance: "staging" })).message,
        /on instance staging$/
      )
      assert.match(
        (yield* refused("list_workflows", { cursor: nextCursor, tags: ["another"] })).message,
        /^Invalid cursor: belongs to a list with other filters/
      )
    })
  )

  it.effect("a cursor whose page size was tampered with is an invalid argument", () =>
    Effect.gen(function* () {
      const { tag } = yield* five
      const { nextCursor } = decodePage(yield* ask("list_workflows", { tags: [tag.name], limit: 1 }))
      const own = Buffer.from(String(nextCursor), "base64").toString()
      const base64 = (text: string) => Buffer.from(text).toString("base64")
      const huge = base64('{"limit":100000,"offset":1}')
      const forged = [
        own.replace('"limit":1', '"limit":100000'),
        own.replace('"limit":1', '"limit":0'),
        own.replace('"limit":1', '"limit":-1'),
        own.replace('"skip":0', '"skip":-5'),
        own.replace(/"after":"[^"]*"/, `"after":"${huge}"`),
        own.replace(/"after":"[^"]*"/, `"after":"${base64('{"limit":0,"offset":0}')}"`)
      ]
      for (const text of forged) {
        assert.notStrictEqual(text, own)
        const { code, message } = yield* refused("list_workflows", { cursor: base64(text) })
        assert.deepStrictEqual(
          [code, message],
          [-32602, "Invalid cursor: must be the nextCursor of an earlier list_workflows on instance production"]
        )
      }
      decodePage(yield* ask("list_workflows", { cursor: base64(own) }))
    })
  )

  it.effect("a limit is 1 to 250", () =>
    Effect.gen(function* () {
      for (const limit of [0, 251, -1, 1.5]) {
        const { code, message } = yield* refused("list_workflows", { limit })
        assert.strictEqual(code, -32602)
        assert.match(message, /^Invalid limit: /)
      }
      decodePage(yield* ask("list_workflows", { limit: 250 }))
    })
  )
}
