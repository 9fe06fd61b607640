/**
 * What of a JSON value is wanted: the whole, nothing, or what the function says of each of its fields and elements. What
 * is not wanted may come as `null`, so that names, places and counts stay as they are.
 */
export type Selection = "whole" | "nothing" | ((key: string | number) => Selection)

/** Of an object all fields, but for what is said of those that are named. */
export const fields =
  (named: Readonly<Record<string, Selection>>): Selection =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "whole"

/** Of an object only what is said of those fields that are named. */
export const only =
  (named: Readonly<Record<string, Selection>>): Selection =>
  (key) =>
    (Object.hasOwn(named, key) ? named[key] : undefined) ?? "nothing"

/** The same of every field or element. */
export const each =
  (selection: Selection): Selection =>
  () =>
    selection
