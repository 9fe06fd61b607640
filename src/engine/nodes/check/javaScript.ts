import type * as Acorn from "acorn"
import { Predicate, Result } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { withoutEnd } from "../../../internal/texts.ts"
import { neutralType, nodeType } from "../../workflow/naming.ts"
import { isTemplateOf } from "../../workflow/references.ts"
import { kindOf } from "../../workflow/triggers.ts"

/** The reason why some code has no syntax tree. */
export interface Unreadable {
  readonly why: string
  /** Whether it is beyond the limits; else it is invalid. */
  readonly isUnparsed: boolean
}

/** Parses JavaScript, as an expression or a program. */
export type Parse = (code: string) => Result.Result<unknown, Unreadable>

/** Characters of an expression or a program; the parser takes 10 ms for as many of them, whatever they are. */
const maxLength = 50_000

/**
 * Parts of the stack that the parser's recursive methods take, and how many they may take together: a quarter of what
 * Node 20 has, so that 120 brackets or 1,900 additions are read. Where the stack is short, a regular expression that is
 * compiled there ends the whole process.
 */
const stackCosts: Readonly<Record<string, number>> = {
  parseStatement: 2,
  parseMaybeAssign: 4,
  parseExprOp: 0.5,
  parseMaybeUnary: 2,
  parseExprAtom: 2,
  parseBindingAtom: 4,
  regexp_disjunction: 4
}
const maxStack = 1000

/** Names that a program declares: the parser compares each of them with all others. */
const maxNames = 3000

/** A parser whose time and stack have limits. */
export const boundedParser = ({ Parser }: Pick<typeof Acorn, "Parser">): Parse => {
  const spent = { stack: 0, names: 0 }
  let refusal: string | undefined
  /** Puts a limit around a method, which is not among the parser's types. */
  const limit = (name: string, spend: () => string | undefined, giveBack: () => void) => {
    const method: unknown = Reflect.get(Parser.prototype, name)
    const raise: unknown = Reflect.get(Parser.prototype, "raise")
    if (!Predicate.isFunction(method) || !Predicate.isFunction(raise)) return
    Reflect.set(Bounded.prototype, name, function (this: unknown, ...given: ReadonlyArray<unknown>): unknown {
      refusal ??= spend()
      if (refusal !== undefined) Reflect.apply(raise, this, [0, refusal])
      const result: unknown = Reflect.apply(method, this, given)
      giveBack()
      return result
    })
  }
  class Bounded extends Parser {}
  for (const [name, cost] of Object.entries(stackCosts)) {
    limit(
      name,
      () => ((spent.stack += cost) > maxStack ? "it is nested too deeply" : undefined),
      () => {
        spent.stack -= cost
      }
    )
  }
  limit(
    "declareName",
    () => ((spent.names += 1) > maxNames ? `it declares more than ${maxNames} names` : undefined),
    () => {}
  )
  return (code) => {
    if (code.length > maxLength) {
      return Result.fail({ why: `it has more than ${maxLength} characters`, isUnparsed: true })
    }
    Object.assign(spent, { stack: 0, names: 0 })
    refusal = undefined
    return Result.try({
      try: () =>
        Bounded.parse(code, {
          ecmaVersion: "latest",
          allowReturnOutsideFunction: true,
          allowAwaitOutsideFunction: true
        }),
      catch: (error) =>
        refusal === undefined
          ? { why: error instanceof Error ? error.message : "it cannot be read", isUnparsed: false }
          : { why: refusal, isUnparsed: true }
    })
  }
}

/** A text in the parameters that is an expression, without its `=`, or code. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly isProgram: boolean
  /** Whether no `=` says that it has expressions: the node evaluates them by itself. */
  readonly isTemplate: boolean
}

/** Every expression and all code in the parameters of a node, each with its path. */
export const sourcesOf = (node: JsonObject): ReadonlyArray<Source> => {
  const parameters = objectOf(node.parameters)
  const kind = kindOf(node)
  const { language = "javaScript" } = parameters
  const programs = language === "javaScript" ? programPaths(node) : []
  const sources: Array<Source> = []
  const walk = (value: unknown, path: string, field: string) => {
    if (Predicate.isString(value)) {
      const isExpression = value.startsWith("=")
      const isProgram = !isExpression && programs.includes(path)
      const isTemplate = !isExpression && !isProgram && value.includes("{{") && isTemplateOf(kind, field)
      if (isExpression || isProgram || isTemplate) {
        sources.push({ path, text: isExpression ? value.slice(1) : value, isProgram, isTemplate })
      }
    } else if (Array.isArray(value)) value.forEach((one, index) => walk(one, `${path}[${index}]`, field))
    else if (isJsonObject(value)) for (const [key, one] of Object.entries(value)) walk(one, `${path}.${key}`, key)
  }
  walk(parameters, "parameters", "")
  return sources
}

/** The parameters of a node that hold JavaScript, where its language is that. */
export const programPaths = (node: JsonObject): ReadonlyArray<string> => {
  const kind = kindOf(node)
  const { type } = node
  return kind === "code" && type !== nodeType("code") && type !== neutralType("code")
    ? ["parameters.code.execute.code", "parameters.code.supplyData.code"]
    : (programs.get(kind) ?? [])
}

const programs: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["code", ["parameters.jsCode"]],
  ["toolCode", ["parameters.jsCode"]],
  ["aiTransform", ["parameters.jsCode"]],
  ["function", ["parameters.functionCode"]],
  ["functionItem", ["parameters.functionCode"]],
  ["sort", ["parameters.code"]],
  ["itemLists", ["parameters.code"]]
])

/** A part of an expression: literal text, or code between braces. */
interface Chunk {
  readonly isCode: boolean
  readonly text: string
  /** Whether the braces are closed; if not, the engine treats it as text. */
  readonly isClosed: boolean
}

/** Splits the text after the `=` as engines do: code begins at `{{` and ends at the first `}}`. */
export const splitExpression = (expression: string): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  let buffer = ""
  let isCode = false
  for (let index = 0; index < expression.length;) {
    const brackets = expression.indexOf(isCode ? "}}" : "{{", index)
    if (brackets < 0) {
      chunks.push({ isCode, text: unescape(buffer + expression.slice(index), isCode), isClosed: !isCode })
      return chunks
    }
    const before = expression.slice(index, brackets)
    index = brackets + 2
    let backslashes = 0
    while (before.at(-1 - backslashes) === "\\") backslashes += 1
    if (backslashes % 2 === 1) {
      buffer += expression.slice(brackets - before.length, index)
      continue
    }
    chunks.push({ isCode, text: unescape(buffer + before, isCode), isClosed: true })
    buffer = ""
    isCode = !isCode
  }
  if (isCode || buffer !== "") chunks.push({ isCode, text: unescape(buffer, isCode), isClosed: !isCode })
  return chunks
}

const unescape = (text: string, isCode: boolean) => (isCode ? text.replace("\\}}", "}}") : text)

/** The references in code. */
export interface Mentions {
  /** Names of nodes, as in `$("Name")`. */
  readonly nodes: ReadonlyArray<string>
  /** Nodes for which the code checks whether they ran. */
  readonly nodesAskedFor: ReadonlySet<string>
  /** Members of `$("Name")` and of `$input` that are accessed by name. */
  readonly taken: ReadonlyArray<{ readonly of: string; readonly what: string }>
  /** Names that begin with `$`. */
  readonly variables: ReadonlyArray<string>
  /** Whether a program returns something, or always throws. */
  readonly returns: boolean
}

/** The references in the code between braces, or the reason why it cannot be parsed. */
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
  const nodesAskedFor = new Set<string>()
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
      addText(listOf(object.arguments)[0], nodesAskedFor)
      addProperty(object, nodesAskedFor)
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
  return { nodes: [...nodes], nodesAskedFor, taken, variables: [...variables], returns: returnsIn(tree) }
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
