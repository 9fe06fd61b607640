import { Predicate } from "effect"

import { type JsonObject, listOf } from "../../internal/schema/JsonObject.ts"
import type { Connections } from "../client/models.ts"
import { nameOf } from "../client/nameOf.ts"
import { isTrigger, kindOf } from "./triggers.ts"
import { wiresOf } from "./wires.ts"

export type Position = readonly [x: number, y: number]

/** How far apart nodes stand in the editor. */
const column = 220
const row = 180

/** Nodes closer than this overlap. */
const isTaken = ([x, y]: Position, taken: ReadonlyArray<Position>): boolean =>
  taken.some(([left, top]) => Math.abs(left - x) < 160 && Math.abs(top - y) < 120)

/** Where a node stands; engines keep nodes that stand nowhere, or out of sight. */
export const positionOf = ({ position }: JsonObject): Position | undefined => {
  const [x, y]: ReadonlyArray<unknown> = listOf(position)
  return isCoordinate(x) && isCoordinate(y) ? [x, y] : undefined
}

/** Beyond this nobody looks, and steps get lost in the numbers. */
const isCoordinate = (value: unknown): value is number => Predicate.isNumber(value) && Math.abs(value) <= 1e7

/** Whether a node is only a note on the canvas. */
export const isStickyNote = (node: JsonObject): boolean => kindOf(node) === "stickyNote"

const placesOf = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Position> =>
  nodes
    .filter((node) => !isStickyNote(node))
    .map(positionOf)
    .filter((place) => place !== undefined)

/** The first free place, from this one downwards. */
const freeFrom = ([x, y]: Position, nodes: ReadonlyArray<JsonObject>): Position => {
  const taken = placesOf(nodes)
  let top = y
  while (isTaken([x, top], taken)) top += row
  return [x, top]
}

interface Neighbours {
  /** The node that leads to the new one. */
  readonly from?: JsonObject | undefined
  /** The node that the new one leads to. */
  readonly to?: JsonObject | undefined
  /** Whether the new node is a part of `to`: a model, a tool. */
  readonly isPart: boolean
}

/** Where a new node is put: beside its neighbours, where nothing stands yet. */
export const placeFor = (nodes: ReadonlyArray<JsonObject>, { from, isPart, to }: Neighbours): Position => {
  const before = from === undefined ? undefined : positionOf(from)
  const after = to === undefined ? undefined : positionOf(to)
  if (isPart && after !== undefined) return freeBeside([after[0], after[1] + row + 20], nodes)
  if (before !== undefined && after !== undefined && after[0] > before[0]) {
    return freeFrom([middle(before[0], after[0]), middle(before[1], after[1])], nodes)
  }
  if (before !== undefined) return freeFrom([before[0] + column, before[1]], nodes)
  if (after !== undefined) return freeFrom([after[0] - column, after[1]], nodes)
  const taken = placesOf(nodes)
  if (taken.length === 0) return [0, 0]
  return freeFrom([Math.min(...taken.map(([x]) => x)), Math.max(...taken.map(([, y]) => y)) + row], nodes)
}

const middle = (a: number, b: number) => Math.round((a + b) / 2)

/** The first free place, from this one to the right. */
const freeBeside = ([x, y]: Position, nodes: ReadonlyArray<JsonObject>): Position => {
  const taken = placesOf(nodes)
  let left = x
  while (isTaken([left, y], taken)) left += column
  return [left, y]
}

/**
 * Tidies up: every node right of those that lead to it, branches below each other, parts of AI nodes below their node.
 * Notes stay. What is tidy already stays as it is.
 */
export const arrange = (nodes: ReadonlyArray<JsonObject>, connections: Connections): ReadonlyArray<JsonObject> => {
  const moved = nodes.filter((node) => !isStickyNote(node))
  const [left, top] = cornerOf(moved)
  const cells = cellsOf(moved, connections)
  return nodes.map((node) => {
    const cell = isStickyNote(node) ? undefined : cells.get(nameOf(node))
    if (cell === undefined) return node
    const [x, y] = [left + cell.column * column, top + cell.row * row]
    const [oldX, oldY] = positionOf(node) ?? []
    return oldX === x && oldY === y ? node : { ...node, position: [x, y] }
  })
}

const cornerOf = (nodes: ReadonlyArray<JsonObject>): Position => {
  const taken = placesOf(nodes)
  return taken.length === 0 ? [0, 0] : [Math.min(...taken.map(([x]) => x)), Math.min(...taken.map(([, y]) => y))]
}

interface Cell {
  readonly column: number
  readonly row: number
}

const cellsOf = (nodes: ReadonlyArray<JsonObject>, connections: Connections): ReadonlyMap<string, Cell> => {
  const wires = wiresOf(connections)
  const names = new Set(nodes.map(nameOf))
  const main = wires.filter(({ source, target, type }) => type === "main" && names.has(source) && names.has(target))
  const parts = wires.filter(({ source, target, type }) => type !== "main" && names.has(source) && names.has(target))
  const isPart = new Set(parts.map(({ source }) => source))
  const targets = new Map<string, Array<string>>()
  for (const { source, target } of main) targets.set(source, [...(targets.get(source) ?? []), target])
  const following = (name: string) => targets.get(name) ?? []
  const columns = columnsOf(
    nodes.map(nameOf).filter((name) => !isPart.has(name)),
    following
  )
  const cells = new Map<string, Cell>()
  const taken = new Set<string>()
  const put = (name: string, at: Cell) => {
    let cell = at
    while (taken.has(`${cell.column} ${cell.row}`)) cell = { ...cell, row: cell.row + 1 }
    taken.add(`${cell.column} ${cell.row}`)
    cells.set(name, cell)
    return cell.row
  }
  const place = (name: string, from: number): void => {
    if (cells.has(name)) return
    const at = put(name, { column: columns.get(name) ?? 0, row: from })
    const own = parts.filter(({ target }) => target === name).map(({ source }) => source)
    for (const [index, part] of own.entries()) {
      if (!cells.has(part)) put(part, { column: (columns.get(name) ?? 0) + index, row: at + 1 })
    }
    for (const next of following(name)) place(next, at)
  }
  const reached = new Set(main.map(({ target }) => target))
  const roots = nodes.filter((node) => !isPart.has(nameOf(node)))
  const first = [
    ...roots.filter((node) => isTrigger(node) && !reached.has(nameOf(node))),
    ...roots.filter((node) => !isTrigger(node) && !reached.has(nameOf(node))),
    ...roots
  ]
  for (const node of first) {
    const below = cells.size === 0 ? 0 : Math.max(...[...cells.values()].map((cell) => cell.row)) + 1
    place(nameOf(node), below)
  }
  for (const part of isPart) if (!cells.has(part)) put(part, { column: 0, row: 0 })
  return cells
}

/** The longest way to each node, loops aside. */
const columnsOf = (
  names: ReadonlyArray<string>,
  following: (name: string) => ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  const columns = new Map(names.map((name) => [name, 0]))
  const back = backWires(names, following)
  for (let round = 0; round < names.length; round++) {
    let isStable = true
    for (const name of names) {
      for (const next of following(name)) {
        const wanted = (columns.get(name) ?? 0) + 1
        if (back.has(JSON.stringify([name, next])) || (columns.get(next) ?? 0) >= wanted) continue
        columns.set(next, wanted)
        isStable = false
      }
    }
    if (isStable) break
  }
  return columns
}

/** The wires that lead back to where a way came from. */
const backWires = (
  names: ReadonlyArray<string>,
  following: (name: string) => ReadonlyArray<string>
): ReadonlySet<string> => {
  const back = new Set<string>()
  const done = new Set<string>()
  const walk = (name: string, way: ReadonlySet<string>): void => {
    for (const next of following(name)) {
      if (way.has(next) || next === name) back.add(JSON.stringify([name, next]))
      else if (!done.has(next)) walk(next, new Set([...way, next]))
    }
    done.add(name)
  }
  for (const name of names) if (!done.has(name)) walk(name, new Set([name]))
  return back
}
