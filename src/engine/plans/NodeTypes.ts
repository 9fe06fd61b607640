import { Predicate } from "effect"

import { listed } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/models.ts"
import { shortType, toEngineType } from "../workflow/naming.ts"

/** The node types of the target, as far as they are known. */
export interface NodeTypes {
  /** The reason for which its engine cannot run a node; nothing where it can, or where nobody knows. */
  readonly problemOf: (node: JsonObject) => string | undefined
  readonly isKnown: (node: JsonObject) => boolean
  /** The reason for which somebody does not know, and advice about it. */
  readonly hint: string | undefined
  /** The version of its engine, if it lets nobody create or change nodes of deprecated types. */
  readonly freezingVersion?: string | undefined
}

/** A type and its version as one text. */
export const versioned = ({ type, typeVersion }: JsonObject): string =>
  `${toEngineType(String(type))} ${Predicate.isNumber(typeVersion) ? typeVersion : 1}`

/** The nodes that the engine of the target cannot run. */
export const impossible = ({ problemOf }: NodeTypes, nodes: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const problem = problemOf(node)
    return problem === undefined ? [] : [`node ${nameOf(node)}: ${problem}`]
  })

/** Types that are named in one warning. */
const mostNamed = 10

/** The node types of which nobody knows whether the target has them, in one sentence. */
export const unknownTypes = (
  { hint, isKnown, problemOf }: NodeTypes,
  nodes: ReadonlyArray<JsonObject>,
  to: string
): ReadonlyArray<string> => {
  const unknown = nodes.filter((node) => problemOf(node) === undefined && !isKnown(node))
  const types = [...new Set(unknown.map((node) => shortType(versioned(node))))].toSorted()
  if (types.length === 0) return []
  const why = hint === undefined ? "" : `. ${hint}`
  return [`Whether ${to} has these node types in these versions is not known: ${listed(types, mostNamed)}${why}`]
}
