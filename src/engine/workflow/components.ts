/**
 * The strongly connected parts of a graph, each of which comes after all those that it leads to (Tarjan, without recursion:
 * people and attackers chain thousands of nodes).
 */
export const componentsOf = (
  names: Iterable<string>,
  next: (name: string) => ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> => {
  const components: Array<ReadonlyArray<string>> = []
  const indexes = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: Array<string> = []
  const isOnStack = new Set<string>()
  const lower = (name: string, index: number) => lowest.set(name, Math.min(lowest.get(name) ?? index, index))
  const visit = (name: string) => {
    indexes.set(name, indexes.size)
    lower(name, indexes.size - 1)
    stack.push(name)
    isOnStack.add(name)
    return { name, targets: next(name), at: 0 }
  }
  for (const root of names) {
    if (indexes.has(root)) continue
    const open = [visit(root)]
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      const target = frame.targets[frame.at]
      if (target !== undefined) {
        frame.at += 1
        if (!indexes.has(target)) open.push(visit(target))
        else if (isOnStack.has(target)) lower(frame.name, indexes.get(target) ?? 0)
        continue
      }
      open.pop()
      const parent = open.at(-1)
      if (parent !== undefined) lower(parent.name, lowest.get(frame.name) ?? 0)
      if (lowest.get(frame.name) !== indexes.get(frame.name)) continue
      const component = stack.splice(stack.lastIndexOf(frame.name))
      for (const member of component) isOnStack.delete(member)
      components.push(component)
    }
  }
  return components
}

/** Whether one node leads to another over at least one connection; each node is looked at once, whoever asks how often. */
export const reachabilityOf = (
  names: Iterable<string>,
  next: (name: string) => ReadonlyArray<string>
): ((from: string, to: string) => boolean) => {
  const places = new Map<string, number>()
  const sets: Array<Uint32Array> = []
  const components = componentsOf(names, next)
  for (const [place, component] of components.entries()) for (const member of component) places.set(member, place)
  for (const [place, component] of components.entries()) {
    const set = new Uint32Array(Math.ceil((place + 1) / 32))
    for (const member of component) {
      for (const target of next(member)) {
        const reached = places.get(target) ?? 0
        set[reached >>> 5] = (set[reached >>> 5] ?? 0) | (1 << (reached & 31))
        if (reached === place) continue
        const others = sets[reached] ?? new Uint32Array()
        for (let word = 0; word < others.length; word++) set[word] = (set[word] ?? 0) | (others[word] ?? 0)
      }
    }
    sets.push(set)
  }
  return (from, to) => {
    const [source, target] = [places.get(from), places.get(to)]
    if (source === undefined || target === undefined) return false
    return (((sets[source] ?? new Uint32Array())[target >>> 5] ?? 0) & (1 << (target & 31))) !== 0
  }
}
