import { Predicate, Result } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { isExpression } from "../../nodes/conditions.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { wiresLike } from "../../workflow/wires.ts"
import {
  type Graph,
  left,
  type Left,
  parametersOf,
  type Rewrite,
  withSuccessor,
  withSuccessorAndNode
} from "./Rewrite.ts"

const onlyReviewed = "files cannot be handed over to a run, so that this was not tried"

/** The only node before one, and its output. */
const onlyBefore = (
  graph: Graph,
  node: JsonObject
): Result.Result<{ readonly name: string; readonly output: number }, Left> => {
  const [only, ...others] = wiresLike(graph.connections, { target: nameOf(node), type: "main" })
  return only === undefined || others.length > 0
    ? left("it has not exactly one node before it, of which the other data could be taken again")
    : Result.succeed({ name: only.source, output: only.output })
}

/** Settings of nodes that mean something else for two nodes than for one. */
const unsplittable = (node: JsonObject): string | undefined =>
  ["executeOnce", "alwaysOutputData", "continueOnFail", "retryOnFail"].find((field) => node[field] === true) ??
  (Predicate.isString(node.onError) && node.onError.startsWith("continue") ? "onError" : undefined)

const globbing = /[*?[\]{}()!]/

/** The path of a file; a new node takes some characters for patterns of several files. */
const pathOf = (node: JsonObject): Result.Result<string, Left> => {
  const { filePath } = parametersOf(node)
  if (!Predicate.isString(filePath) || filePath === "") return left("it names no file")
  return !isExpression(filePath) && globbing.test(filePath)
    ? left("its path has characters that the new node takes for a pattern of several files")
    : Result.succeed(filePath)
}

const named = (property: unknown): string => (Predicate.isString(property) && property !== "" ? property : "data")

export const rewriteReadBinaryFile: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const problem = unsplittable(node)
    if (problem !== undefined) return yield* left(`it is set to ${problem}, which two nodes cannot share`)
    const filePath = yield* pathOf(node)
    const before = yield* onlyBefore(graph, node)
    const property = named(parametersOf(node).dataPropertyName)
    if (isExpression(property)) return yield* left("the name for its file is an expression")
    const suffix = "read"
    const first = {
      kind: "readWriteFile",
      typeVersion: 1,
      parameters: { operation: "read", fileSelector: filePath, options: { dataPropertyName: property } }
    }
    const behind = {
      kind: "code",
      typeVersion: 2,
      parameters: { mode: "runOnceForAllItems", jsCode: restoring(before, property) }
    }
    const rewritten = yield* withSuccessorAndNode(graph, node, { first, behind, suffix }, around, [onlyReviewed])
    // Without a file it gives out nothing, and where nothing arrives nothing could fail.
    const nodes = rewritten.graph.nodes.map((one) =>
      nameOf(one) === rewritten.entry ? { ...one, alwaysOutputData: true } : one
    )
    return { ...rewritten, graph: { ...rewritten.graph, nodes } }
  })

/** Code that puts the file that was read to the data of the item before, and fails where a file is missing. */
const restoring = ({ name, output }: { readonly name: string; readonly output: number }, property: string): string => {
  const key = JSON.stringify(property)
  return [
    `const before = $(${JSON.stringify(name)}).all(${output});`,
    "const files = $input.all();",
    `const isMissing = ({ binary }) => binary === undefined || binary[${key}] === undefined;`,
    "if (files.length !== before.length || files.some(isMissing)) {",
    `  throw new Error("A file is missing");`,
    "}",
    "return before.map(({ binary, json }, item) => ({",
    "  json,",
    `  binary: { ...binary, [${key}]: files[item].binary[${key}] },`,
    "  pairedItem: { item },",
    "}));"
  ].join("\n")
}

export const rewriteReadBinaryFiles: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const problem = unsplittable(node)
    if (problem !== undefined) return yield* left(`it is set to ${problem}, which two nodes cannot share`)
    const { dataPropertyName, fileSelector } = parametersOf(node)
    if (!Predicate.isString(fileSelector) || fileSelector === "") return yield* left("it names no files")
    const property = named(dataPropertyName)
    const first = {
      kind: "readWriteFile",
      typeVersion: 1,
      parameters: { operation: "read", fileSelector, options: { dataPropertyName: property } }
    }
    const behind = {
      kind: "code",
      typeVersion: 2,
      parameters: {
        mode: "runOnceForEachItem",
        jsCode: "return { json: {}, binary: $input.item.binary };"
      }
    }
    const conditions = [onlyReviewed, "each file is said to come from the first item alone"]
    const rewritten = yield* withSuccessorAndNode(graph, node, { first, behind, suffix: "read" }, around, conditions)
    const nodes = rewritten.graph.nodes.map((one) =>
      nameOf(one) === rewritten.entry ? { ...one, executeOnce: true } : one
    )
    return { ...rewritten, graph: { ...rewritten.graph, nodes } }
  })

const as =
  (kind: string, typeVersion: number, operation: string): Rewrite =>
  (graph, node, around) =>
    withSuccessor(graph, node, { kind, typeVersion, parameters: { operation, ...parametersOf(node) } }, around)

export const rewriteWriteBinaryFile: Rewrite = as("readWriteFile", 1, "write")

export const rewriteHtmlExtract: Rewrite = as("html", 1.2, "extractHtmlContent")

export const rewriteICal: Rewrite = (graph, node, around) => {
  const { uid } = objectOf(parametersOf(node).additionalFields)
  const conditions = Predicate.isString(uid) && uid !== "" ? [] : ["without a uid each event gets a random one"]
  const parameters = { operation: "iCal", ...parametersOf(node) }
  return withSuccessor(graph, node, { kind: "convertToFile", typeVersion: 1.1, parameters }, around, conditions)
}

/** Names without the signs by which old nodes reach into objects. */
const plainName = /^(?!__proto__$)\w[\w -]*$/

/** Its conversions as code: the nodes that are named as its successors lose other fields and files of each item. */
export const rewriteMoveBinaryData: Rewrite = (graph, node, around) => {
  const {
    convertAllData = true,
    destinationKey = "data",
    mode = "binaryToJson",
    options,
    setAllData = true,
    sourceKey = "data"
  } = parametersOf(node)
  if (Object.keys(objectOf(options)).length > 0)
    return left("nobody has compared its options with those of the new node")
  const isFromFile = mode === "binaryToJson"
  if (!isFromFile && mode !== "jsonToBinary") return left(`its mode ${JSON.stringify(mode)} is not known`)
  const isWhole = (isFromFile ? setAllData : convertAllData) === true
  const names = [...(isWhole && !isFromFile ? [] : [sourceKey]), ...(isWhole && isFromFile ? [] : [destinationKey])]
  const odd = names.find((name) => !Predicate.isString(name) || !plainName.test(name))
  if (odd !== undefined) return left(`the name ${JSON.stringify(odd)} is an expression, or reaches into an object`)
  const [from, into] = [JSON.stringify(sourceKey), JSON.stringify(destinationKey)]
  const jsCode = (isFromFile ? fromFile(from, into, isWhole) : toFile(from, into, isWhole, node)).join("\n")
  const conditions = [
    ...(isFromFile && isWhole ? ["a file that holds no object is an error"] : []),
    ...(unsplittable(node) === "onError" || node.continueOnFail === true ? ["errors give other items"] : [])
  ]
  const successor = { kind: "code", typeVersion: 2, parameters: { mode: "runOnceForEachItem", jsCode } }
  return withSuccessor(graph, node, successor, around, conditions)
}

const fromFile = (from: string, into: string, isWhole: boolean): ReadonlyArray<string> => [
  "const { binary, json } = $input.item;",
  `if (binary === undefined || binary[${from}] === undefined) return null;`,
  `const bytes = await this.helpers.getBinaryDataBuffer($itemIndex, ${from});`,
  `const text = bytes.toString("utf8").replace(/^\\uFEFF/, "");`,
  `const { [${from}]: _, ...others } = binary;`,
  `return { json: ${isWhole ? "JSON.parse(text)" : `{ ...json, [${into}]: text }`}, binary: others };`
]

const toFile = (from: string, into: string, isWhole: boolean, { typeVersion }: JsonObject): ReadonlyArray<string> => [
  "const { binary, json } = $input.item;",
  ...(isWhole
    ? ["const text = JSON.stringify(json);"]
    : [`if (json[${from}] === undefined) return null;`, `const text = JSON.stringify(json[${from}]);`]),
  `const file = await this.helpers.prepareBinaryData(Buffer.from(text), undefined, "application/json");`,
  ...(Predicate.isNumber(typeVersion) && typeVersion > 1 ? [`file.fileName = "file.json";`] : []),
  ...(isWhole ? [] : [`const { [${from}]: _, ...others } = json;`]),
  `return { json: ${isWhole ? "{}" : "others"}, binary: { ...binary, [${into}]: file } };`
]
