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
