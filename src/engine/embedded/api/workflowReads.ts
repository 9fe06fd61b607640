import { Effect, Struct } from "effect"

import { asOf } from "../run/publishing.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { Store, type Tables } from "../store/Store.ts"
import { present } from "../store/values.ts"
import { notFound, type Refusal } from "../wire/http.ts"
import { byOffset, type Query } from "../wire/query.ts"
import { Dialect, type Handler, type Occasion, ok } from "./Dialect.ts"

/** All current workflows, sorted by id. */
const all = Effect.gen(function* () {
  const { tables } = yield* Store
  const { publishing } = yield* Dialect
  const moment = yield* present
  return [...tables.workflows.values()]
    .map((workflow) => asOf(workflow, moment, publishing))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
})

/** One current workflow. */
export const findWorkflow = Effect.fnUntraced(function* (
  id: string,
  message?: string
): Effect.fn.Return<WorkflowRecord, Refusal, Dialect | Store> {
  const { tables } = yield* Store
  const { publishing } = yield* Dialect
  const workflow = tables.workflows.get(id)
  if (workflow === undefined) return yield* notFound(message)
  return asOf(workflow, yield* present, publishing)
})

/** A workflow as the engine shows it in a kind of answer. */
export const showWorkflow = Effect.fnUntraced(function* (workflow: WorkflowRecord, occasion: Occasion) {
  const { tables } = yield* Store
  const { views } = yield* Dialect
  return views.workflow(tables, workflow, occasion)
})

export const getWorkflow: Handler = Effect.fnUntraced(function* ({ at, query }) {
  const workflow = yield* showWorkflow(yield* findWorkflow(at("id")), "get")
  return ok(query.get("excludePinnedData") === "true" ? withoutPins(workflow) : workflow)
})

export const listWorkflows: Handler = Effect.fnUntraced(function* ({ query }) {
  const { tables } = yield* Store
  const { paging, workflows } = yield* Dialect
  const tests = [
    byActive(query),
    byTags(query, tables, workflows.ignoresUnknownTags),
    byName(query),
    byProject(query, tables)
  ]
  const rows = (yield* all).filter((workflow) => tests.every((test) => test(workflow)))
  const { data, nextCursor } = yield* byOffset(rows, query, paging)
  const items = yield* Effect.forEach(data, (workflow) => showWorkflow(workflow, "list"))
  return ok({ data: query.get("excludePinnedData") === "true" ? items.map(withoutPins) : items, nextCursor })
})

const withoutPins = <A extends { readonly pinData: unknown }>(workflow: A) => Struct.omit(workflow, ["pinData"])

type Test = (workflow: WorkflowRecord) => boolean

const byActive = (query: Query): Test => {
  const active = query.get("active")
  return (workflow) => active === undefined || workflow.active === (active === "true")
}

/** Workflows that have all the tags named. */
const byTags = (query: Query, tables: Tables, ignoresUnknown: boolean): Test => {
  const names = query
    .get("tags")
    ?.split(",")
    .map((name) => name.trim())
  if (names === undefined) return () => true
  const ids = names.map((name) => [...tables.tags.values()].find((tag) => tag.name === name)?.id)
  const existingIds = ids.filter((id) => id !== undefined)
  const isUnknownTag = existingIds.length === 0 || (!ignoresUnknown && existingIds.length < ids.length)
  return ({ tagIds }) => !isUnknownTag && existingIds.every((id) => tagIds.includes(id))
}

/** Workflows whose name contains the text, ignoring case; `%` and `_` are wildcards, as in the database of a real engine. */
const byName = (query: Query): Test => {
  const name = query.get("name")?.trim()
  if (name === undefined) return () => true
  const parts = name.toLowerCase().split("%")
  return (workflow) => holdsInOrder(workflow.name.toLowerCase(), parts)
}

/** Whether a text holds these parts one behind the other; `_` stands for any character. */
const holdsInOrder = (text: string, parts: ReadonlyArray<string>): boolean => {
  let from = 0
  return parts.every((part) => {
    const fits = (at: number) =>
      Array.from({ length: part.length }).every((_, place) => part[place] === "_" || part[place] === text[at + place])
    let at = from
    while (at + part.length <= text.length && !fits(at)) at += 1
    from = at + part.length
    return from <= text.length
  })
}

const byProject = (query: Query, { owner }: Tables): Test => {
  const project = query.get("projectId")
  return (workflow) => project === undefined || project === (workflow.project ?? owner.projectId)
}
