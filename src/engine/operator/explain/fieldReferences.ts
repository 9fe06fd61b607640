import { Predicate } from "effect"

import { isJsonObject } from "../../../internal/schema/JsonObject.ts"

/** A field that a node's parameters refer to: of its own input, or of another node's output. */
export interface FieldReference {
  readonly node?: string
  readonly path: ReadonlyArray<string>
}

const most = 12

/** Texts of parameters, at any depth, until there are too many. */
export const textsIn = (value: unknown, found: Array<string> = []): ReadonlyArray<string> => {
  if (found.length > 500) return found
  if (Predicate.isString(value)) found.push(value.slice(0, 20_000))
  else if (Array.isArray(value) || isJsonObject(value)) for (const part of Object.values(value)) textsIn(part, found)
  return found
}

const referencePattern =
  /(?:(?:\$\(\s*|\$node\s*\[\s*|\$items\(\s*)(?:"([^"]{1,200})"|'([^']{1,200})')[^;\n]{0,40}?\.json|\$json|(?<![\w$])json)((?:\??\.\s*[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:"[^"\]]{1,80}"|'[^'\]]{1,80}')\s*\]){1,6})(\s*\()?/g
const step = /\.\s*([A-Za-z_$][\w$]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/g

/**
 * The fields that parameters refer to: in expressions and code (`$json.a`, `$("Node").item.json.a`, `item.json["a"]`), and
 * by their bare names where the input has such fields. What is called as a function is not a field.
 */
export const fieldReferencesIn = (
  parameters: unknown,
  fields: ReadonlyArray<string>
): ReadonlyArray<FieldReference> => {
  const texts = textsIn(parameters)
  const referred = texts.flatMap((text) =>
    [...text.matchAll(referencePattern)].map(([, double, single, members = "", isCall]): FieldReference => {
      const path = [...members.matchAll(step)].map(([, plain, a, b]) => plain ?? a ?? b ?? "")
      const node = double ?? single
      return {
        ...(node === undefined ? {} : { node }),
        path: withoutMethods(isCall === undefined ? path : path.slice(0, -1))
      }
    })
  )
  const named = new Set(texts.flatMap((text) => text.split(",").map((part) => part.trim())))
  const bare = fields.filter((field) => named.has(field))
  return distinct([...referred, ...bare.map((field) => ({ path: [field] }))].filter(({ path }) => path.length > 0))
}

/** `length` of a list or text is not a field of an item. */
const withoutMethods = (path: ReadonlyArray<string>) => (path.at(-1) === "length" ? path.slice(0, -1) : path)

const distinct = (references: ReadonlyArray<FieldReference>): ReadonlyArray<FieldReference> =>
  [...new Map(references.map((reference) => [textOfReference(reference), reference])).values()].slice(0, most)

export const textOfReference = ({ node, path }: FieldReference): string =>
  node === undefined ? path.join(".") : `${node} → ${path.join(".")}`
