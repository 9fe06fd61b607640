import * as fc from "fast-check"

import type { Connections, Link, Node, Target } from "../../../src/engine/workflow/models.ts"

/** Names people and attackers give: among them those that objects treat in a special way. */
export const nodeName = fc.oneof(
  { weight: 5, arbitrary: fc.string({ minLength: 1, unit: "grapheme" }).filter((name) => name.trim() !== "") },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "1", "main", "nodes", "then") }
)

export const connectionType = fc.oneof(
  { weight: 3, arbitrary: fc.constant("main") },
  { weight: 1, arbitrary: fc.constantFrom("ai_tool", "ai_languageModel", "ai_memory", "ai_outputParser") }
)

export const nodeNamed = (name: string): fc.Arbitrary<Node> =>
  fc.record(
    {
      name: fc.constant(name),
      type: fc.constantFrom(
        "engine-nodes-base.webhook",
        "n8n-nodes-base.set",
        "n8n-nodes-base.switch",
        "@n8n/n8n-nodes-langchain.agent"
      ),
      typeVersion: fc.double({ min: 0, max: 9, noNaN: true }),
      position: fc.tuple(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      parameters: fc.dictionary(fc.string(), fc.jsonValue()),
      credentials: fc.constant({ httpBasicAuth: { id: "1", name: "Basic" } }),
      webhookId: fc.uuid(),
      notes: fc.string(),
      newerField: fc.jsonValue()
    },
    { requiredKeys: ["name", "type", "typeVersion", "position"] }
  )

const targetAmong = (names: ReadonlyArray<string>): fc.Arbitrary<Target> =>
  fc.record(
    {
      node: fc.constantFrom(...names),
      type: connectionType,
      index: fc.nat({ max: 5 }),
      newerField: fc.string()
    },
    { requiredKeys: ["node", "type", "index"] }
  )

const outputsAmong = (names: ReadonlyArray<string>) =>
  fc.array(fc.oneof(fc.constant(null), fc.array(targetAmong(names), { maxLength: 3 })), { maxLength: 4 })

export interface Graph {
  readonly nodes: ReadonlyArray<Node>
  readonly connections: Connections
}

/** Any workflow that breaks no rule: several outputs, gaps, null outputs, `ai_*` types, loops, unknown fields. */
export const graph: fc.Arbitrary<Graph> = fc.uniqueArray(nodeName, { minLength: 1, maxLength: 6 }).chain((names) =>
  fc.record({
    nodes: fc.tuple(...names.map(nodeNamed)),
    connections: fc
      .array(
        fc.tuple(fc.constantFrom(...names), fc.array(fc.tuple(connectionType, outputsAmong(names)), { maxLength: 2 })),
        { maxLength: 4 }
      )
      .map((sources) => Object.fromEntries(sources.map(([name, types]) => [name, Object.fromEntries(types)])))
  })
)

/** The edges of connections, whatever the spelling of "nothing there" and the order of outputs. */
export const edges = (connections: Connections): ReadonlyArray<string> =>
  Object.entries(connections)
    .flatMap(([source, types]) =>
      Object.entries(types).flatMap(([type, outputs]) =>
        outputs.flatMap((targets, output) =>
          (targets ?? []).map((target, place) => JSON.stringify([source, type, output, place, sorted(target)]))
        )
      )
    )
    .toSorted()

/** The same for links; the place is that among links of the same output. */
export const linkEdges = (links: ReadonlyArray<Link>): ReadonlyArray<string> =>
  links.map((link) => JSON.stringify(sorted(link))).toSorted()

const sorted = (fields: object) => Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
