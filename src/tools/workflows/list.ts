import { Predicate, Schema } from "effect"

import { EngineClient } from "../../engine/EngineClient.ts"
import type { Free } from "../../engine/Workflow.ts"
import { reads } from "../annotations.ts"
import * as EngineTool from "../EngineTool.ts"
import { listPage } from "../paging.ts"
import { cursor, flag, limit, optional } from "../parameters.ts"
import * as results from "../results.ts"
import { summary } from "../shown.ts"

const filters = {
  active: optional(flag("Only active or only inactive workflows")),
  tags: optional(Schema.Array(Schema.String).annotate({ description: "Tag names; all must be there" }))
}
type Filters = Schema.Struct<typeof filters>["Type"]

export const listWorkflows = EngineTool.make("list_workflows", {
  title: "List workflows",
  description: "List workflows: id, name, state, times, tags, number of nodes",
  annotations: reads,
  arguments: { ...filters, limit, cursor },
  result: results.page,
  narrow: "Give a smaller limit.",
  run: ({ cursor, limit, ...given }) =>
    listPage({
      list: "list_workflows",
      filters: Schema.Struct(filters),
      given,
      cursor,
      limit,
      fetch: ({ tags, ...rest }, query) =>
        EngineClient.use((engine) =>
          engine.listWorkflows({ ...rest, ...query, tags: (tags ?? []).filter(isSendable) })
        ),
      keep: matches,
      show: summary
    })
})

/** Engines take several names as one text with commas. */
const isSendable = (tag: string) => tag.trim() !== "" && !tag.includes(",")

/** Engines ignore tag names they do not know, where none of them may be missing. */
const matches = (workflow: Free, { active, tags = [] }: Filters): boolean => {
  const names = Array.isArray(workflow.tags) ? workflow.tags.map((tag: unknown) => nameOf(tag)) : []
  const isInState = active === undefined || !Predicate.isBoolean(workflow.active) || workflow.active === active
  return isInState && tags.every((tag) => names.includes(tag.trim()))
}

const nameOf = (tag: unknown) => (Predicate.hasProperty(tag, "name") ? tag.name : undefined)
