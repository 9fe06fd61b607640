import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { valueAt } from "../../workflow/valuePaths.ts"
import { itemsOf, jsonOf, nodeNamed, type RunData } from "./runData.ts"
import { truncateValue } from "./truncate.ts"

/** The presence of a field in items: their number, the indexes of those that lack it, and the kinds of its values. */
interface Presence {
  readonly of: number
  readonly missing: ReadonlyArray<number>
  readonly kinds: ReadonlySet<string>
  readonly example: unknown
}

/** The input of the node that failed, in the run that failed or in a successful one. */
export interface Side {
  readonly data: RunData
  readonly input: ReadonlyArray<unknown>
}

/** The fields that a node's parameters refer to, given its input. */
export const fieldReferencesOf = ({ data, input }: Side, node: string | undefined): ReadonlyArray<FieldReference> =>
  fieldReferencesIn(nodeNamed(data, node)?.parameters, Object.keys(jsonOf(input[0])))

const presenceOf = ({ data, input }: Side, { node, path }: FieldReference): Presence => {
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

/** The first input item that lacks a field which the node refers to and other items have. */
export const firstLacking = (side: Side, references: ReadonlyArray<FieldReference>): number | undefined =>
  references
    .filter(({ node }) => node === undefined)
    .map((reference) => presenceOf(side, reference))
    .filter(({ missing, of }) => missing.length > 0 && missing.length < of)
    .map(({ missing }) => missing[0])
    .find((index) => index !== undefined)

/** Notes about the fields referred to: those that are missing, or differ from the successful run. */
export const fieldNotes = (
  now: Side,
  before: Side | undefined,
  references: ReadonlyArray<FieldReference>
): JsonObject =>
  Object.fromEntries(
    references.flatMap((reference) => {
      const [here, there] = [presenceOf(now, reference), before && presenceOf(before, reference)]
      const said = [
        ...missingNow(here),
        ...(there === undefined || there.of === 0 ? [] : difference(here, there, reference))
      ]
      return said.length === 0 ? [] : [[textOfReference(reference), said.join("; ")]]
    })
  )

const missingNow = ({ missing, of }: Presence): ReadonlyArray<string> => {
  if (of === 0 || missing.length === 0) return []
  if (missing.length === of) return [of === 1 ? "missing" : `missing in all ${of} items`]
  const indexes = missing.slice(0, 5).join(", ")
  return [`missing in ${missing.length} of ${of} items (${indexes}${missing.length > 5 ? ", …" : ""})`]
}

/** The field in the successful run, if it differs. */
const difference = (here: Presence, there: Presence, { path }: FieldReference): ReadonlyArray<string> => {
  const kinds = [...there.kinds].join(" or ")
  const isOther = here.kinds.size > 0 && [...here.kinds].some((kind) => !there.kinds.has(kind)) && there.kinds.size > 0
  if (here.missing.length === 0 && !isOther) return []
  const now = isOther ? [`now ${[...here.kinds].join(" or ")}`] : []
  const had = there.of - there.missing.length
  const example = there.example === undefined ? "" : `, e.g. ${exampleOf(there.example, path.at(-1) ?? "")}`
  return [...now, `last success: in ${had} of ${there.of}${kinds === "" ? "" : `, ${kinds}`}${example}`]
}

const exampleOf = (value: unknown, name: string): string =>
  clipped(JSON.stringify(truncateValue(value, { text: 200, fields: 5, depth: 1 }, name)) ?? "", 60)

/** The names of fields that the items of the successful run had and these lack, and the other way round. */
export const shapeNotes = (now: Side, before: Side): JsonObject => {
  const [here, there] = [fieldsOf(now.input), fieldsOf(before.input)]
  if (here.size === 0 || there.size === 0) return {}
  const gone = [...there].filter((name) => !here.has(name)).slice(0, 10)
  const added = [...here].filter((name) => !there.has(name)).slice(0, 10)
  return { ...(gone.length === 0 ? {} : { gone }), ...(added.length === 0 ? {} : { new: added }) }
}

const fieldsOf = (items: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(items.slice(0, 1000).flatMap((item) => Object.keys(objectOf(objectOf(item).json))))

/** A field that a node's parameters refer to: of its own input, or of another node's output. */
export interface FieldReference {
  readonly node?: string
  readonly path: ReadonlyArray<string>
}

const most = 12

/** Texts of parameters, at any depth, until there are too many. */
export const textsIn = (value: unknown, texts: Array<string> = []): ReadonlyArray<string> => {
  if (texts.length > 500) return texts
  if (Predicate.isString(value)) texts.push(value.slice(0, 20_000))
  else if (Array.isArray(value) || isJsonObject(value)) for (const part of Object.values(value)) textsIn(part, texts)
  return texts
}

const referencePattern =
  /(?:(?:\$\(\s*|\$node\s*\[\s*|\$items\(\s*)(?:"([^"]{1,200})"|'([^']{1,200})')[^;\n]{0,40}?\.json|\$json|(?<![\w$])json)((?:\??\.\s*[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:"[^"\]]{1,80}"|'[^'\]]{1,80}')\s*\]){1,6})(\s*\()?/g
const step = /\.\s*([A-Za-z_$][\w$]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/g
const variablePattern =
  /\b(?:const|let|var)\s{1,20}(?:([A-Za-z_$][\w$]{0,80})|\{([^{}]{1,400})\})\s{0,20}=\s{0,20}(?:\$json|[\w$.]{1,60}\.json)\b(?!\s{0,20}\??[.[(])/g
const membersPattern =
  /^((?:\??\.[A-Za-z_$][\w$]{0,80}|(?:\?\.)?\[(?:"[^"\]]{1,80}"|'[^'\]]{1,80}')\]){1,6})(\s{0,20}\()?/

/**
 * The fields that parameters refer to: in expressions and code (`$json.a`, `$("Node").item.json.a`, `item.json["a"]`, and
 * through a variable, as in `const order = $json`), and by their bare names where the input has such fields. What is called
 * as a function is not a field.
 */
const fieldReferencesIn = (parameters: unknown, fields: ReadonlyArray<string>): ReadonlyArray<FieldReference> => {
  const texts = textsIn(parameters)
  const referred = texts.flatMap((text) => [
    ...[...text.matchAll(referencePattern)].map(([, double, single, members = "", isCall]): FieldReference => {
      const node = double ?? single
      return { ...(node === undefined ? {} : { node }), path: pathIn(members, isCall !== undefined) }
    }),
    ...throughVariables(text)
  ])
  const named = new Set(texts.flatMap((text) => text.split(",").map((part) => part.trim())))
  const bare = fields.filter((field) => named.has(field))
  return distinct([...referred, ...bare.map((field) => ({ path: [field] }))].filter(({ path }) => path.length > 0))
}

/** The fields that code refers to through variables that hold an item. */
const throughVariables = (text: string): ReadonlyArray<FieldReference> => {
  const variables = [...text.matchAll(variablePattern)]
  if (variables.length === 0) return []
  const items = [...new Set(variables.flatMap(([, name]) => name ?? []))]
  const taken = variables.flatMap(([, , names = ""]) => names.split(",").map((one) => one.split(/[:=]/, 1)[0]?.trim()))
  return [
    ...taken.flatMap((name) => (name === undefined || !/^[\w$]+$/.test(name) ? [] : [{ path: [name] }])),
    ...items.flatMap((name) =>
      text.split(name).flatMap((after, at, parts) => {
        const isOther = at === 0 || /[\w$.]$/.test(parts[at - 1] ?? "")
        const [, members, isCall] = (isOther ? null : membersPattern.exec(after)) ?? []
        return members === undefined ? [] : [{ path: pathIn(members, isCall !== undefined) }]
      })
    )
  ]
}

const pathIn = (members: string, isCall: boolean): ReadonlyArray<string> => {
  const path = [...members.matchAll(step)].map(([, plain, a, b]) => plain ?? a ?? b ?? "")
  return withoutMethods(isCall ? path.slice(0, -1) : path)
}

/** `length` of a list or text is not a field of an item. */
const withoutMethods = (path: ReadonlyArray<string>) => (path.at(-1) === "length" ? path.slice(0, -1) : path)

const distinct = (references: ReadonlyArray<FieldReference>): ReadonlyArray<FieldReference> =>
  [...new Map(references.map((reference) => [textOfReference(reference), reference])).values()].slice(0, most)

const textOfReference = ({ node, path }: FieldReference): string =>
  node === undefined ? path.join(".") : `${node} → ${path.join(".")}`
