import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { outputName } from "../outputs.ts"
import type { NodeRun } from "../runs.ts"
import type { Edge } from "../wires.ts"
import type { Box, Fate, SceneLabel, SceneWire } from "./model.ts"
import { freeBelow } from "./places.ts"
import { fit, plain, round } from "./text.ts"

/** An end of arrows: the node as it is kept, and where it is drawn. */
export interface End {
  readonly node: JsonObject | undefined
  readonly box: Box
}

interface Wiring {
  readonly edges: ReadonlyArray<Edge>
  readonly ends: ReadonlyMap<string, End>
  readonly runs: ReadonlyMap<string, NodeRun> | undefined
}

/** Outputs that a node is drawn with at most; arrows of later ones leave at the last. */
const mostPorts = 40

/** The number of places for arrows that a node needs on either side, by name. */
export const portsOf = (edges: ReadonlyArray<Edge>): ReadonlyMap<string, number> => {
  const ports = new Map<string, number>()
  const need = (name: string, count: number) =>
    ports.set(name, Math.min(Math.max(ports.get(name) ?? 1, count), mostPorts))
  for (const { input, output, source, target, type } of edges) {
    if (type !== "main") continue
    need(source, output + 1)
    need(target, input + 1)
  }
  return ports
}

/** The arrows, and the words at them. */
export const wiringOf = (wiring: Wiring): { wires: ReadonlyArray<SceneWire>; labels: ReadonlyArray<SceneLabel> } => {
  const sides = sidesOf(wiring.edges)
  const roles = rolesOf(wiring.edges)
  const labels = new Map<string, SceneLabel>()
  const boxes = [...wiring.ends.values()].map(({ box }) => box)
  const wires = wiring.edges.flatMap((edge): ReadonlyArray<SceneWire> => {
    const [from, to] = [wiring.ends.get(edge.source), wiring.ends.get(edge.target)]
    if (from === undefined || to === undefined) return []
    const isPart = edge.type !== "main"
    const key = JSON.stringify(isPart ? [edge.target, edge.type] : [edge.source, edge.output])
    const fate = fateOf(edge, wiring.runs)
    const shared = { source: edge.source, target: edge.target, isPart, fate }
    if (isPart) {
      const types = roles.get(edge.target) ?? []
      const x = to.box.x + (to.box.width * (types.indexOf(edge.type) + 1)) / (types.length + 1)
      const y = to.box.y + to.box.height
      labels.set(key, { x, y: y + 13, text: roleOf(edge.type), isPart })
      return [{ ...shared, path: upwards(from.box.x + from.box.width / 2, from.box.y, x, y) }]
    }
    const counts = { outputs: sides.outputs.get(edge.source) ?? 1, inputs: sides.inputs.get(edge.target) ?? 1 }
    const [x, y] = [from.box.x + from.box.width, portAt(from.box, edge.output, counts.outputs)]
    const label = fit(plain(outputName(from.node, edge.output)), 76, 10)
    if (label !== "") labels.set(key, { x: x + 7, y: y - 5, text: label, isPart })
    const goal = [to.box.x, portAt(to.box, edge.input, counts.inputs)] as const
    const path = leadsOn(x, goal[0]) ? onwards([x, y], goal) : back([x, y], goal, freeBelow(from.box, to.box, boxes))
    return [{ ...shared, path }]
  })
  return { wires, labels: [...labels.values()] }
}

const sidesOf = (edges: ReadonlyArray<Edge>) => {
  const [outputs, inputs] = [new Map<string, number>(), new Map<string, number>()]
  const grow = (side: Map<string, number>, name: string, count: number) =>
    side.set(name, Math.min(Math.max(side.get(name) ?? 1, count), mostPorts))
  for (const { input, output, source, target, type } of edges) {
    if (type !== "main") continue
    grow(outputs, source, output + 1)
    grow(inputs, target, input + 1)
  }
  return { outputs, inputs }
}

/** The kinds of parts that each node has. */
const rolesOf = (edges: ReadonlyArray<Edge>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const roles = new Map<string, ReadonlyArray<string>>()
  for (const { target, type } of edges) {
    const types = roles.get(target) ?? []
    if (type !== "main" && !types.includes(type)) roles.set(target, [...types, type])
  }
  return roles
}

/** `ai_languageModel` as people say it. */
const roleOf = (type: string): string =>
  fit(
    plain(
      type
        .replace(/^ai_(?:language(?=M))?/, "")
        .replaceAll(/([A-Z])/g, " $1")
        .toLowerCase()
    ),
    80,
    10
  )

const portAt = ({ height, y }: Box, place: number, count: number): number =>
  y + (height * (Math.min(place, count - 1) + 1)) / (count + 1)

const fateOf = ({ output, source, target, type }: Edge, runs: Wiring["runs"]): Fate | undefined => {
  if (runs === undefined) return undefined
  const [from, to] = [runs.get(source), runs.get(target)]
  if (from === undefined || to === undefined) return "idle"
  return type !== "main" || (from.items[output] ?? 0) > 0 ? "ran" : "idle"
}

const upwards = (x: number, y: number, toX: number, toY: number): string => {
  const bend = Math.max(24, Math.abs(y - toY) / 2)
  return `M${at(x, y)}C${at(x, y - bend)} ${at(toX, toY + bend)} ${at(toX, toY)}`
}

type Point = readonly [x: number, y: number]

/** Whether there is room for an arrow from left to right. */
const leadsOn = (x: number, toX: number): boolean => toX - x >= 16

/** From left to right in one bend. */
const onwards = ([x, y]: Point, [toX, toY]: Point): string => {
  const bend = Math.max(28, Math.min((toX - x) / 2, 160))
  return `M${at(x, y)}C${at(x + bend, y)} ${at(toX - bend, toY)} ${at(toX, toY)}`
}

/** An arrow from right to left, which goes round below. */
const back = ([x, y]: Point, [toX, toY]: Point, low: number): string => {
  const middle = (x + toX) / 2
  return `M${at(x, y)}C${at(x + 64, y)} ${at(x + 64, low)} ${at(middle, low)}S${at(toX - 64, toY)} ${at(toX, toY)}`
}

const at = (x: number, y: number): string => `${round(x)} ${round(y)}`
