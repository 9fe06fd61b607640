import { Predicate } from "effect"

import type { Shape } from "./shapes.ts"

/** How an engine words what is wrong with a request. A path is `request/body/nodes/0`. */
export interface Words {
  /** Whether missing and unknown fields are told before wrong ones. */
  readonly demandsFirst: boolean
  readonly missing: (path: string, name: string, shape: Shape | undefined) => string
  readonly unknown: (path: string, names: ReadonlyArray<string>) => string
  readonly type: (path: string, expected: string, value: unknown) => string
  readonly choice: (path: string, allowed: ReadonlyArray<string>, value: unknown) => string
  readonly json: (path: string, value: unknown) => string
}

/** The words of 1.x engines. */
export const firstWords: Words = {
  demandsFirst: true,
  missing: (path, name) => `${path} must have required property '${name}'`,
  unknown: (path) => `${path} must NOT have additional properties`,
  type: (path, expected) => `${path} must be ${expected}`,
  choice: (path, allowed) => `${path} must be equal to one of the allowed values: ${allowed.join(", ")}`,
  json: (path, value) =>
    [
      ...(Predicate.isString(value) ? [`must match format "jsonString"`] : ["must be string"]),
      "must be object",
      "must match a schema in anyOf"
    ]
      .map((demand) => `${path} ${demand}`)
      .join(", ")
}

/** The words of 2.x engines. */
export const secondWords: Words = {
  demandsFirst: false,
  missing: (path, name, shape) =>
    shape?.is === "map" ? `${path}/${name} must be object` : `${path} must have required property '${name}'`,
  unknown: (path, names) => `${path} Unrecognized key(s) in object: ${quoted(names, ", ")}`,
  type: (path, expected, value) => `${path} Expected ${expected}, received ${typeName(value)}`,
  choice: (path, allowed, value) =>
    Predicate.isString(value)
      ? `${path} Invalid enum value. Expected ${quoted(allowed, " | ")}, received '${value}'`
      : `${path} Expected ${quoted(allowed, " | ")}, received ${typeName(value)}`,
  json: (path, value) => (Predicate.isString(value) ? `${path} must be a JSON string` : `${path} Invalid input`)
}

const quoted = (names: ReadonlyArray<string>, separator: string) => names.map((name) => `'${name}'`).join(separator)

/** What a value is called: `null` and `array` are told apart from `object`. */
export const typeName = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
