import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { ask, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { created, decodePage, manual, tagged, unique } from "./things.ts"

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
        assert.strictEqual(message, "API error: Not Found")
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
      const errors = [
        yield* refused("create_tag", { name: one.name }),
        yield* refused("update_tag", { id: two.id, name: one.name })
      ]
      for (const { code, data, message } of errors) {
        assert.deepStrictEqual([code, message], [-32000, "API error: Tag already exists"])
        assert.include(data, { code: "API_ERROR", httpStatus: 409, instance: "production" })
      }
      assert.include(yield* ask("get_tag", { id: two.id }), { name: two.name })
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
