import { Predicate, Result, Struct } from "effect"

import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { fieldNames, left, type Left, parametersOf, type Rewrite, type Successor, withSuccessor } from "./Rewrite.ts"

/** The node for an operation, and the condition under which it gives the same in this version of the old one. */
interface Counterpart extends Successor {
  readonly condition?: string | undefined
}

/** An Item Lists node, in one of its three generations, as the node for its operation. */
export const rewriteItemLists: Rewrite = (graph, node, around) =>
  Result.gen(function* () {
    const { operation = "splitOutItems", ...given } = Struct.omit(parametersOf(node), ["resource"])
    const version = Predicate.isNumber(node.typeVersion) ? Math.floor(node.typeVersion) : 1
    if (version < 1 || version > 3) return yield* left(`its version ${String(node.typeVersion)} is not known`)
    const parameters = yield* withJoinedLists(given)
    const { condition, ...successor } = yield* counterpart(String(operation), version, parameters)
    return yield* withSuccessor(graph, node, successor, around, condition === undefined ? [] : [condition])
  })

/** Lists of names as texts with commas, as the successors have them. */
const withJoinedLists = (parameters: JsonObject): Result.Result<JsonObject, Left> =>
  Result.map(
    Result.all(
      Object.entries(parameters).map(([name, value]) => {
        const names = fieldNames(value)
        const odd = names?.find((one) => one.includes(","))
        return odd === undefined
          ? Result.succeed([name, names === undefined ? value : names.join(", ")] as const)
          : left(`the name of field ${JSON.stringify(odd)} has a comma, which separates fields in the new node`)
      })
    ),
    (entries) => Object.fromEntries(entries)
  )

const counterpart = (operation: string, version: number, parameters: JsonObject): Result.Result<Counterpart, Left> => {
  const as = (kind: string, condition?: string, typeVersion = 1) =>
    Result.succeed<Counterpart>({ kind, typeVersion, parameters, condition })
  switch (operation) {
    case "splitOutItems":
      return as(
        "splitOut",
        version === 1 ? "an object or a missing field was an error, and gives values or nothing now" : undefined
      )
    case "aggregateItems":
    case "concatenateItems": {
      const isOfAll = parameters.aggregate === "aggregateAllItemData"
      return as("aggregate", version === 1 && isOfAll ? "items gain what says where they come from" : undefined)
    }
    case "limit":
      return as("limit")
    case "sort":
      return as(
        "sort",
        parameters.type === "random" ? "the order is random: the items are compared as a set" : undefined
      )
    case "removeDuplicates":
      return Result.succeed({
        kind: "removeDuplicates",
        typeVersion: 2,
        parameters: { operation: "removeDuplicateInputItems", ...parameters },
        condition: version < 3 ? "values of several types were an error, and are a result now" : undefined
      })
    case "summarize":
      return Result.succeed({
        kind: "summarize",
        typeVersion: 1,
        parameters:
          version === 1
            ? parameters
            : { ...parameters, options: { ...objectOf(parameters.options), continueIfFieldNotFound: true } }
      })
    default:
      return left(`its operation ${JSON.stringify(operation)} is not known`)
  }
}
