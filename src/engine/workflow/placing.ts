import { Predicate } from "effect"

import { type JsonObject, listOf } from "../../internal/schema/JsonObject.ts"
import type { Connections } from "./models.ts"
import { nameOf } from "./nodes.ts"
import { isTrigger, kindOf } from "./triggers.ts"
import { type Wire, wiresOf } from "./wires.ts"

export type Position = readonly [x: number, y: number]

/** The distances between nodes in the editor. */
const column = 220
const row = 180

/** Nodes closer than this overlap. */
const isTaken = ([x, y]: Position, taken: ReadonlyArray<Position>): boolean =>
  taken.some(([left, top]) => Math.abs(left - x) < 160 && Math.abs(top - y) < 120)

/** The position of a node; engines keep nodes without one, or out of sight. */
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

/** The place for a new node: the next free one beside its neighbours. */
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
  const [first, ...others] = placesOf(nodes)
  return first === undefined
    ? [0, 0]
    : others.reduce<Position>(([x, y], [left, top]) => [Math.min(x, left), Math.min(y, top)], first)
}

interface Cell {
  readonly column: number
  readonly row: number
}

const cellsOf = (nodes: ReadonlyArray<JsonObject>, connections: Connections): ReadonlyMap<string, Cell> => {
  const wires = wiresOf(connections)
  const names = new Set(nodes.map(nameOf))
  const inside = wires.filter(({ source, target }) => names.has(source) && names.has(target))
  const main = inside.filter(({ type }) => type === "main")
  const parts = inside.filter(({ type }) => type !== "main")
  const isPart = new Set(parts.map(({ source }) => source))
  const following = listsOf(main, ({ source, target }) => [source, target])
  const partsOf = listsOf(parts, ({ source, target }) => [target, source])
  const columns = columnsOf(
    nodes.map(nameOf).filter((name) => !isPart.has(name)),
    following
  )
  const cells = new Map<string, Cell>()
  const taken = new Set<string>()
  /** The ends of searches for a free row of a column, by their beginnings. */
  const free = new Map<string, number>()
  let below = 0
  const put = (name: string, { column, row: wanted }: Cell) => {
    const from = `${column} ${wanted}`
    let row = free.get(from) ?? wanted
    while (taken.has(`${column} ${row}`)) row = Math.max(row + 1, free.get(`${column} ${row}`) ?? 0)
    taken.add(`${column} ${row}`)
    free.set(from, row + 1)
    cells.set(name, { column, row })
    below = Math.max(below, row + 1)
    return row
  }
  const place = (root: string, from: number): void => {
    const open = [{ name: root, from }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { name } = next
      if (cells.has(name)) continue
      const column = columns.get(name) ?? 0
      const row = put(name, { column, row: next.from })
      for (const [index, part] of partsOf(name).entries()) {
        if (!cells.has(part)) put(part, { column: column + index, row: row + 1 })
      }
      for (const one of following(name).toReversed()) if (!cells.has(one)) open.push({ name: one, from: row })
    }
  }
  const reached = new Set(main.map(({ target }) => target))
  const roots = nodes.filter((node) => !isPart.has(nameOf(node)))
  const first = [
    ...roots.filter((node) => isTrigger(node) && !reached.has(nameOf(node))),
    ...roots.filter((node) => !isTrigger(node) && !reached.has(nameOf(node))),
    ...roots
  ]
  for (const node of first) place(nameOf(node), below)
  for (const part of isPart) if (!cells.has(part)) put(part, { column: 0, row: 0 })
  return cells
}

/** The other names of each name's wires, in their order. */
const listsOf = (
  wires: ReadonlyArray<Wire>,
  pairOf: (wire: Wire) => readonly [name: string, other: string]
): ((name: string) => ReadonlyArray<string>) => {
  const lists = new Map<string, Array<string>>()
  for (const [name, other] of wires.map(pairOf)) {
    const list = lists.get(name)
    if (list === undefined) lists.set(name, [other])
    else list.push(other)
  }
  return (name) => lists.get(name) ?? []
}

/** The longest way to each node, without the wires that lead back to where a way came from. */
const columnsOf = (
  names: ReadonlyArray<string>,
  following: (name: string) => ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  const { back, finished } = explored(names, following)
  const columns = new Map(names.map((name) => [name, 0]))
  // Who finishes last leads to all that finished before, so that each way is whole when it is gone on with.
  for (const name of finished.toReversed()) {
    for (const next of following(name)) {
      if (back.get(name)?.has(next) === true) continue
      columns.set(next, Math.max(columns.get(next) ?? 0, (columns.get(name) ?? 0) + 1))
    }
  }
  return columns
}

/** The wires that lead back, and the nodes in the order in which all that they lead to was seen. */
const explored = (names: ReadonlyArray<string>, following: (name: string) => ReadonlyArray<string>) => {
  const back = new Map<string, Set<string>>()
  const finished: Array<string> = []
  const isOnWay = new Set<string>()
  const seen = new Set<string>()
  const enter = (name: string) => {
    seen.add(name)
    isOnWay.add(name)
    return { name, targets: following(name), at: 0 }
  }
  for (const root of names) {
    if (seen.has(root)) continue
    const way = [enter(root)]
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const target = step.targets[step.at]
      step.at += 1
      if (target === undefined) {
        finished.push(step.name)
        isOnWay.delete(step.name)
        way.pop()
      } else if (isOnWay.has(target)) back.set(step.name, (back.get(step.name) ?? new Set()).add(target))
      else if (!seen.has(target)) way.push(enter(target))
    }
  }
  return { back, finished }
}
