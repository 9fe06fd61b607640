import { Effect, Schema } from "effect"

import type { TagRecord, WorkflowRecord } from "../store/records.ts"
import { Store, type Tables } from "../store/Store.ts"
import { freshId, now } from "../store/values.ts"
import { conflict, notFound } from "../wire/http.ts"
import { byOffset } from "../wire/query.ts"
import { array, fields, readOnly, string } from "../wire/shapes.ts"
import { Dialect, type Endpoint, ok } from "./Dialect.ts"
import { findWorkflow } from "./workflowReads.ts"

const body = {
  shape: fields({ id: readOnly, name: string, createdAt: readOnly, updatedAt: readOnly }, "name")
}

const decode = Schema.decodeUnknownEffect(Schema.Struct({ name: Schema.String }))

/** A trimmed name that no other tag has. Engines report every problem with a name in the same way. */
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
  const { views } = yield* Dialect
  return views.tag(tag)
})

export const tagEndpoints: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/tags",
    query: { limit: "limit", cursor: "encoded" },
    run: Effect.fnUntraced(function* ({ query }) {
      const { tables } = yield* Store
      const { paging } = yield* Dialect
      const { data, nextCursor } = yield* byOffset([...tables.tags.values()], query, paging)
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
      const { views } = yield* Dialect
      const name = yield* freeName(body)
      const text = yield* now
      const tag = { id: yield* freshId, name, createdAt: text, updatedAt: text }
      yield* commit({ tag })
      return { status: 201, body: views.createdTag(tag) }
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

/** The tags of a workflow, sorted by name; real engines promise no order. */
export const tagsOf = (tables: Tables, { tagIds }: WorkflowRecord): ReadonlyArray<TagRecord> =>
  tagIds.flatMap((id) => tables.tags.get(id) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))

const showTagsOf = Effect.fnUntraced(function* (workflow: WorkflowRecord) {
  const { tables } = yield* Store
  const { views } = yield* Dialect
  return ok(tagsOf(tables, workflow).map(views.tag))
})

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/** The tags of one workflow: read, or replaced as a whole. */
export const workflowTagEndpoints: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/workflows/:id/tags",
    query: {},
    run: Effect.fnUntraced(function* ({ at }) {
      return yield* showTagsOf(yield* findWorkflow(at("id")))
    })
  },
  {
    method: "PUT",
    path: "/workflows/:id/tags",
    query: {},
    body: { shape: array(fields({ id: string }, "id")) },
    run: Effect.fnUntraced(function* ({ at, body }) {
      const { commit, tables } = yield* Store
      const before = yield* findWorkflow(at("id"))
      const tagIds = (yield* Effect.orDie(decodeIds(body))).map(({ id }) => id)
      const isSound = new Set(tagIds).size === tagIds.length && tagIds.every((id) => tables.tags.has(id))
      if (!isSound) return yield* notFound("Some tags not found")
      const workflow = { ...before, tagIds }
      yield* commit({ workflow })
      return yield* showTagsOf(workflow)
    })
  }
]
