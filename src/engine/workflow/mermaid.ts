import { clipped, oneLine } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { type Flow, flowOf } from "./flow.ts"
import { nameOf } from "./nodes.ts"
import { outputName } from "./outputs.ts"
import type { NodeRun } from "./runs.ts"
import { summaryOf } from "./summary.ts"
import { isTrigger, kindOf } from "./triggers.ts"
import { edgesOf } from "./wires.ts"

/** Nodes that a drawing still shows, the less the more there is to say of each, and its characters. */
const sizes = [150, 75, 35]
const room = 7000

/** A workflow as a Mermaid flowchart: what runs from left to right, what serves an agent on dotted arrows. */
export const mermaidOf = (workflow: JsonObject, runs?: ReadonlyMap<string, NodeRun>): string => {
  const flow = flowOf(workflow)
  let drawing = ""
  for (const most of sizes) {
    drawing = drawnOf(workflow, flow, { most, runs })
    if (drawing.length <= room) break
  }
  return drawing
}

interface Drawn {
  readonly most: number
  readonly runs: ReadonlyMap<string, NodeRun> | undefined
}

const drawnOf = (workflow: JsonObject, flow: Flow, { most, runs }: Drawn): string => {
  const all = [...flow.named.values()].toReversed()
  const shownNodes = all.slice(0, most)
  const ids = new Map(shownNodes.map((node, place) => [nameOf(node), `n${place + 1}`]))
  const edges = edgesOf(workflow.connections)
  const missingNames = [...new Set(edges.map(({ target }) => target))]
    .filter((name) => !flow.named.has(name))
    .slice(0, 20)
  for (const name of missingNames) ids.set(name, `n${ids.size + 1}`)
  const arrows = edges.flatMap(({ output, source, target, type }) => {
    const [from, to] = [ids.get(source), ids.get(target)]
    if (from === undefined || to === undefined) return []
    const label = type === "main" ? outputName(flow.named.get(source), output) : type.replace(/^ai_/, "")
    const between = label === "" ? "" : `|"${escaped(label, 40)}"|`
    return [`  ${from} ${type === "main" ? "-->" : "-.->"}${between} ${to}`]
  })
  const marked = (className: string, isMarked: (node: JsonObject) => boolean) => {
    const list = shownNodes.filter(isMarked).map((node) => ids.get(nameOf(node)))
    return list.length === 0 ? [] : [`  class ${list.join(",")} ${className}`]
  }
  const runOf = (node: JsonObject) => runs?.get(nameOf(node))
  return [
    "flowchart LR",
    ...(all.length > most ? [`  %% ${all.length - most} more nodes are left out`] : []),
    ...shownNodes.map((node) => `  ${ids.get(nameOf(node))}${shape(node, labelOf(node, runOf(node)))}`),
    ...missingNames.map((name) => `  ${ids.get(name)}["${escaped(name, 60)}<br/>missing"]`),
    ...arrows,
    ...classes,
    ...marked("disabled", (node) => node.disabled === true),
    ...marked("failed", (node) => runOf(node)?.error !== undefined),
    ...(runs === undefined ? [] : marked("idle", (node) => runOf(node) === undefined))
  ].join("\n")
}

const classes = [
  "  classDef disabled stroke-dasharray:4,color:#999",
  "  classDef failed stroke:#c00,stroke-width:3px",
  "  classDef idle opacity:0.5"
]

/** Kinds with several outputs are drawn as decisions. */
const decisions = new Set(["if", "switch", "filter", "textClassifier"])

const shape = (node: JsonObject, label: string): string => {
  if (isTrigger(node)) return `(["${label}"])`
  return decisions.has(kindOf(node)) ? `{"${label}"}` : `["${label}"]`
}

const labelOf = (node: JsonObject, run: NodeRun | undefined): string => {
  const words = summaryOf(node, 50)
  const ran =
    run === undefined
      ? ""
      : run.error === undefined
        ? `${run.items.join("|")} items, ${run.milliseconds} ms`
        : run.error
  return [nameOf(node) || "(no name)", words, ran]
    .filter((part) => part !== "")
    .map((part) => escaped(part, 60))
    .join("<br/>")
}

/** Whatever could mean something to Mermaid, to Markdown or formulas in it, or to the page, as a character code. */
const escaped = (text: string, room: number): string =>
  clipped(oneLine(text), room).replaceAll(
    /[^\p{L}\p{N} .,:/_=+…×|()$'!?*@≥≤≠→-]|\$(?=\$)|(?<=^\d{1,9})\.(?= )|^[-+*](?= )/gu,
    (char) => `#${char.codePointAt(0) ?? 63};`
  )
