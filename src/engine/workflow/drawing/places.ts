import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Connections } from "../models.ts"
import { nameOf } from "../nodes.ts"
import { arrange, type Position, positionOf } from "../placing.ts"
import type { Edge } from "../wires.ts"
import type { Box } from "./model.ts"

/** Sizes of what is drawn. */
export const stepSize = { width: 200, height: 56 }
export const partSize = { width: 152, height: 44 }
/** The size of a node in the editor; ours is drawn around the same middle. */
const drawnSize = 100

/** Gaps that are left between two nodes beside and below each other. */
const gap = { beside: 52, below: 48 }

/** Nodes whose own places are worth arranging anew; more take too long. */
const mostArranged = 400

/**
 * The middle of every node, in the order of the nodes: where its editor shows it, with the distances stretched so that our
 * wider nodes do not touch. Where the places say nothing, the nodes are arranged.
 */
export const middlesOf = (
  nodes: ReadonlyArray<JsonObject>,
  edges: ReadonlyArray<Edge>,
  parts: ReadonlySet<string>
): { readonly middles: ReadonlyArray<Position>; readonly stretch: Position } => {
  const places = placesOf(nodes, edges).map(([x, y]): Position => [x + drawnSize / 2, y + drawnSize / 2])
  const widths = nodes.map((node) => (parts.has(nameOf(node)) ? partSize : stepSize).width)
  const stretch: Position = [
    stretchOf(places, widths, gap.beside, 0),
    stretchOf(
      places,
      nodes.map(() => stepSize.height),
      gap.below,
      1
    )
  ]
  return { middles: places.map(([x, y]) => [Math.round(x * stretch[0]), Math.round(y * stretch[1])]), stretch }
}

const placesOf = (nodes: ReadonlyArray<JsonObject>, edges: ReadonlyArray<Edge>): ReadonlyArray<Position> => {
  const positions = nodes.map(positionOf)
  const distinct = new Set(positions.map((place) => String(place)))
  const isTelling = !positions.includes(undefined) && distinct.size * 2 > nodes.length
  if (isTelling) return positions.map((place) => place ?? [0, 0])
  const arranged =
    nodes.length <= mostArranged ? arrange(nodes, connectionsOf(edges)).map(positionOf) : nodes.map(() => undefined)
  const columns = Math.ceil(Math.sqrt(nodes.length))
  return arranged.map((place, at) => place ?? [(at % columns) * 220, Math.floor(at / columns) * 180])
}

interface End extends JsonObject {
  readonly node: string
  readonly type: string
  readonly index: number
}

/** Kept in maps on the way: a node may be called `__proto__`. */
const connectionsOf = (edges: ReadonlyArray<Edge>): Connections => {
  const outgoing = new Map<string, Map<string, Array<Array<End>>>>()
  for (const { input, output, source, target, targetType, type } of edges) {
    const types = outgoing.get(source) ?? new Map<string, Array<Array<End>>>()
    const outputs = types.get(type) ?? []
    outgoing.set(source, types.set(type, outputs))
    while (outputs.length <= output && outputs.length < 100) outputs.push([])
    outputs[output]?.push({ node: target, type: targetType, index: input })
  }
  return Object.fromEntries([...outgoing].map(([source, types]) => [source, Object.fromEntries(types)]))
}

/** The factor by which distances along an axis are stretched, so that neighbours keep their gap; overlapping nodes stay so. */
const stretchOf = (places: ReadonlyArray<Position>, sizes: ReadonlyArray<number>, gap: number, axis: 0 | 1): number => {
  const across = 1 - axis === 0 ? 0 : 1
  const order = places
    .map((place, at) => ({ along: place[axis], lane: Math.round(place[across] / 60), size: sizes[at] ?? 0 }))
    .toSorted((a, b) => a.lane - b.lane || a.along - b.along)
  const wanted = order.flatMap((one, at) => {
    const next = order[at + 1]
    if (next === undefined || next.lane !== one.lane || next.along - one.along < 60) return []
    return [((one.size + next.size) / 2 + gap) / (next.along - one.along)]
  })
  return Math.min(Math.max(0.75, ...wanted.slice(0, 5000)), 1.7)
}
/** Room that an arrow takes below a box. */
const roomForArrow = 40
/** A height below two boxes, and below those between them that would be in the way there. */

export const freeBelow = (from: Box, to: Box, boxes: ReadonlyArray<Box>): number => {
  const left = Math.min(from.x, to.x)
  const right = Math.max(from.x + from.width, to.x + to.width)
  const between = boxes.filter(({ width, x }) => x < right && x + width > left).toSorted((a, b) => a.y - b.y)
  return between.reduce(
    (low, { height, y }) => (y < low + 12 && y + height + roomForArrow > low ? y + height + roomForArrow : low),
    Math.max(from.y + from.height, to.y + to.height) + roomForArrow
  )
}
