import { Predicate } from "effect"

import { isJsonObject } from "../../../internal/schema/JsonObject.ts"

/** A field that a node's parameters speak of: of its own input, or of what another node gave out. */
export interface Mention {
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

const member = String.raw`(?:\??\.\s*[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:"[^"\]]{1,80}"|'[^'\]]{1,80}')\s*\])`
const reference = new RegExp(
  String.raw`(?:(?:\$\(\s*|\$node\s*\[\s*|\$items\(\s*)(?:"([^"]{1,200})"|'([^']{1,200})')[^;\n]{0,40}?\.json|\$json|(?<![\w$])json)(${member}{1,6})(\s*\()?`,
  "g"
)
const step = /\.\s*([A-Za-z_$][\w$]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/g

/**
 * The fields that parameters mention: by expressions and code (`$json.a`, `$("Node").item.json.a`, `item.json["a"]`), and
 * by their bare names where the input has such fields. What is called as a function is none.
 */
export const mentionsIn = (parameters: unknown, fields: ReadonlyArray<string>): ReadonlyArray<Mention> => {
  const texts = textsIn(parameters)
  const referred = texts.flatMap((text) =>
    [...text.matchAll(reference)].map(([, double, single, members = "", isCall]): Mention => {
      const path = [...members.matchAll(step)].map(([, plain, a, b]) => plain ?? a ?? b ?? "")
      const node = double ?? single
      return {
        ...(node === undefined ? {} : { node }),
        path: withoutMethods(isCall === undefined ? path : path.slice(0, -1))
      }
    })
  )
  const bare = fields.filter((field) => texts.some((text) => text.split(/\s*,\s*/).includes(field)))
  return distinct([...referred, ...bare.map((field) => ({ path: [field] }))].filter(({ path }) => path.length > 0))
}

/** What lists and texts have by themselves is no field of an item. */
const withoutMethods = (path: ReadonlyArray<string>) => (path.at(-1) === "length" ? path.slice(0, -1) : path)

const distinct = (mentions: ReadonlyArray<Mention>): ReadonlyArray<Mention> =>
  [...new Map(mentions.map((mention) => [nameOfMention(mention), mention])).values()].slice(0, most)

export const nameOfMention = ({ node, path }: Mention): string =>
  node === undefined ? path.join(".") : `${node} → ${path.join(".")}`
