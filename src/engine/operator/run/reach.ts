import { Option, Predicate, Result } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { type Parse, sourcesOf } from "../../nodes/check/javaScript.ts"
import { type FreeReference, freeReferences, memberName } from "../../upgrade/freeReferences.ts"
import { leavesOf } from "../../workflow/valuePaths.ts"

/** A word of code that may reach beyond its items. */
export interface Reach {
  readonly field: string
  readonly word: string
  readonly line: number
}

/** Words of code, in any language, that may reach beyond its items. */
const reaching = /\b(?:helpers|require|import|fetch|process|httpRequest|__import__|open)\b/

const isReaching = (name: string): boolean => reaching.exec(name)?.[0] === name.replace(/^\$/, "")

/** Names by which code has everything that its engine knows, or runs texts: then every word of it counts. */
const everything = new Set(["eval", "Function", "globalThis", "global", "self", "window"])

/** The same by the constructor of any function. */
const constructing = /\bconstructor\b/

/** Names of data, whose members are data too; those that engines add begin with `$`. */
const data = new Set(["items", "item", "query"])

/**
 * The first word of a node's code that may reach beyond its items. JavaScript is parsed: names that it declares itself,
 * properties, keys, texts and comments do not count. In other languages, and where nothing can be parsed, every word does.
 */
export const reachOf = (node: JsonObject, parse: Parse): Reach | undefined => {
  for (const { path: field, text } of leavesOf(node.parameters)) {
    const word = reaching.exec(text)
    if (word === null) continue
    const isParsed = sourcesOf(node).some(({ isProgram, path }) => isProgram && path === `parameters.${field}`)
    const tree = isParsed ? Result.getSuccess(parse(text)) : Option.none()
    const use = Option.isSome(tree) && !constructing.test(text) ? useIn(tree.value) : "any"
    if (use === undefined) continue
    const { name, start } = use === "any" ? { name: word[0], start: word.index } : use
    return { field, word: name, line: text.slice(0, start).split("\n").length }
  }
  return undefined
}

type Use = Pick<FreeReference, "name" | "start">

/** The first use of what reaches beyond the items; `any` where each word may be one. */
const useIn = (tree: unknown): Use | "any" | undefined => {
  const references = freeReferences(tree)
  const ofThis = usesOfThis(tree)
  if (ofThis === "any" || references.some(({ name }) => everything.has(name))) return "any"
  const named = references.flatMap(({ name, path, start }): ReadonlyArray<Use> => {
    if (isReaching(name)) return [{ name, start }]
    const member = name.startsWith("$") || data.has(name) ? undefined : path.find(isReaching)
    return member === undefined ? [] : [{ name: member, start }]
  })
  return [...named, ...ofThis].toSorted((a, b) => a.start - b.start)[0]
}

/** What code imports, and takes of `this`, in functions too; `any` where it hands `this` on. */
const usesOfThis = (tree: unknown): ReadonlyArray<Use> | "any" => {
  const uses: Array<Use> = []
  const open: Array<unknown> = [tree]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const one of listOf(next)) if (Predicate.isNotNullish(one)) open.push(one)
    if (!isJsonObject(next)) continue
    const { object, property, start, type } = next
    if (type === "ThisExpression") return "any"
    if (type === "ImportExpression") uses.push({ name: "import", start: Number(start) })
    const isOfThis = type === "MemberExpression" && objectOf(object).type === "ThisExpression"
    const member = isOfThis ? memberName(next) : undefined
    if (isOfThis && member === undefined) return "any"
    if (member !== undefined && isReaching(member)) uses.push({ name: member, start: Number(start) })
    open.push(...(isOfThis ? [property] : Object.values(next)).filter(Predicate.isObjectOrArray))
  }
  return uses
}
