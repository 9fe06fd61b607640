import { Predicate } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { shortType, toEngineType } from "../../workflow/naming.ts"

/** What is known of the node types of the target. */
export interface NodeTypes {
  /** Why its engine cannot run a node; nothing where it can, or where nobody knows. */
  readonly problemOf: (node: JsonObject) => string | undefined
  readonly isKnown: (node: JsonObject) => boolean
  /** Why somebody does not know, and what to do about it. */
  readonly hint: string | undefined
}

/** Where nothing is asked. */
export const allKnown: NodeTypes = { problemOf: () => undefined, isKnown: () => true, hint: undefined }

/** A type and its version as one text. */
export const versioned = ({ type, typeVersion }: JsonObject): string =>
  `${toEngineType(String(type))} ${Predicate.isNumber(typeVersion) ? typeVersion : 1}`

/** What the engine of the target cannot run of these nodes. */
export const impossible = ({ problemOf }: NodeTypes, nodes: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const problem = problemOf(node)
    return problem === undefined ? [] : [`node ${nameOf(node)}: ${problem}`]
  })

/** Types that are named in one warning. */
const mostNamed = 10

/** What nobody knows of these nodes, in one sentence. */
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
