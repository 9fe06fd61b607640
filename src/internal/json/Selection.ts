/**
 * What of a JSON value is wanted: the whole, nothing, or what the function says of each of its fields and elements. What
 * is not wanted may come as `null`, so that names, places and counts stay as they are.
 */
export type Selection = "whole" | "nothing" | ((key: string | number) => Selection)

/** Selects all fields of an object, the named ones as given. */
export const fields =
  (named: Readonly<Record<string, Selection>>): Selection =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "whole"

/** Selects only the named fields of an object, as given. */
export const only =
  (named: Readonly<Record<string, Selection>>): Selection =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "nothing"

/** Selects the same of every field or element. */
export const each =
  (selection: Selection): Selection =>
  () =>
    selection
