import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, decodePage, manual, tagged, unique } from "./fixtures.ts"

export const tags = (it: Suite) => {
  it.effect("a tag is created, read, renamed and deleted", () =>
    Effect.gen(function* () {
      const { id, name } = yield* tagged()
      assert.include(yield* ask("get_tag", { id }), { id, name })
      const renamed = unique("tag")
      assert.include(yield* ask("update_tag", { id, name: renamed }), { id, name: renamed })
      assert.include(yield* ask("get_tag", { id }), { id, name: renamed })
      const deleted = yield* ask("delete_tag", { id })
      assert.include(deleted, { id, message: `Tag ${id} was deleted` })
      assert.nestedPropertyVal(deleted, "deleted.name", renamed)
      for (const tool of ["get_tag", "delete_tag"]) {
        const { data, message } = yield* refused(tool, { id })
        assert.strictEqual(message, `API error: Not Found (tag ${id} on instance production)`)
        assert.include(data, { code: "API_ERROR", httpStatus: 404 })
      }
    })
  )

  it.effect("get_tags lists them page by page", () =>
    Effect.gen(function* () {
      const wanted = yield* Effect.forEach(["a", "b", "c"], () => tagged())
      const seen: Array<unknown> = []
      let page = decodePage(yield* ask("get_tags", { limit: 2 }))
      while (page.nextCursor !== undefined) {
        seen.push(...page.data.map(({ name }) => name))
        assert.lengthOf(page.data, 2)
        page = decodePage(yield* ask("get_tags", { cursor: page.nextCursor }))
      }
      seen.push(...page.data.map(({ name }) => name))
      assert.includeMembers(
        seen,
        wanted.map(({ name }) => name)
      )
      assert.lengthOf(new Set(seen), seen.length)
    })
  )

  it.effect("a name that is taken is a conflict", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* tagged(), yield* tagged()]
      const creation = yield* refused("create_tag", { name: one.name })
      assert.strictEqual(
        creation.message,
        `API error: Tag already exists on instance production: ${one.name}. Use that tag (get_tags shows its id), or give another name`
      )
      const renaming = yield* refused("update_tag", { id: two.id, name: one.name })
      assert.strictEqual(
        renaming.message,
        `API error: Tag already exists on instance production: ${one.name}. Tag ${two.id} was not renamed. Workaround: delete it with delete_tag ` +
          "and create one of that name with create_tag; its workflows lose it. If another tag has that name already " +
          "(see get_tags), use that one"
      )
      for (const { code, data } of [creation, renaming]) {
        assert.strictEqual(code, -32000)
        assert.include(data, { code: "API_ERROR", httpStatus: 409, instance: "production" })
      }
      assert.include(yield* ask("get_tag", { id: two.id }), { name: two.name })
    })
  )

  it.effect(
    "a name of 24 characters is taken, however many bytes they are, and a longer one is an invalid argument",
    () =>
      Effect.gen(function* () {
        const longest = `${unique("").slice(0, 12)}${"\u{1F600}".repeat(12)}`
        const { id } = yield* tagged(longest)
        assert.include(yield* ask("get_tag", { id }), { name: longest })
        for (const [tool, args] of [
          ["create_tag", {}],
          ["update_tag", { id }]
        ] as const) {
          const { code, message } = yield* refused(tool, { ...args, name: `${longest}x` })
          assert.deepStrictEqual([code, message], [-32602, "Invalid name: must be at most 24 characters long"])
        }
      })
  )

  it.effect("a deleted tag disappears from its workflows", () =>
    Effect.gen(function* () {
      const tag = yield* tagged()
      const { id } = yield* created({ nodes: [manual()], tags: [tag.id] })
      yield* ask("delete_tag", { id: tag.id })
      assert.deepInclude(yield* ask("get_workflow", { id }), { tags: [] })
    })
  )
}
