import { Predicate } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { valueAt } from "../../workflow/paths.ts"
import { cutText, cutValue } from "./cut.ts"
import { type Mention, mentionsIn, nameOfMention } from "./mentions.ts"
import { itemsOf, jsonOf, nodeNamed, type RunData } from "./runData.ts"

/** How many items have a field, and which do not. */
interface Presence {
  readonly of: number
  readonly missing: ReadonlyArray<number>
  readonly kinds: ReadonlySet<string>
  readonly example: unknown
}

/** The input of the node that failed, in the run that failed or in one that ended well. */
export interface Side {
  readonly data: RunData
  readonly input: ReadonlyArray<unknown>
}

/** The fields that a node's parameters mention, given what its input looks like. */
export const mentionsOf = ({ data, input }: Side, node: string | undefined): ReadonlyArray<Mention> =>
  mentionsIn(nodeNamed(data, node)?.parameters, Object.keys(jsonOf(input[0])))

const presenceOf = ({ data, input }: Side, { node, path }: Mention): Presence => {
  const items = node === undefined ? input : itemsOf(data, node)
  const values = items.map((item) => valueAt(jsonOf(item), path))
  return {
    of: items.length,
    missing: values.flatMap((value, index) => (Predicate.isNotNullish(value) ? [] : [index])),
    kinds: new Set(values.filter(Predicate.isNotNullish).map(kindOf)),
    example: values.find(Predicate.isNotNullish)
  }
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "list" : Predicate.isString(value) ? "text" : typeof value

/** The first item of the input that lacks a field which its node mentions, where others have it. */
export const firstLacking = (side: Side, mentions: ReadonlyArray<Mention>): number | undefined =>
  mentions
    .filter(({ node }) => node === undefined)
    .map((mention) => presenceOf(side, mention))
    .filter(({ missing, of }) => missing.length > 0 && missing.length < of)
    .map(({ missing }) => missing[0])
    .find((index) => index !== undefined)

/** What is to be said of the mentioned fields: where one is missing, or is not what it was in the run that ended well. */
export const fieldNotes = (now: Side, before: Side | undefined, mentions: ReadonlyArray<Mention>): JsonObject =>
  Object.fromEntries(
    mentions.flatMap((mention) => {
      const [here, there] = [presenceOf(now, mention), before && presenceOf(before, mention)]
      const said = [
        ...missingNow(here),
        ...(there === undefined || there.of === 0 ? [] : difference(here, there, mention))
      ]
      return said.length === 0 ? [] : [[nameOfMention(mention), said.join("; ")]]
    })
  )

const missingNow = ({ missing, of }: Presence): ReadonlyArray<string> => {
  if (of === 0 || missing.length === 0) return []
  if (missing.length === of) return [of === 1 ? "missing" : `missing in all ${of} items`]
  const shown = missing.slice(0, 5).join(", ")
  return [`missing in ${missing.length} of ${of} items (${shown}${missing.length > 5 ? ", …" : ""})`]
}

/** What the run that ended well had there, where that differs. */
const difference = (here: Presence, there: Presence, { path }: Mention): ReadonlyArray<string> => {
  const kinds = [...there.kinds].join(" or ")
  const isOther = here.kinds.size > 0 && [...here.kinds].some((kind) => !there.kinds.has(kind)) && there.kinds.size > 0
  if (here.missing.length === 0 && !isOther) return []
  const now = isOther ? [`now ${[...here.kinds].join(" or ")}`] : []
  const had = there.of - there.missing.length
  const example = there.example === undefined ? "" : `, e.g. ${exampleOf(there.example, path.at(-1) ?? "")}`
  return [...now, `last success: in ${had} of ${there.of}${kinds === "" ? "" : `, ${kinds}`}${example}`]
}

const exampleOf = (value: unknown, name: string): string =>
  cutText(JSON.stringify(cutValue(value, { text: 200, fields: 5, depth: 1 }, name)) ?? "", 60)

/** The names of fields that the items had in the run that ended well and have no more, and the other way round. */
export const shapeNotes = (now: Side, before: Side): JsonObject => {
  const [here, there] = [fieldsOf(now.input), fieldsOf(before.input)]
  if (here.size === 0 || there.size === 0) return {}
  const gone = [...there].filter((name) => !here.has(name)).slice(0, 10)
  const added = [...here].filter((name) => !there.has(name)).slice(0, 10)
  return { ...(gone.length === 0 ? {} : { gone }), ...(added.length === 0 ? {} : { new: added }) }
}

const fieldsOf = (items: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(items.slice(0, 1000).flatMap((item) => Object.keys(objectOf(objectOf(item).json))))
