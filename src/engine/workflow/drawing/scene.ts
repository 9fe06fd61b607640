import { Predicate } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { shortType } from "../naming.ts"
import { nameOf, nodesOf } from "../nodes.ts"
import { isStickyNote, type Position, positionOf } from "../placing.ts"
import type { NodeRun } from "../runs.ts"
import { summaryOf } from "../summary.ts"
import { isTrigger, kindOf } from "../triggers.ts"
import { edgesOf } from "../wires.ts"
import { type Box, type Fate, lookOf, missingLook, type Scene, type SceneNode, type SceneNote } from "./model.ts"
import { middlesOf, partSize, stepSize } from "./places.ts"
import { fit, plain, wrap } from "./text.ts"
import { type End, portsOf, wiringOf } from "./wiring.ts"

type Runs = ReadonlyMap<string, NodeRun>

/** Above this number a drawing says less of each node. */
const many = 600

/** A workflow, and a run of it where there is one, with a place for everything that is drawn. */
export const sceneOf = (workflow: JsonObject, runs?: Runs): Scene => {
  const all = nodesOf(workflow)
  const nodes = all.filter((node) => !isStickyNote(node))
  const edges = edgesOf(workflow.connections)
  const parts = new Set(edges.filter(({ type }) => type !== "main").map(({ source }) => source))
  const ports = portsOf(edges)
  const { middles, stretch } = middlesOf(nodes, edges, parts)
  const pins = objectOf(workflow.pinData)
  const isLarge = nodes.length > many
  const drawn = nodes.map((node, place): SceneNode => {
    const name = nameOf(node)
    const isPart = parts.has(name)
    return {
      ...boxAround(middles[place] ?? [0, 0], isPart ? partSize : stepSize, ports.get(name) ?? 1),
      ...fateOf(name, runs),
      name: plain(name) || "(no name)",
      kind: Predicate.isString(node.type) ? plain(shortType(node.type)) : "?",
      words: isLarge ? "" : plain(summaryOf(node, 90)),
      look: lookOf(kindOf(node)),
      role: isPart ? "part" : isTrigger(node) ? "trigger" : "step",
      isDisabled: node.disabled === true,
      isPinned: Object.hasOwn(pins, name)
    }
  })
  const ends = new Map<string, End>()
  for (const [place, node] of nodes.entries()) {
    const box = drawn[place]
    if (box !== undefined && !ends.has(nameOf(node))) ends.set(nameOf(node), { node, box })
  }
  const missing = missingOf(
    edges.map(({ source, target }) => [source, target] as const),
    ends
  )
  for (const [name, box] of missing) ends.set(name, { node: undefined, box })
  const sceneNodes = [...drawn, ...missing.map(([, node]) => node)]
  const notes = all.filter(isStickyNote).map((note) => noteOf(note, stretch))
  return {
    ...around([...sceneNodes, ...notes]),
    name: Predicate.isString(workflow.name) ? plain(workflow.name) : "",
    nodes: sceneNodes,
    notes,
    ...wiringOf({ edges, ends, runs })
  }
}

const boxAround = ([x, y]: Position, { height, width }: typeof stepSize, ports: number): Box => {
  const tall = Math.max(height, 12 + 22 * ports)
  return { x: x - width / 2, y: y - tall / 2, width, height: tall }
}

const fateOf = (
  name: string,
  runs: Runs | undefined
): { readonly fate: Fate | undefined; readonly runText: string } => {
  if (runs === undefined) return { fate: undefined, runText: "" }
  const run = runs.get(name)
  if (run === undefined) return { fate: "idle", runText: "" }
  if (run.error !== undefined) return { fate: "failed", runText: plain(run.error) }
  const items = run.items.reduce((sum, count) => sum + count, 0)
  const times = run.times > 1 ? `${run.times} runs · ` : ""
  return { fate: "ran", runText: `${times}${items} ${items === 1 ? "item" : "items"} · ${run.milliseconds} ms` }
}

/** The ends of arrows that do not exist, drawn beside the nodes that they are connected with. */
const missingOf = (
  pairs: ReadonlyArray<readonly [source: string, target: string]>,
  ends: ReadonlyMap<string, End>
): ReadonlyArray<readonly [name: string, node: SceneNode]> => {
  const missing = new Map<string, SceneNode>()
  for (const [source, target] of pairs) {
    const beside = ends.get(source) ?? ends.get(target)
    const name = ends.has(source) ? target : source
    if (beside === undefined || ends.has(name) || missing.has(name) || missing.size >= 200) continue
    const side = name === target ? 1 : -1
    missing.set(name, {
      x: beside.box.x + side * (stepSize.width + 60),
      y: beside.box.y + 90,
      ...partSize,
      name: plain(name) || "(no name)",
      kind: "missing",
      words: "is not there",
      look: missingLook,
      role: "missing",
      isDisabled: false,
      isPinned: false,
      fate: undefined,
      runText: ""
    })
  }
  return [...missing]
}

const noteOf = (note: JsonObject, [across, down]: Position): SceneNote => {
  const { color, content, height, width } = objectOf(note.parameters)
  const [x, y] = positionOf(note) ?? [0, 0]
  const size = (value: unknown, usual: number) =>
    Predicate.isNumber(value) ? Math.min(Math.max(value, 40), 20_000) : usual
  const box = { width: size(width, 240) * across, height: size(height, 160) * down }
  const lines = (Predicate.isString(content) ? content : "")
    .split("\n")
    .map((line) => plain(line.replace(/^#+\s*|[*_`]{1,3}/g, "")))
    .filter((line) => line !== "")
    .slice(0, 30)
    .flatMap((line) => wrap(line, box.width - 24, 12, 6))
  const most = Math.max(1, Math.floor((box.height - 18) / 16))
  return {
    x: x * across,
    y: y * down,
    ...box,
    lines: lines.slice(0, most).map((line) => fit(line, box.width - 20, 12)),
    colour: Predicate.isNumber(color) && color >= 1 && color <= 7 ? Math.floor(color) : 1
  }
}

/** Free space around everything, more of it below: words of a run stand there. */
const margin = { beside: 44, above: 28, below: 52 }

const around = (boxes: ReadonlyArray<Box>): Box => {
  if (boxes.length === 0) return { x: 0, y: 0, width: 320, height: 120 }
  const edge = (pick: (box: Box) => number, choose: (a: number, b: number) => number) =>
    boxes.map(pick).reduce((a, b) => choose(a, b))
  const left = edge(({ x }) => x, Math.min) - margin.beside
  const top = edge(({ y }) => y, Math.min) - margin.above
  const right = edge(({ width, x }) => x + width, Math.max) + margin.beside
  const bottom = edge(({ height, y }) => y + height, Math.max) + margin.below
  return { x: left, y: top, width: right - left, height: bottom - top }
}
