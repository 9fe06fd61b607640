import { Predicate, Result } from "effect"

import {
  isJsonObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  textOf
} from "../../../internal/schema/JsonObject.ts"
import { wordSet } from "../../../internal/texts.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { isExpression } from "../../nodes/conditions.ts"
import { type FreeReference, freeReferences } from "../freeReferences.ts"
import { type Left, left, parametersOf, type Rewrite, withSuccessor } from "./Rewrite.ts"

/** Names that mean the same in the old nodes and in Code. */
const same = wordSet(`
  $json $node $items $item $ $workflow $jmespath DateTime helpers undefined NaN Infinity Object Array String Number
  Boolean Math JSON Date RegExp Map Set WeakMap WeakSet Symbol Promise Error TypeError RangeError parseInt parseFloat
  isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI console BigInt Intl
`)

/** Names that either has, though nobody has compared them. */
const likely = wordSet(`
  $now $today $input $binary $prevNode $execution $runIndex $itemIndex $vars $jmesPath Interval Duration Buffer setTimeout
  clearTimeout URL URLSearchParams escape unescape Uint8Array ArrayBuffer
`)

/** The reasons why a machine does not touch what uses these. */
const byHand: Readonly<Record<string, string>> = {
  $evaluateExpression:
    "uses `$evaluateExpression`, which a Code node has not: put that into a field of an Edit Fields node before",
  process: "reads the environment by `process`, which a Code node has not",
  $env: "reads the environment by `$env`",
  getNodeParameter: "reads parameters by `getNodeParameter`, which a Code node has not",
  require: "loads a module by `require`, which the engine has to allow for Code nodes",
  setBinaryDataAsync: "writes a file by `setBinaryDataAsync`: `prepareBinaryData` adds fields to it",
  this: "uses `this`, which is another one in a Code node",
  eval: "runs a text as code, which nobody can read here",
  Function: "runs a text as code, which nobody can read here"
}

/** A change of a text: what stands from `start` to `end` becomes `text`. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Code for a Code node, and what nobody has compared. */
interface Translated {
  readonly code: string
  readonly tree: unknown
  readonly conditions: ReadonlyArray<string>
  readonly isStateful: boolean
}

const lineOf = (code: string, place: unknown): number => code.slice(0, Number(place)).split("\n").length

/** The code of a Function (`items`) or a Function Item (`item`) for a Code node, as far as all of it is understood. */
const translated = (code: string, parse: Parse, input: "item" | "items"): Result.Result<Translated, Left> =>
  Result.gen(function* () {
    const parsed = parse(code)
    if (Result.isFailure(parsed)) return yield* left(`its code cannot be read: ${parsed.failure.why}`)
    const tree = parsed.success
    const references = freeReferences(tree)
    const assigned = new Set(
      references.filter((one) => one.isAssigned && one.path.length === 0).map(({ name }) => name)
    )
    const conditions = new Set<string>()
    const edits: Array<Edit> = []
    let isStateful = false
    for (const reference of references) {
      const { name, start } = reference
      const line = lineOf(code, start)
      const reason = Object.hasOwn(byHand, name) ? byHand[name] : undefined
      if (reason !== undefined) return yield* left(reason, line)
      if (name === input && reference.isAssigned && reference.path.length === 0)
        conditions.add(`it replaces \`${input}\``)
      else if (name === input || same.has(name)) continue
      else if (name === "getWorkflowStaticData" && reference.isCalled && reference.path.length === 0) {
        edits.push({ start, end: reference.end, text: "$getWorkflowStaticData" })
        isStateful = true
      } else if (name === "getBinaryDataAsync") edits.push(yield* bytesOf(tree, code, reference, input))
      else if (likely.has(name)) conditions.add(`it uses ${name}`)
      else if (!assigned.has(name) || name.startsWith("$")) {
        return yield* left(`uses ${name}, and nobody knows whether a Code node has it`, line)
      }
    }
    if (input === "items") edits.push(...(yield* counters(tree, code, references)))
    return { code: edited(code, edits), tree, conditions: [...conditions], isStateful }
  })

const edited = (code: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { end, start, text: other }) => text.slice(0, start) + other + text.slice(end), code)

/** A part of a syntax tree with the parts that it lies in, the nearest first. */
interface Place {
  readonly node: JsonObject
  readonly around: ReadonlyArray<JsonObject>
}

/** Every part of a syntax tree. */
const placesIn = (tree: unknown, around: ReadonlyArray<JsonObject> = []): ReadonlyArray<Place> => {
  if (Array.isArray(tree)) return listOf(tree).flatMap((one) => placesIn(one, around))
  if (!isJsonObject(tree)) return []
  const inner = Object.values(tree).filter(Predicate.isObjectOrArray)
  return [{ node: tree, around }, ...inner.flatMap((one) => placesIn(one, [tree, ...around]))]
}

const isNamed = (node: unknown, name: string): boolean =>
  isJsonObject(node) && node.type === "Identifier" && node.name === name

/** The name of a member that stands in the text. */
const memberOf = ({ computed, property, type }: JsonObject): string | undefined => {
  const { name, value } = objectOf(property)
  if (type !== "MemberExpression") return undefined
  return computed === true ? (Predicate.isString(value) ? value : undefined) : textOf(name)
}

const reordering = wordSet("sort reverse splice shift unshift pop push fill copyWithin")

/** Counters in place of `items[i].index`, which is undefined in a Code node. */
const counters = (
  tree: unknown,
  code: string,
  references: ReadonlyArray<FreeReference>
): Result.Result<ReadonlyArray<Edit>, Left> => {
  const isInOrder = !references.some(
    ({ isAssigned, name, path: [first = ""] }) => name === "items" && (isAssigned || reordering.has(first))
  )
  const all = placesIn(tree).flatMap(({ node }): ReadonlyArray<Result.Result<Edit, Left>> => {
    const line = lineOf(code, node.start)
    const bound = node.type === "ObjectPattern" && objectsOf(node.properties).some((one) => isNamed(one.key, "index"))
    if (bound) return [left(noIndex, line)]
    if (memberOf(node) !== "index") return []
    const owner = objectOf(node.object)
    if (isOfData(owner)) return []
    const place = objectOf(owner.property)
    const isCounted = owner.computed === true && isNamed(owner.object, "items") && isInOrder
    return isCounted && (place.type === "Identifier" || Predicate.isNumber(place.value))
      ? [
          Result.succeed({
            start: Number(node.start),
            end: Number(node.end),
            text: code.slice(Number(place.start), Number(place.end))
          })
        ]
      : [left(noIndex, line)]
  })
  return Result.all(all)
}

const noIndex = "reads `index` of what may be an item, which is undefined in a Code node: count instead"

/** Whether a value lies inside of the data of an item, whose fields may have any name. */
const isOfData = (node: JsonObject): boolean =>
  memberOf(node) === "json" || (isJsonObject(node.object) && isOfData(node.object))

/**
 * The bytes of a file in place of `await getBinaryDataAsync(items[i])`: an object with the one property of which only
 * `data` is read.
 */
const bytesOf = (
  tree: unknown,
  code: string,
  { start }: FreeReference,
  input: "item" | "items"
): Result.Result<Edit, Left> => {
  const refusal = left("reads files by `getBinaryDataAsync` in a form that has no equal", lineOf(code, start))
  const places = placesIn(tree)
  const call = places.find(({ node }) => node.type === "CallExpression" && objectOf(node.callee).start === start)
  const [awaiting, holder, ...others] = call?.around ?? []
  if (call === undefined || awaiting?.type !== "AwaitExpression" || holder === undefined) return refusal
  const isInOwn = [holder, ...others].some(
    ({ type }) => type === "FunctionExpression" || type === "FunctionDeclaration"
  )
  const [given] = objectsOf(call.node.arguments)
  const { object, property, type } = given ?? {}
  const index = objectOf(property)
  const isOfItem = type === "MemberExpression" && given?.computed === true && isNamed(object, "items")
  const number =
    input === "item"
      ? given === undefined
        ? "$itemIndex"
        : undefined
      : isOfItem
        ? code.slice(Number(index.start), Number(index.end))
        : undefined
  const name = holder.type === "VariableDeclarator" ? objectOf(holder.id).name : undefined
  const uses = Predicate.isString(name)
    ? places.filter(
        ({ around: [parent], node }) =>
          isNamed(node, name) && node !== holder.id && !(parent?.property === node && parent.computed === false)
      )
    : [{ node: awaiting, around: [holder, ...others] }]
  const files = new Set(
    uses.map(({ around: [member, data], node }) =>
      member?.object === node && data?.object === member && memberOf(data) === "data" ? memberOf(member) : undefined
    )
  )
  const [file] = files
  if (isInOwn || number === undefined || file === undefined || files.size !== 1) return refusal
  const key = JSON.stringify(file)
  const bytes = `({ ${key}: { data: await this.helpers.getBinaryDataBuffer(${number}, ${key}) } })`
  return Result.succeed({ start: Number(awaiting.start), end: Number(awaiting.end), text: bytes })
}

/** The value of each return of a program, outside of its functions. */
const returnsOf = (tree: unknown): ReadonlyArray<JsonObject> =>
  placesIn(tree)
    .filter(
      ({ around, node }) => node.type === "ReturnStatement" && !around.some(({ type }) => /Function/.test(textOf(type)))
    )
    .map(({ node }) => node)

/** The condition of a node that goes on after errors. */
const ofErrors = ({ continueOnFail, onError }: JsonObject): ReadonlyArray<string> =>
  continueOnFail === true || (Predicate.isString(onError) && onError.startsWith("continue"))
    ? ["the text of an error gains the number of its line"]
    : []

const allItems = "engines of 1.x give a Code node all items, though it is set to run once"

/** A text of code in the JSON of a node, as long as it stands there. */
const codeOf = (node: JsonObject, field: string): Result.Result<string, Left> => {
  const code = parametersOf(node)[field]
  return !Predicate.isString(code) || code.trim() === "" || isExpression(code)
    ? left("its code is not in the workflow: the node has that of a new one, or an expression")
    : Result.succeed(code)
}

const asCode = (mode: string, jsCode: string) => ({ kind: "code", typeVersion: 2, parameters: { mode, jsCode } })

export const rewriteFunction: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const given = yield* codeOf(node, "functionCode")
    const { code, conditions, isStateful, tree } = yield* translated(given, around.parse, "items")
    if (returnsOf(tree).length === 0) return yield* left("its code returns nothing")
    const all = [...conditions, ...ofErrors(node), ...(node.executeOnce === true ? [allItems] : [])]
    const rewritten = yield* withSuccessor(graph, node, asCode("runOnceForAllItems", code), around, all)
    return { ...rewritten, isStateful }
  })

export const rewriteFunctionItem: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const given = yield* codeOf(node, "functionCode")
    const { code, conditions, isStateful, tree } = yield* translated(given, around.parse, "item")
    const returned = returnsOf(tree)
    if (returned.length === 0) return yield* left("its code returns nothing")
    const odd = returned.find(({ argument }) => !isObject(argument, tree))
    if (odd !== undefined) {
      return yield* left("returns what may be something else than one object", lineOf(given, odd.start))
    }
    if (given.includes(innerItem)) return yield* left(`uses ${innerItem}, a name that the rewrite needs`)
    const all = [...conditions, ...ofErrors(node)]
    const rewritten = yield* withSuccessor(graph, node, asCode("runOnceForEachItem", wrapped(code)), around, all)
    return { ...rewritten, isStateful }
  })

const innerItem = "resultOfItem"

/** The code of a Function Item around which its item is what it was: the JSON alone, and files are kept. */
const wrapped = (code: string): string => `let item = JSON.parse(JSON.stringify($input.item.json));
const ${innerItem} = await (async () => {
${code}
})();
if (${innerItem} === null || typeof ${innerItem} !== "object" || Array.isArray(${innerItem})) {
  throw new Error("The code returned no object");
}
return $input.item.binary === undefined
  ? { json: ${innerItem} }
  : { json: ${innerItem}, binary: $input.item.binary };`

/** Whether a value is an object for certain: `item`, a literal, or a variable that holds nothing else. */
const isObject = (value: unknown, tree: unknown): boolean => {
  const { alternate, consequent, name, type } = objectOf(value)
  if (type === "ObjectExpression") return true
  if (type === "ConditionalExpression") return isObject(consequent, tree) && isObject(alternate, tree)
  if (type !== "Identifier" || !Predicate.isString(name)) return false
  const places = placesIn(tree)
  const declared = places.filter(({ node }) => node.type === "VariableDeclarator" && isNamed(node.id, name))
  const set = places.filter(({ node }) => node.type === "AssignmentExpression" && isNamed(node.left, name))
  const values = [...declared.map(({ node }) => node.init), ...set.map(({ node }) => node.right)]
  if (name === "item" && declared.length === 0) return values.every((one) => isFresh(one))
  return declared.length === 1 && values.every((one) => isFresh(one) || isNamed(one, "item"))
}

const isFresh = (value: unknown): boolean => objectOf(value).type === "ObjectExpression"

export const rewriteAiTransform: Rewrite = (graph, node, around) =>
  Result.flatMap(codeOf(node, "jsCode"), (code) =>
    withSuccessor(graph, node, asCode("runOnceForAllItems", code), around)
  )
