import { Predicate, Schema, Effect } from "effect"

import { each, only } from "../../../internal/json/Selection.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { large } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Workflow } from "../../workflow/models.ts"
import { engineName } from "../../workflow/naming.ts"
import { namesOf, partOfWorkflow } from "../../workflow/views.ts"
import * as EngineTool from "../EngineTool.ts"
import { listPage } from "../paging.ts"
import { cursor, flag, limit, optional, text, refuseUnknownNodes, nodeNames, workflowId } from "../parameters.ts"
import { sendablePart } from "../references.ts"
import * as results from "../results.ts"
import { showWorkflow } from "./showWorkflow.ts"

const filters = {
  name: optional(text("Part of the name")),
  active: optional(flag("Only active, or inactive")),
  tags: optional(Schema.Array(Schema.String).annotate({ description: "Tag names, all of them" }))
}
type Filters = Schema.Struct<typeof filters>["Type"]

export const listWorkflows = EngineTool.make("list_workflows", {
  title: "List workflows",
  description: `List ${engineName} workflows: state, times, tags, number of nodes`,
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
      fetch: ({ name = "", tags = [], ...rest }, query) =>
        EngineClient.use((engine) =>
          engine.listWorkflows({ ...rest, ...sendablePart(name), ...query, tags: tags.filter(isSendable) }, listed)
        ),
      keep: matches,
      show: summary
    })
})

export const getWorkflow = EngineTool.make("get_workflow", {
  title: "Get workflow",
  description: "Read one workflow, or some of its nodes; with its `version`",
  annotations: reads,
  arguments: { id: workflowId, nodes: optional(nodeNames("Only these, by name")) },
  result: results.workflow,
  narrow: `Give \`nodes\` to read some of them. ${results.readElsewhere}`,
  meta: large,
  run: ({ id, nodes }) => {
    const read = EngineClient.use((engine) => engine.getWorkflow(id))
    return nodes === undefined
      ? Effect.flatMap(EngineTool.toBeShown(read), (workflow) => showWorkflow(workflow))
      : Effect.flatMap(read, (workflow) => someNodes(workflow, nodes))
  }
})

const someNodes = Effect.fnUntraced(function* (workflow: Workflow, nodes: ReadonlyArray<string>) {
  const whole = yield* showWorkflow(workflow)
  yield* refuseUnknownNodes(`workflow ${workflow.id}`, nodes, namesOf(workflow.nodes))
  const { active, id, name } = workflow
  return { ...partOfWorkflow({ ...whole, nodes: workflow.nodes }, nodes), id, name, active }
})

/** Engines take several names as one text with commas. */
const isSendable = (tag: string) => tag.trim() !== "" && !tag.includes(",")

/** Engines ignore tag names they do not know, where none of them may be missing. */
const matches = (workflow: JsonObject, { active, name, tags = [] }: Filters): boolean => {
  const names = Array.isArray(workflow.tags) ? workflow.tags.map((tag: unknown) => nameOf(tag)) : []
  const isInState = active === undefined || !Predicate.isBoolean(workflow.active) || workflow.active === active
  return isInState && isCalled(workflow.name, name) && tags.every((tag) => names.includes(tag.trim()))
}

const nameOf = (tag: unknown) => (Predicate.hasProperty(tag, "name") ? tag.name : undefined)

const isCalled = (name: unknown, part = "") =>
  Predicate.isString(name) ? folded(name).includes(folded(part.trim())) : part === ""

const folded = (text: string) => text.normalize("NFC").toLowerCase()

/** The fields that a list shows or is filtered by; nodes are only counted. */
const listed = only({
  id: "whole",
  name: "whole",
  active: "whole",
  createdAt: "whole",
  updatedAt: "whole",
  isArchived: "whole",
  tags: "whole",
  nodes: each("nothing")
})

/** A workflow in a list: what identifies it, and how many nodes it has. */
const summary = ({ active, createdAt, id, isArchived, name, nodes, tags, updatedAt }: JsonObject): JsonObject => ({
  id,
  name,
  active,
  createdAt,
  updatedAt,
  ...(Array.isArray(nodes) ? { nodes: nodes.length } : Predicate.isNumber(nodes) ? { nodes } : {}),
  ...(Array.isArray(tags) ? { tags: tags.filter(Predicate.isObject).map(tagSummary) } : {}),
  ...(isArchived === true ? { isArchived } : {})
})

const tagSummary = (tag: object): JsonObject => {
  const { id, name }: JsonObject = { ...tag }
  return { id, name }
}
