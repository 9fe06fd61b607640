import { Effect, Struct } from "effect"

import { Edition } from "../../store/Edition.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import type { Tables } from "../../store/Tables.ts"
import { type Endpoint, ok } from "../../wire/Endpoint.ts"
import { byOffset } from "../../wire/paging.ts"
import type { Query } from "../../wire/query.ts"
import { all, show } from "./lookup.ts"

type Test = (workflow: WorkflowRecord) => boolean

export const listWorkflows: Endpoint = {
  method: "GET",
  path: "/workflows",
  query: {
    active: "boolean",
    tags: "any",
    name: "any",
    projectId: "any",
    excludePinnedData: "boolean",
    limit: "limit",
    cursor: "encoded"
  },
  run: Effect.fnUntraced(function* ({ query }) {
    const { tables } = yield* Store
    const { isSecond } = yield* Edition
    const tests = [byActive(query), byTags(query, tables, isSecond), byName(query), byProject(query, tables)]
    const rows = (yield* all).filter((workflow) => tests.every((test) => test(workflow)))
    const { data, nextCursor } = yield* byOffset(rows, query, isSecond)
    const items = yield* Effect.forEach(data, (workflow) => show(workflow, "list"))
    return ok({ data: query.get("excludePinnedData") === "true" ? items.map(withoutPins) : items, nextCursor })
  })
}

/** 2.x engines can also begin at an offset. */
export const listWorkflowsFrom: Endpoint = { ...listWorkflows, query: { ...listWorkflows.query, offset: "encoded" } }

export const withoutPins = <A extends { readonly pinData: unknown }>(workflow: A) => Struct.omit(workflow, ["pinData"])

const byActive = (query: Query): Test => {
  const active = query.get("active")
  return (workflow) => active === undefined || workflow.active === (active === "true")
}

/** All the names must be there; a 1.x engine passes over names that no tag has, unless none has one. */
const byTags = (query: Query, tables: Tables, isSecond: boolean): Test => {
  const names = query
    .get("tags")
    ?.split(",")
    .map((name) => name.trim())
  if (names === undefined) return () => true
  const ids = names.map((name) => [...tables.tags.values()].find((tag) => tag.name === name)?.id)
  const known = ids.filter((id) => id !== undefined)
  const isHopeless = known.length === 0 || (isSecond && known.length < ids.length)
  return ({ tagIds }) => !isHopeless && known.every((id) => tagIds.includes(id))
}

/** Contains the text, letter case aside; `%` and `_` stand for anything, as in the database behind a real engine. */
const byName = (query: Query): Test => {
  const name = query.get("name")?.trim()
  if (name === undefined) return () => true
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  const pattern = new RegExp(quoted.replaceAll("%", ".*").replaceAll("_", "."), "is")
  return (workflow) => pattern.test(workflow.name)
}

const byProject = (query: Query, { owner }: Tables): Test => {
  const project = query.get("projectId")
  return () => project === undefined || project === owner.projectId
}
