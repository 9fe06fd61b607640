import { Predicate } from "effect"

import { listOf, objectOf } from "../internal/schema/JsonObject.ts"
import { maskSecrets } from "../internal/secrets/maskSecrets.ts"

/** Arguments of a tool. */
export type Args = Readonly<Record<string, unknown>>

/** A text in the answer of a tool, read with care: another version of the server, or of an engine, may say other things. */
export const textOf = (value: unknown): string =>
  Predicate.isString(value) ? value : Predicate.isNumber(value) ? String(value) : ""

export const numberOf = (value: unknown): number => (Predicate.isNumber(value) ? value : 0)

export const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(textOf).filter((text) => text !== "") : []

/** Names of tags, which are texts or objects. */
export const tagNames = (tags: unknown): ReadonlyArray<string> =>
  listOf(tags).map((tag: unknown) => textOf(tag) || textOf(objectOf(tag).name))

/** JSON as people read it, without secrets. */
export const pretty = (value: unknown): string => JSON.stringify(maskSecrets(value), undefined, 2) ?? ""
