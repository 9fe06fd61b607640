/**
 * A computation without effects that stops between two of its items, with what it has worked through since by weight, so
 * that whoever runs it can let others have their turn there.
 */
export type Sliced<A> = Generator<number, A, void>

/** The results of work on every item; a weight stands for about as much work as one node of a workflow takes. */
export function* mapSliced<A, B>(
  items: Iterable<A>,
  work: (item: A) => B,
  weightOf: (item: A) => number = () => 1
): Sliced<ReadonlyArray<B>> {
  const results: Array<B> = []
  for (const item of items) {
    yield weightOf(item)
    results.push(work(item))
  }
  return results
}

/** Items of one slice of a sorting, of which comparing costs a tenth of what work on a node does. */
const sortedAtOnce = 64

/** The same as `toSorted`. */
export function* sortSliced<A>(items: ReadonlyArray<A>, compare: (a: A, b: A) => number): Sliced<ReadonlyArray<A>> {
  if (items.length <= sortedAtOnce) {
    yield items.length
    return items.toSorted(compare)
  }
  const half = Math.ceil(items.length / 2)
  const left = yield* sortSliced(items.slice(0, half), compare)
  const right = yield* sortSliced(items.slice(half), compare)
  const sorted: Array<A> = []
  let [at, from] = [0, 0]
  for (const one of left) {
    for (let other = right[from]; other !== undefined && compare(one, other) > 0; other = right[++from]) {
      sorted.push(other)
    }
    sorted.push(one)
    if (++at % sortedAtOnce === 0) yield sortedAtOnce / 4
  }
  return [...sorted, ...right.slice(from)]
}

/** The result of a computation that nobody else has to wait for. */
export const atOnce = <A>(sliced: Sliced<A>): A => {
  for (;;) {
    const { done, value } = sliced.next()
    if (done === true) return value
  }
}
