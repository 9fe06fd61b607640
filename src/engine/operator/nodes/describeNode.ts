import { Effect, Schema } from "effect"

import { nearest } from "../../../internal/schema/nearest.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { nodeKind, toEngineType } from "../../client/naming.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import { condition, describeParameters } from "../../nodes/describe.ts"
import { isRecord } from "../../nodes/json.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { IndexEntry, NodeType } from "../../nodes/NodeType.ts"
import { sampleOf } from "../../nodes/sample.ts"
import { type UsedNode, usageOf } from "../../nodes/usage.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { toToolError } from "../../tools/errors.ts"
import { optional, text } from "../../tools/parameters.ts"

export const describeNode = EngineTool.make("describe_node", {
  title: "Describe node",
  description: "What a node type needs on this engine: parameters, credentials, connections, an example from here",
  annotations: reads,
  arguments: {
    type: text("From find_nodes"),
    resource: optional(Schema.String.annotate({ description: "Narrows, with operation" })),
    operation: optional(Schema.String),
    version: optional(Schema.Finite.annotate({ description: "Default: newest" }))
  },
  run: Effect.fnUntraced(function* ({ operation, resource, type: asked, version: wanted }) {
    const engine = yield* EngineClient
    const knowledge = yield* NodeKnowledge
    const [{ catalog, hint }, usage] = yield* Effect.all([knowledge.of(engine), usageOf(engine)], {
      concurrency: "unbounded"
    })
    if (catalog === undefined) {
      const type = toEngineType(asked)
      const used = usage.byType.get(type) ?? []
      return { type, ...example(used, {}), used: used.length, notice: hint }
    }
    const entry = yield* meant(catalog, asked)
    const version = yield* versionOf(entry, wanted)
    const all = yield* Effect.mapError(catalog.read(entry.type), toolErrorOf)
    const node = all.find(({ versions }) => versions.includes(version))
    if (node === undefined) return yield* noVersion(entry, version)
    const chosen = yield* chosenOf(node, version, resource, operation)
    const used = usage.byType.get(entry.type) ?? []
    return {
      type: entry.type,
      title: entry.title,
      what: entry.description,
      version,
      ...(entry.versions.length > 1 ? { versions: entry.versions } : {}),
      ...(chosen.open.length === 0 ? {} : { operations: operationsOf(node, version, chosen.settled) }),
      ...connections(node, chosen.settled),
      ...credentialsOf(node, chosen.settled),
      ...chosen.shown,
      parameters: describeParameters(node, chosen.settled),
      ...example(used, chosen.shown),
      ...(used.length === 0 ? {} : { used: used.length }),
      ...(chosen.open.length === 0 ? {} : { notice: `Give ${chosen.open.join(" and ")} for the other parameters.` })
    }
  })
})
