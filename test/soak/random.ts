/** Numbers that look random and are the same for the same seed. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    /** A whole number from 0 up to but without the limit. */
    below: (limit: number) => Math.floor(next() * limit),
    /** One of these, as often as their weights say. */
    pick: <A>(choices: ReadonlyArray<readonly [weight: number, value: A]>): A => {
      let at = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of choices) if ((at -= weight) < 0) return value
      const last = choices.at(-1)
      if (last === undefined) throw new Error("nothing to choose from")
      return last[1]
    }
  }
}
export type Random = ReturnType<typeof randomOf>
