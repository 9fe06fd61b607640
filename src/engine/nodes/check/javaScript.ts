import { Predicate, Result } from "effect"

import { isJsonObject, type JsonObject, listOf } from "../../../internal/schema/JsonObject.ts"
import { withoutEnd } from "../../../internal/texts.ts"
import { textOf } from "../json.ts"
import type { Parse, Unreadable } from "./boundedParser.ts"

/** What code refers to. */
export interface Mentions {
  /** Names of nodes, as in `$("Name")`. */
  readonly nodes: ReadonlyArray<string>
  /** Nodes for which the code checks whether they ran. */
  readonly asked: ReadonlySet<string>
  /** Members of `$("Name")` and of `$input` that are accessed by name. */
  readonly taken: ReadonlyArray<{ readonly of: string; readonly what: string }>
  /** Names that begin with `$`. */
  readonly variables: ReadonlyArray<string>
  /** Whether a program returns something, or always throws. */
  readonly returns: boolean
}

/** What the code between braces refers to, or why it cannot be parsed. */
export const readExpression = (parse: Parse, code: string): Result.Result<Mentions, Unreadable> => {
  const asValue = parse(`(${withoutEnd(code.trim(), ";")}\n)`)
  if (Result.isSuccess(asValue)) return Result.map(asValue, mentionsIn)
  if (!asValue.failure.isUnparsed && Result.isSuccess(parse(code))) {
    return Result.fail({ why: "statements are no expression: write one value", isUnparsed: false })
  }
  return Result.fail(asValue.failure)
}

/** The same for a program. */
export const readProgram = (parse: Parse, code: string): Result.Result<Mentions, Unreadable> =>
  Result.map(parse(code), mentionsIn)

const mentionsIn = (tree: unknown): Mentions => {
  const nodes = new Set<string>()
  const asked = new Set<string>()
  const variables = new Set<string>()
  const taken: Array<Mentions["taken"][number]> = []
  const open: Array<unknown> = [tree]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const one of listOf(next)) if (Predicate.isNotNullish(one)) open.push(one)
    if (!isJsonObject(next)) continue
    const { callee, name, object, property, type } = next
    if (type === "Identifier" && Predicate.isString(name) && name.startsWith("$")) variables.add(name)
    const [argument] = listOf(next.arguments)
    if (type === "CallExpression" && (isNamed(callee, "$") || isNamed(callee, "$items"))) addText(argument, nodes)
    if (type === "MemberExpression" && isNamed(object, "$node")) addProperty(next, nodes)
    if (type === "MemberExpression" && isNamed(property, "isExecuted") && isJsonObject(object)) {
      addText(listOf(object.arguments)[0], asked)
      addProperty(object, asked)
    }
    if (type === "MemberExpression" && isJsonObject(object) && next.computed === false && isJsonObject(property)) {
      const of = object.type === "CallExpression" && isNamed(object.callee, "$") ? "$" : textOf(object.name)
      if (of === "$" || of === "$input") taken.push({ of, what: textOf(property.name) })
    }
    for (const [key, value] of Object.entries(next)) {
      const isPropertyName = key === "property" && next.computed === false
      if (Predicate.isObjectOrArray(value) && !isPropertyName) open.push(value)
    }
  }
  return { nodes: [...nodes], asked, taken, variables: [...variables], returns: returnsIn(tree) }
}

/** Whether a program returns or throws outside of its functions. */
const returnsIn = (tree: unknown): boolean => {
  const open: Array<unknown> = [tree]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const one of listOf(next)) if (Predicate.isNotNullish(one)) open.push(one)
    if (!isJsonObject(next)) continue
    if (next.type === "ReturnStatement" || next.type === "ThrowStatement") return true
    if (!/Function/.test(String(next.type))) open.push(...Object.values(next).filter(Predicate.isObjectOrArray))
  }
  return false
}

const isNamed = (node: unknown, name: string) => isJsonObject(node) && node.type === "Identifier" && node.name === name

/** Adds a property name, as identifier or string. */
const addProperty = ({ computed, property }: JsonObject, to: Set<string>) => {
  if (computed === false && isJsonObject(property) && Predicate.isString(property.name)) to.add(property.name)
  else addText(property, to)
}

/** Adds a string literal. */
const addText = (node: unknown, to: Set<string>) => {
  if (!isJsonObject(node)) return
  if (node.type === "Literal" && Predicate.isString(node.value)) to.add(node.value)
  const [only, ...others] = listOf(node.quasis)
  const cooked = isJsonObject(only) && isJsonObject(only.value) ? only.value.cooked : undefined
  if (node.type === "TemplateLiteral" && others.length === 0 && Predicate.isString(cooked)) to.add(cooked)
}
