/** Items by a key, each group in their order. */
export const grouped = <A, K>(items: Iterable<A>, keyOf: (item: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** An element of a linked set; it can be in one set at a time. */
export abstract class Linked<Self> {
  isThere = false
  before: Self | undefined
  after: Self | undefined
}

/**
 * Elements that come and go all the time, in the order in which they came. The table of a `Set` that has lived for long is made anew
 * again and again; each holds the next one and what was in it, and V8 lets none of them go until it has looked through the
 * whole heap. Here nobody holds what has left.
 */
export class LinkedSet<A extends Linked<A>> implements Iterable<A> {
  private first: A | undefined
  private last: A | undefined

  get isEmpty() {
    return this.first === undefined
  }

  /** Adds an element that is in no set at the end. */
  add(one: A): A {
    one.isThere = true
    one.before = this.last
    if (this.last === undefined) this.first = one
    else this.last.after = one
    this.last = one
    return one
  }

  /** Removes an element, if it is still there. */
  delete(one: A) {
    if (!one.isThere) return
    const { after, before } = one
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.last = before
    else after.before = before
    one.isThere = false
    one.before = undefined
    one.after = undefined
  }

  /** The elements that are there now, whatever is added or removed meanwhile. */
  *[Symbol.iterator]() {
    const all: Array<A> = []
    for (let one = this.first; one !== undefined; one = one.after) all.push(one)
    yield* all
  }
}
