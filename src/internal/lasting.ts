const lastingObjects = new WeakSet<object>()

/** The object, which stays as it is, and for long: what `onceOf` makes of it is made once. */
export const lasting = <A extends object>(object: A): A => {
  lastingObjects.add(object)
  return object
}

export const isLasting = (object: object): boolean => lastingObjects.has(object)

/**
 * The same function, which makes nothing twice of an object that is lasting; what it makes is lasting then, too. What else
 * it is given must follow from the object. Of other objects nothing is kept.
 */
export const onceOf = <A extends object, B extends object | string, Given = void>(
  make: (object: A, given: Given) => B
): ((object: A, given: Given) => B) => {
  const made = new WeakMap<A, B>()
  return (object, given) => {
    if (!isLasting(object)) return make(object, given)
    const known = made.get(object)
    if (known !== undefined) return known
    const fresh = make(object, given)
    made.set(object, fresh)
    if (typeof fresh === "object") lasting(fresh)
    return fresh
  }
}
