/** The depth of calls from every one of some things, and the calls that lead back around a circle. */
export interface Levels {
  readonly levelOf: (id: string) => number
  /** Whether a call closes a circle, so that what is called cannot come first. */
  readonly isBack: (from: string, to: string) => boolean
}

/** Levels of a graph of calls: what is called is below what calls it, but for calls that close a circle. */
export const levels = (calls: ReadonlyMap<string, ReadonlyArray<string>>): Levels => {
  const levelById = new Map<string, number>()
  const back = new Set<string>()
  const open = new Set<string>()

  for (const root of [...calls.keys()].toSorted()) {
    const trail: Array<{ readonly id: string; readonly left: Array<string> }> = []
    const enter = (id: string) => {
      open.add(id)
      const called = [...new Set(calls.get(id) ?? [])].filter((one) => calls.has(one)).toSorted()
      trail.push({ id, left: called })
    }
    if (!levelById.has(root)) enter(root)
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const next = top.left.shift()
      if (next === undefined) {
        const { id } = top
        const below = (calls.get(id) ?? []).filter((one) => calls.has(one) && !back.has(edge(id, one)))
        levelById.set(id, Math.max(-1, ...below.map((one) => levelById.get(one) ?? 0)) + 1)
        open.delete(id)
        trail.pop()
      } else if (open.has(next)) back.add(edge(top.id, next))
      else if (!levelById.has(next)) enter(next)
    }
  }
  return { levelOf: (id) => levelById.get(id) ?? 0, isBack: (from, to) => back.has(edge(from, to)) }
}

const edge = (from: string, to: string) => JSON.stringify([from, to])
