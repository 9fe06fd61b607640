import { Effect, Option } from "effect"

import { nodeTypes } from "../../../src/engine/embedded/nodes/nodeTypes.ts"
import { archiveContent, type Catalog, open } from "../../../src/engine/nodes/Catalog.ts"
import { checkWorkflow } from "../../../src/engine/nodes/check/checkWorkflow.ts"
import { inWords } from "../../../src/engine/nodes/check/Finding.ts"
import { collectNodeTypes } from "../../../src/engine/nodes/collectNodeTypes.ts"
import { archiveOf } from "../../../src/engine/nodes/NodePackages.ts"
import { packageOf } from "../../../src/engine/workflow/naming.ts"

/** A catalog of these descriptions. */
export const catalogOf = (
  descriptions: ReadonlyArray<unknown>,
  source: Catalog["source"] = "packages",
  version = "2.41.1"
): Catalog => {
  const collected = collectNodeTypes(descriptions)
  const packages = [...new Set(collected.map(({ entry }) => packageOf(entry.type)))]
  const { index, texts } = archiveContent({ version, source, made: 0, packages }, collected)
  return Option.getOrThrow(open(archiveOf(index, texts)))
}

/** The node types of the embedded engine of generation 2, and a loop. */
export const catalog = catalogOf([
  ...nodeTypes(2).filter(({ name }) => name !== "n8n-nodes-base.splitInBatches"),
  {
    name: "n8n-nodes-base.splitInBatches",
    displayName: "Loop Over Items",
    description: "Split data into batches",
    group: ["organization"],
    version: [1, 2, 3],
    inputs: ["main"],
    outputs: ["main", "main"],
    properties: [{ displayName: "Batch Size", name: "batchSize", type: "number", default: 1 }]
  }
])

type Json = Readonly<Record<string, unknown>>

export const node = (kind: string, name: string, parameters: Json = {}, more: Json = {}) => ({
  name,
  type: kind.includes(".") ? kind : `n8n-nodes-base.${kind}`,
  typeVersion:
    new Map([
      ["httpRequest", 4.2],
      ["set", 3.4],
      ["if", 2.2],
      ["code", 2],
      ["splitInBatches", 3],
      ["slack", 2.3]
    ]).get(kind) ?? 1,
  position: [0, 0],
  parameters,
  ...more
})

/** Connections from lines such as `A > B`, `A:1 > B` and `Model > Agent ai_languageModel`. */
export const wired = (...lines: ReadonlyArray<string>) => {
  const all: Record<string, Record<string, Array<Array<{ node: string; type: string; index: number }>>>> = {}
  for (const line of lines) {
    const [, source = "", output = "0", target = "", type = "main"] =
      /^(\w+)(?::(\d))? > (\w+)(?: (\w+))?$/.exec(line) ?? []
    const outputs = ((all[source] ??= {})[type] ??= [])
    while (outputs.length <= Number(output)) outputs.push([])
    outputs[Number(output)]?.push({ node: target, type, index: 0 })
  }
  return all
}

/** The findings about a workflow, in words. */
export const problemsIn = (nodes: ReadonlyArray<Json>, connections: unknown = {}, nodeTypes = catalog) =>
  Effect.map(checkWorkflow({ nodes, connections }, nodeTypes), (findings) => findings.map(inWords))
