import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { IndexEntry } from "../../nodes/NodeType.ts"
import { type Usage, usageOf } from "../../nodes/nodeUsage.ts"
import { type Kind, search, type SearchResult } from "../../nodes/searchNodes.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { optional } from "../../tools/parameters.ts"

const kinds = ["trigger", "action", "tool", "ai"] as const satisfies ReadonlyArray<Kind>

/** Nodes that are shown at most. */
const most = 12

export const findNodes = EngineTool.make("find_nodes", {
  title: "Find nodes",
  description: "Nodes of this engine for a task, and how often they are used here",
  annotations: reads,
  arguments: {
    query: optional(Schema.String.annotate({ description: "e.g. send a message to Slack" })),
    kind: optional(Schema.Literals(kinds).annotate({ description: "tool: of agents; ai: models…" }))
  },
  // What search_workflows calls it.
  aliases: { text: "query" },
  run: Effect.fnUntraced(function* ({ kind, query = "" }) {
    const engine = yield* EngineClient
    const knowledge = yield* NodeKnowledge
    const [{ catalog, hint }, usage] = yield* Effect.all([knowledge.of(engine), usageOf(engine)], {
      concurrency: "unbounded"
    })
    const used = (type: string) => usage.byType.get(type)?.length ?? 0
    const found = search(catalog?.entries ?? entriesOf(usage), query, kind, used)
    return {
      nodes: found.slice(0, most).map((one) => shown(one, kind, used)),
      ...(found.length > most ? { more: found.length - most } : {}),
      ...(hint === undefined ? {} : { notice: `Only nodes of this instance's workflows are known. ${hint}` }),
      ...(usage.isWhole ? {} : { usedCountsOnly: "the first 1,000 workflows" })
    }
  })
})

const shown = ({ action, entry }: SearchResult, kind: Kind | undefined, used: (type: string) => number) => {
  const asTool = kind === "tool" && entry.asTool === true
  const type = asTool ? `${entry.type}Tool` : entry.type
  const count = used(type)
  return {
    type,
    title: entry.title,
    ...(entry.description === "" ? {} : { what: entry.description }),
    version: entry.defaultVersion,
    ...(action === undefined ? {} : operationOf(action)),
    ...(entry.gives.length === 0 || asTool ? {} : { gives: entry.gives }),
    ...(count === 0 ? {} : { used: count })
  }
}

const operationOf = ({ operation, resource }: IndexEntry["actions"][number]) => ({
  ...(resource === undefined ? {} : { resource }),
  operation
})

/** What the workflows of an instance tell of the nodes that it has. */
const entriesOf = ({ byType }: Usage): ReadonlyArray<IndexEntry> =>
  [...byType].map(([type, used]) => {
    const versions = [...new Set(used.map(({ node }) => Number(node.typeVersion)))].toSorted((a, b) => a - b)
    return {
      type,
      title: type.slice(type.lastIndexOf(".") + 1),
      description: "",
      ...(/trigger$|webhook$/i.test(type) ? { isTrigger: true } : {}),
      versions,
      defaultVersion: versions.at(-1) ?? 1,
      alias: used.slice(0, 20).map(({ node }) => String(node.name)),
      gives: [],
      actions: []
    }
  })
