import { Effect, Schema } from "effect"

import { Edition } from "../../store/Edition.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { notFound } from "../../wire/Refusal.ts"
import { find } from "./lookup.ts"
import { tagIds as shape } from "./shapes.ts"
import { firstTag, tagsOf } from "./views.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const show = Effect.fnUntraced(function* (workflow: WorkflowRecord) {
  const { tables } = yield* Store
  const { isSecond } = yield* Edition
  const tags = tagsOf(tables, workflow)
  return ok(isSecond ? tags : tags.map(firstTag))
})

/** The tags of one workflow: read, or replaced as a whole. */
export const workflowTags: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/workflows/:id/tags",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      return yield* show(yield* find(at("id")))
    })
  },
  {
    method: "PUT",
    path: "/workflows/:id/tags",
    query: {},
    body: { shape },
    run: Effect.fnUntraced(function* ({ at, body }) {
      const { commit, tables } = yield* Store
      const before = yield* find(at("id"))
      const tagIds = (yield* Effect.orDie(decode(body))).map(({ id }) => id)
      const isSound = new Set(tagIds).size === tagIds.length && tagIds.every((id) => tables.tags.has(id))
      if (!isSound) return yield* notFound("Some tags not found")
      const workflow = { ...before, tagIds }
      yield* commit({ workflow })
      return yield* show(workflow)
    })
  }
]
