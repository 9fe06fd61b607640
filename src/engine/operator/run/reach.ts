import { Result } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { wordSet } from "../../../internal/texts.ts"
import { type Parse, programPaths } from "../../nodes/check/javaScript.ts"
import { freeReferences, memberName } from "../../upgrade/freeReferences.ts"
import { leavesOf } from "../../workflow/valuePaths.ts"
import { unclearCall } from "./unclearCalls.ts"

/** A use in a node's code by which it may reach beyond its items. */
export interface Reach {
  readonly field: string
  /** The name that is used, or the reason why the code is not understood. */
  readonly use: string
  /** Undefined where the use has no place. */
  readonly line?: number
}

/**
 * The first use in a node's code that may reach beyond its items. JavaScript only works on its items if it is understood
 * entirely: it takes nothing but data, the language's own objects and what it declares itself, and every call is clear. In Python,
 * which is not parsed, no word may be one that reaches further, wherever it stands.
 */
export const reachOf = (node: JsonObject, parse: Parse): Reach | undefined => {
  const paths = programPaths(node)
  if (paths.length === 0) return undefined
  const { language = "javaScript" } = paths.includes("parameters.jsCode") ? objectOf(node.parameters) : {}
  const isPython = language === "python" || language === "pythonNative"
  if (language !== "javaScript" && !isPython) return { field: "language", use: "it is not known" }
  for (const { path: field, text } of leavesOf(node.parameters)) {
    if (!(isPython ? field === "pythonCode" : paths.includes(`parameters.${field}`))) continue
    if (text.startsWith("=")) return { field, use: "an expression makes the code" }
    const use = isPython ? useInPython(text) : useInJavaScript(text, parse)
    if (use === undefined) continue
    const { name, start } = use
    return { field, use: name, ...(start === undefined ? {} : { line: text.slice(0, start).split("\n").length }) }
  }
  return undefined
}

interface Use {
  readonly name: string
  readonly start?: number | undefined
}

/** Words of Python by which code leaves its items: built-ins, frames, and the JavaScript behind them in older engines. */
const python =
  /(?<!\w)(?:(?:import|exec|eval|compile|open|input|[gs]etattr|delattr|vars|globals|locals|breakpoint|help|constructor|prototype|new|js|pyodide|as_object_map|_?(?:helpers|require|fetch|process|this|evaluateExpression)|httpRequest|f_(?:back|builtins|globals|locals))(?!\w)|(?:gi|cr|ag|tb)_)|__/

const useInPython = (text: string): Use | undefined => {
  // Python reads letters of other widths and styles as the plain ones.
  const plain = text.normalize("NFKC")
  const start = plain.search(python)
  if (start < 0) return undefined
  const [name = ""] = /^\w+/.exec(plain.slice(start)) ?? []
  return { name, start: text.includes(name) ? start : undefined }
}

/** The language's own names, by which nothing outside can be had. */
const builtIns = wordSet(`
  Array ArrayBuffer BigInt Boolean Buffer DataView Date Error Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl JSON
  Map Math NaN Number Object Promise RangeError RegExp Set String SyntaxError TextDecoder TextEncoder TypeError URL URLSearchParams
  Uint16Array Uint32Array Uint8Array WeakMap WeakSet atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt queueMicrotask setImmediate setInterval
  setTimeout structuredClone undefined unescape
`)

/** Names that engines give to code, by which it has its items and their history. */
const engineNames = wordSet(`
  $ $agentInfo $binary $data $env $execution $fromAI $getPairedItem $getWorkflowStaticData $if $ifEmpty $input $item $itemIndex $items
  $jmesPath $jmespath $json $max $min $mode $node $nodeId $nodeVersion $not $now $pageCount $parameter $position $prevNode
  $resumeFormUrl $resumeWebhookUrl $runIndex $today $vars $webhookId $workflow DateTime Duration Interval getBinaryDataAsync
  getNodeParameter getWorkflowStaticData item items luxon query setBinaryDataAsync
`)

/** Members of the node itself that only read. */
const nodeMembers = wordSet(`
  continueOnFail getExecutionId getInputData getMode getNode getNodeParameter getTimezone getWorkflow getWorkflowStaticData
`)

/** Names of members by which code has more than an object's fields: the makers of functions, prototypes, frames. */
const opening = wordSet(`
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ callee caller captureStackTrace constructor
  defineProperties defineProperty getFunction getOwnPropertyDescriptor getOwnPropertyDescriptors getPrototypeOf getThis
  prepareStackTrace setPrototypeOf
`)

/** The first use in JavaScript of what may reach beyond the items. */
const useInJavaScript = (text: string, parse: Parse): Use | undefined => {
  const tree = parse(text)
  if (Result.isFailure(tree)) return { name: "the code cannot be read" }
  const uses = freeReferences(tree.success).flatMap(
    ({ isAssigned, name, path: [member = ""], start }): ReadonlyArray<Use> => {
      if (name === "this") return nodeMembers.has(member) ? [] : [{ name: member === "" ? name : member, start }]
      return engineNames.has(name) || (builtIns.has(name) && !isAssigned) ? [] : [{ name, start }]
    }
  )
  const all = [...uses, ...openingUses(tree.success)].toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
  return all[0] ?? unclearCall(tree.success, (name) => builtIns.has(name) || engineNames.has(name))
}

/** Uses of imports, of names that open an object, and of a `this` that may be that of everything. */
const openingUses = (tree: unknown): ReadonlyArray<Use> => {
  const uses: Array<Use> = []
  const visit = (node: unknown, isInClass: boolean): void => {
    for (const one of listOf(node)) visit(one, isInClass)
    if (!isJsonObject(node)) return
    const { computed, key, kind, name, object, type, value } = node
    const use = (text: string) => uses.push({ name: text, start: Number(node.start) })
    if (type === "WithStatement") use("with")
    if (type === "ImportExpression") use("import")
    if (type === "ThisExpression" && !isInClass) use("this")
    const word = type === "TemplateElement" ? textOf(objectOf(value).cooked) : textOf(name ?? value)
    if (opening.has(word)) use(word)
    const isOfNode = type === "MemberExpression" && objectOf(object).type === "ThisExpression"
    const isConstructor = type === "MethodDefinition" && kind === "constructor" && computed !== true
    const isMember = type === "MethodDefinition" || type === "PropertyDefinition"
    for (const child of Object.values(node)) {
      if (isConstructor && child === key) continue
      if (isOfNode && child === object && nodeMembers.has(memberName(node) ?? "")) continue
      visit(child, isInClass || type === "StaticBlock" || (isMember && child !== key))
    }
  }
  visit(tree, false)
  return uses
}
