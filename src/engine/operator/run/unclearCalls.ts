import {
  isJsonObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  textOf
} from "../../../internal/schema/JsonObject.ts"
import { memberName } from "../../upgrade/freeReferences.ts"

/** A call in code whose text does not say what is called. */
interface UnclearCall {
  readonly name: string
  readonly start: number
}

/** Functions and methods that call what they are given, by the places of it. */
const callbacks: ReadonlyArray<readonly [places: ReadonlyArray<number>, names: string]> = [
  [[0], "every filter find findIndex findLast findLastIndex flatMap forEach map reduce reduceRight some sort toSorted"],
  [[0], "catch finally Promise queueMicrotask setImmediate setInterval setTimeout try"],
  [[1], "from fromAsync groupBy parse replace replaceAll stringify"],
  [[0, 1], "then"]
]
const callbackPlaces = new Map(
  callbacks.flatMap(([places, names]) => names.split(" ").map((name) => [name, places] as const))
)

/** Methods of functions that call them. */
const calling = new Set(["apply", "bind", "call"])

/** Functions of the language whose result is none that they are given. */
const makers =
  /^(?!Object$)[A-Z]|^(?:atob|btoa|decodeURI|decodeURIComponent|encodeURI|encodeURIComponent|escape|isFinite|isNaN|parseFloat|parseInt|unescape)$/

/** Methods that the language calls by itself. */
const implicit = new Set(["get", "next", "return", "set", "then", "toJSON", "toString", "valueOf"])

/** Assignments that keep a value as it is. */
const stores = new Set(["=", "||=", "&&=", "??="])

const functions = new Set(["ArrowFunctionExpression", "ClassExpression", "FunctionExpression"])

/**
 * The first call that may be one of anything, in code that reads members whose names only the run decides: those can be the
 * maker of functions, which runs texts. One that is kept under a computed name and called by that name elsewhere is not seen, as
 * grouping code does the same.
 */
export const unclearCall = (tree: unknown, isHarmless: (name: string) => boolean): UnclearCall | undefined => {
  const nodes = nodesIn(tree)
  if (!nodes.some(isDynamic)) return undefined
  const bindings = bindingsIn(nodes)
  const isFunction = (name: string): boolean => {
    const bound = bindings.get(name)
    return bound === undefined ? isHarmless(name) : bound === "function"
  }
  const isBuiltIn = (member: JsonObject): boolean => {
    const root = rootOf(member)
    return root !== undefined && !bindings.has(root) && isHarmless(root)
  }
  /** Whether a value is a function of the code or of the language that calls nothing it is given, or none. */
  const isPlain = (value: JsonObject): boolean => {
    const { alternate, callee, consequent, left, name, operator, right, type } = value
    switch (type) {
      case "Identifier":
        return isFunction(textOf(name)) && (bindings.has(textOf(name)) || !callbackPlaces.has(textOf(name)))
      case "MemberExpression":
        return isBuiltIn(value) && !calling.has(calledName(value)) && !callbackPlaces.has(calledName(value))
      case "CallExpression":
      case "NewExpression": {
        const maker = objectOf(callee).type === "Identifier" ? textOf(objectOf(callee).name) : ""
        return makers.test(maker) && !bindings.has(maker)
      }
      case "ConditionalExpression":
        return [alternate, consequent].map(objectOf).every(isPlain)
      case "LogicalExpression":
        return [left, right].map(objectOf).every(isPlain)
      case "AssignmentExpression":
        return !stores.has(String(operator)) || isPlain(objectOf(right))
      default:
        return (
          functions.has(String(type)) || /^(?:Array|Object|Binary|Unary|Update)Expression|Literal$/.test(String(type))
        )
    }
  }
  const storedNames = new Set<string>()
  const storedIn = new Set<string>()
  for (const { name, object, value } of nodes.flatMap(storesIn)) {
    if (isPlain(value)) continue
    if (name === undefined) storedIn.add(JSON.stringify(shapeOf(object)))
    else storedNames.add(name)
  }
  const isClear = (callee: JsonObject): boolean => {
    if (callee.type === "Identifier") return isFunction(textOf(callee.name))
    if (callee.type !== "MemberExpression") return callee.type === "Super" || functions.has(String(callee.type))
    const name = memberName(callee)
    if (name === undefined || /^\d/.test(name) || storedNames.has(name)) return false
    if (storedIn.has(JSON.stringify(shapeOf(objectOf(callee.object))))) return false
    if (!calling.has(name)) return true
    const target = objectOf(callee.object)
    return target.type === "MemberExpression" ? isBuiltIn(target) && !calling.has(calledName(target)) : isPlain(target)
  }
  const isUnclear = (node: JsonObject): boolean => {
    const callee = unwrapped(objectOf(node.callee ?? node.tag))
    switch (node.type) {
      case "CallExpression":
      case "NewExpression":
      case "TaggedTemplateExpression": {
        const called = calledName(callee)
        const isIndirect = calling.has(called) && callbackPlaces.has(calledName(objectOf(callee.object)))
        const [self, list] = objectsOf(node.arguments)
        const isList = isIndirect && called === "apply" && list !== undefined
        if (isList && list.type !== "ArrayExpression") return true
        const given = isList ? [objectOf(self), ...objectsOf(list.elements)] : objectsOf(node.arguments)
        const places = isIndirect ? [1, 2] : (callbackPlaces.get(called) ?? [])
        if (places.length > 0 && given.some(({ type }) => type === "SpreadElement")) return true
        return !isClear(callee) || places.some((place) => given[place] !== undefined && !isPlain(given[place]))
      }
      case "ClassDeclaration":
      case "ClassExpression":
        return isJsonObject(node.superClass) && !isPlain(node.superClass)
      default:
        if (hidesStores(node)) return true
        return storesIn(node).some(({ name = "", value }) => implicit.has(name) && !isPlain(value))
    }
  }
  const unclear = nodes.filter(isUnclear).map(({ start }) => Number(start))
  return unclear.length === 0 ? undefined : { name: "a call of what only the run decides", start: Math.min(...unclear) }
}

const calledName = (callee: JsonObject): string =>
  callee.type === "Identifier" ? textOf(callee.name) : (memberName(callee) ?? "")

/** Every node of a syntax tree. */
const nodesIn = (tree: unknown): ReadonlyArray<JsonObject> => {
  const nodes: Array<JsonObject> = []
  const visit = (node: unknown): void => {
    for (const one of listOf(node)) visit(one)
    if (!isJsonObject(node)) return
    if (typeof node.type === "string") nodes.push(node)
    for (const child of Object.values(node)) visit(child)
  }
  visit(tree)
  return nodes
}

/** Whether a member is read, or taken apart, whose name the text does not say. */
const isDynamic = (node: JsonObject): boolean =>
  (node.type === "MemberExpression" || node.type === "Property") &&
  node.computed === true &&
  memberName({ computed: true, property: node.property ?? node.key }) === undefined

const unwrapped = (node: JsonObject): JsonObject =>
  node.type === "ChainExpression" || node.type === "ParenthesizedExpression"
    ? unwrapped(objectOf(node.expression))
    : node

/** The name that a chain of members with names begins with. */
const rootOf = (node: JsonObject): string | undefined => {
  if (node.type === "Identifier") return textOf(node.name)
  return node.type === "MemberExpression" && memberName(node) !== undefined
    ? rootOf(unwrapped(objectOf(node.object)))
    : undefined
}

/** A node without its places, to be compared with others. */
const shapeOf = ({ computed, name, object, property, type, value }: JsonObject): unknown => [
  type,
  computed,
  name,
  value,
  ...[object, property].filter(isJsonObject).map(shapeOf)
]

interface Store {
  /** Undefined where only the run decides it. */
  readonly name: string | undefined
  readonly object: JsonObject
  readonly value: JsonObject
}

/** The members that a node gives a value to. */
const storesIn = (node: JsonObject): ReadonlyArray<Store> => {
  const { computed, key, left, operator, right, type, value } = node
  if (type === "AssignmentExpression" && objectOf(left).type === "MemberExpression") {
    const target = objectOf(left)
    return stores.has(String(operator))
      ? [{ name: memberName(target), object: objectOf(target.object), value: objectOf(right) }]
      : []
  }
  const isField = type === "PropertyDefinition" || (type === "Property" && node.kind === "init") || node.kind === "get"
  if (!isField || !isJsonObject(value)) return []
  const name =
    computed === true ? memberName({ computed, property: key }) : textOf(objectOf(key).name ?? objectOf(key).value)
  return [{ name, object: node, value: node.kind === "get" ? {} : value }]
}

/** Whether members are among the targets of a list or an object that is taken apart, or of a loop, or are got by names unknown. */
const hidesStores = ({ computed, kind, left, type }: JsonObject): boolean =>
  (kind === "get" && computed === true) ||
  ((["ArrayPattern", "ObjectPattern"].includes(textOf(objectOf(left).type)) || type === "ForOfStatement") &&
    nodesIn(left).some((one) => one.type === "MemberExpression"))

/** The kinds of values to which names are bound anywhere in the code: functions alone, or others too. */
const bindingsIn = (nodes: ReadonlyArray<JsonObject>): ReadonlyMap<string, "function" | "other"> => {
  const bindings = new Map<string, "function" | "other">()
  const bind = (pattern: JsonObject, value?: JsonObject) => {
    if (pattern.type === "Identifier") {
      const name = textOf(pattern.name)
      const isFunction = value !== undefined && functions.has(String(value.type)) && bindings.get(name) !== "other"
      bindings.set(name, isFunction ? "function" : "other")
    } else if (pattern.type === "AssignmentPattern") bind(objectOf(pattern.left))
    else if (pattern.type === "RestElement") bind(objectOf(pattern.argument))
    else if (pattern.type === "ArrayPattern") for (const one of objectsOf(pattern.elements)) bind(one)
    else if (pattern.type === "ObjectPattern") {
      for (const one of objectsOf(pattern.properties)) bind(one.type === "RestElement" ? one : objectOf(one.value))
    }
  }
  const executors = nodes.flatMap((node) =>
    node.type === "NewExpression" && objectOf(node.callee).name === "Promise"
      ? objectsOf(node.arguments).slice(0, 1)
      : []
  )
  const aFunction: JsonObject = { type: "FunctionExpression" }
  for (const node of nodes) {
    const { id, init, left, operator, param, params, right, type } = node
    if (type === "VariableDeclarator") bind(objectOf(id), isJsonObject(init) ? init : undefined)
    else if (type === "AssignmentExpression") bind(objectOf(left), operator === "=" ? objectOf(right) : undefined)
    else if (type === "ForInStatement" || type === "ForOfStatement") bind(objectOf(left))
    else if (type === "CatchClause") bind(objectOf(param))
    else if (isJsonObject(id)) bind(id, aFunction)
    for (const one of objectsOf(params)) bind(one, executors.includes(node) ? aFunction : undefined)
  }
  return bindings
}
