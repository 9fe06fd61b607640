/** Makes a value when it is first needed, and keeps it. */
export const lazy = <A>(make: () => A): (() => A) => {
  let value: { readonly made: A } | undefined
  return () => (value ??= { made: make() }).made
}

const memoizables = new WeakSet<object>()

/** The object, which stays as it is, and for long: memoized functions keep what they make of it. */
export const memoizable = <A extends object>(object: A): A => {
  memoizables.add(object)
  return object
}

export const isMemoizable = (object: object): boolean => memoizables.has(object)

/**
 * The same function, memoized by its first argument: what it makes of an object that is memoizable it makes once, and that
 * is memoizable then, too. The second argument must follow from the object. Of other objects nothing is kept.
 */
export const memoized = <A extends object, B extends object | string, Given = void>(
  make: (object: A, given: Given) => B
): ((object: A, given: Given) => B) => {
  const made = new WeakMap<A, B>()
  return (object, given) => {
    if (!isMemoizable(object)) return make(object, given)
    const former = made.get(object)
    if (former !== undefined) return former
    const fresh = make(object, given)
    made.set(object, fresh)
    if (typeof fresh === "object") memoizable(fresh)
    return fresh
  }
}

/**
 * A map that forgets what was not given again for long, so that it never weighs more than `most`. It forgets half of it
 * at once and moves nothing meanwhile: a map whose entries come and go makes its tables anew all the time, each of which
 * keeps those after it, and all that they held, in memory until the whole heap is looked through.
 */
export class BoundedCache<V> {
  private fresh = new Map<string, V>()
  private stale = new Map<string, V>()
  private weight = 0
  private readonly most: number
  private readonly weightOf: (value: V) => number

  constructor(most: number, weightOf: (value: V) => number = () => 1) {
    this.most = most
    this.weightOf = weightOf
  }

  get(key: string): V | undefined {
    return this.fresh.get(key) ?? this.stale.get(key)
  }

  /** The value under the key; if there is none, the given one, which is kept. */
  keep(key: string, value: () => V): V {
    const fresh = this.fresh.get(key)
    if (fresh !== undefined) return fresh
    const kept = this.stale.get(key) ?? value()
    this.put(key, kept)
    return kept
  }

  /** Keeps the value in place of the one under the key. */
  put(key: string, value: V) {
    const former = this.fresh.get(key)
    const weight = this.weightOf(value)
    if (former !== undefined) this.weight -= this.weightOf(former)
    if (weight > this.most / 2) {
      this.fresh.delete(key)
      this.stale.delete(key)
      return
    }
    if (this.weight + weight > this.most / 2) {
      this.stale = this.fresh
      this.fresh = new Map()
      this.weight = 0
    }
    this.fresh.set(key, value)
    this.weight += weight
  }
}
