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
