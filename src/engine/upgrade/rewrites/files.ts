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

/** Only the whole JSON of each item as a file has an equal; the others lose fields. */
export const rewriteMoveBinaryData: Rewrite = (graph, node, around) => {
  const { convertAllData = true, destinationKey = "data", mode = "binaryToJson", options } = parametersOf(node)
  if (mode !== "jsonToBinary" || convertAllData !== true) {
    return left("what takes its place loses the other fields of each item: put them back in a Code node behind it")
  }
  if (Object.keys(objectOf(options)).length > 0)
    return left("nobody has compared its options with those of the new node")
  const parameters = { operation: "toJson", mode: "each", binaryPropertyName: destinationKey, options: {} }
  return withSuccessor(graph, node, { kind: "convertToFile", typeVersion: 1.1, parameters }, around, [
    "files get the name file.json, where they had none"
  ])
}
