import { Effect, Schema } from "effect"

import { Edition } from "../store/Edition.ts"
import { freshId, now } from "../store/fresh.ts"
import type { TagRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { type Endpoint, ok } from "../wire/Endpoint.ts"
import { byOffset } from "../wire/paging.ts"
import { conflict, notFound } from "../wire/Refusal.ts"
import { fields, readOnly, string } from "../wire/shapes.ts"
import { firstTag } from "./workflows/views.ts"

const body = {
  shape: fields({ id: readOnly, name: string, createdAt: readOnly, updatedAt: readOnly }, "name")
}

const decode = Schema.decodeUnknownEffect(Schema.Struct({ name: Schema.String }))

/** A trimmed name that no other tag has. Whatever is wrong with it, engines say the same. */
const freeName = Effect.fnUntraced(function* (body: unknown, self?: string) {
  const { tables } = yield* Store
  const name = (yield* Effect.orDie(decode(body))).name.trim()
  const isTaken = [...tables.tags.values()].some((tag) => tag.name === name && tag.id !== self)
  return isTaken || name === "" || Array.from(name).length > 24 ? yield* conflict("Tag already exists") : name
})

const find = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* Store
  return tables.tags.get(id) ?? (yield* notFound())
})

const show = Effect.fnUntraced(function* (tag: TagRecord) {
  const { isSecond } = yield* Edition
  return isSecond ? tag : firstTag(tag)
})

export const tags: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/tags",
    query: { limit: "limit", cursor: "encoded" },
    run: Effect.fnUntraced(function* ({ query }) {
      const { tables } = yield* Store
      const { isSecond } = yield* Edition
      const { data, nextCursor } = yield* byOffset([...tables.tags.values()], query, isSecond)
      return ok({ data: yield* Effect.forEach(data, show), nextCursor })
    })
  },
  {
    method: "POST",
    path: "/tags",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ body }) {
      const { commit } = yield* Store
      const { isSecond } = yield* Edition
      const name = yield* freeName(body)
      const text = yield* now
      const times = { createdAt: text, updatedAt: text }
      const tag = { id: yield* freshId, name, ...times }
      yield* commit({ tag })
      return { status: 201, body: isSecond ? tag : { name, id: tag.id, ...times } }
    })
  },
  {
    method: "GET",
    path: "/tags/:id",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      return ok(yield* show(yield* find(at("id"))))
    })
  },
  {
    method: "PUT",
    path: "/tags/:id",
    query: {},
    body,
    run: Effect.fnUntraced(function* ({ at, body }) {
      const { commit } = yield* Store
      const before = yield* find(at("id"))
      const { id } = before
      const name = yield* freeName(body, id)
      if (name === before.name) return ok({ id, name })
      const updatedAt = yield* now
      yield* commit({ tag: { ...before, name, updatedAt } })
      return ok({ id, name, updatedAt })
    })
  },
  {
    method: "DELETE",
    path: "/tags/:id",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      const { commit, tables } = yield* Store
      const tag = yield* find(at("id"))
      const tagged = [...tables.workflows.values()].filter(({ tagIds }) => tagIds.includes(tag.id))
      const untagged = tagged.map((workflow) => ({
        workflow: { ...workflow, tagIds: workflow.tagIds.filter((id) => id !== tag.id) }
      }))
      yield* commit({ removedTag: tag.id }, ...untagged)
      return ok(yield* show(tag))
    })
  }
]
