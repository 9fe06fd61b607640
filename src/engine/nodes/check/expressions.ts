import { Predicate, Result } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/schema/nearest.ts"
import { nameOf } from "../../client/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Finding } from "./Finding.ts"
import { type Graph, type Order, orderOf } from "./graph.ts"
import { type Mentions, type Parse, readExpression, readProgram } from "./javaScript.ts"
import { splitExpression } from "./splitExpression.ts"

/** The names with `$` that engines offer to expressions and code. */
const offered =
  "$json $binary $input $node $items $item $workflow $execution $now $today $env $vars $secrets $parameter $prevNode $runIndex $itemIndex $data $position $jmespath $evaluateExpression $getWorkflowStaticData $rawParameter $self $request $response $pageCount $tool $agentInfo $if $ifEmpty $min $max $not $mode $resumeWebhookUrl $resumeFormUrl $webhookId $executionId $workflowId $index $value $credentials $nodeVersion $nodeId $webhookUrl $fromAI $fromAi $fromai $nodes $custom $getNodeParameter $context $ $$".split(
    " "
  )

/** Every string in the parameters that is an expression or code, with its path. */
interface Source {
  readonly path: string
  readonly text: string
  readonly isProgram: boolean
}

const sourcesOf = (node: JsonObject): ReadonlyArray<Source> => {
  const parameters = objectOf(node.parameters)
  const code = codeOf(node)
  const found: Array<Source> = []
  const walk = (value: unknown, path: string) => {
    if (Predicate.isString(value)) {
      if (value.startsWith("=")) found.push({ path, text: value, isProgram: false })
      else if (path === code) found.push({ path, text: value, isProgram: true })
    } else if (Array.isArray(value)) value.forEach((one, index) => walk(one, `${path}[${index}]`))
    else if (isJsonObject(value)) for (const [key, one] of Object.entries(value)) walk(one, `${path}.${key}`)
  }
  walk(parameters, "parameters")
  return found
}

/** The parameters with JavaScript. */
const codeOf = (node: JsonObject): string | undefined => {
  const { language = "javaScript" } = objectOf(node.parameters)
  if (language !== "javaScript") return undefined
  return codes.get(kindOf(node))
}

const codes: ReadonlyMap<string, string> = new Map([
  ["code", "parameters.jsCode"],
  ["toolCode", "parameters.jsCode"],
  ["function", "parameters.functionCode"],
  ["functionItem", "parameters.functionCode"]
])

/** Expressions and code that cannot be parsed, or that name nodes that do not exist or cannot have run. */
export const checkExpressions = (graph: Graph, parse: Parse): ReadonlyArray<Finding> => {
  const order = orderOf(graph)
  return [...graph.nodes.values()].filter(isEnabled).flatMap((node) =>
    sourcesOf(node).flatMap((source): ReadonlyArray<Finding> => {
      const at = { node: nameOf(node), field: source.path }
      const read = source.isProgram ? [readProgram(parse, source.text)] : expressionsIn(source.text, parse)
      return read.flatMap((one) =>
        Result.match(one, {
          onFailure: (why): ReadonlyArray<Finding> => [
            {
              level: "error",
              ...at,
              problem: `${source.isProgram ? "the code" : "the expression"} cannot be read: ${why}`
            }
          ],
          onSuccess: (mentions) => [
            ...(source.isProgram && !mentions.returns ? [{ ...at, ...noResult }] : []),
            ...problemsOf(mentions, nameOf(node), graph, order).map((problem) => ({ ...at, ...problem })),
            ...takenProblems(mentions, node, source, graph).map((problem) => ({ ...at, ...problem }))
          ]
        })
      )
    })
  )
}

const noResult = {
  level: "error",
  problem: "the code returns nothing",
  fix: "End it with return, such as return [{ json: { a: 1 } }]"
} as const

/** The code of an expression; without closing braces, an expression is plain text. */
const expressionsIn = (text: string, parse: Parse): ReadonlyArray<Result.Result<Mentions, string>> =>
  splitExpression(text.slice(1)).flatMap(({ isClosed, isCode, text: code }) => {
    if (!isCode || code.trim() === "") return []
    const read = isClosed ? readExpression(parse, code) : Result.fail(`{{ is never closed`)
    // Descriptions in `$fromAI` may contain any quotes: engines parse them in their own way.
    return Result.isFailure(read) && isClosed && /\$from(?:AI|Ai|ai)\(/.test(code) ? [] : [read]
  })

/** The end of the finding for a missing node. */
export const notThere = ", which is not there"

const problemsOf = (
  { asked, nodes, variables }: Mentions,
  name: string,
  graph: Graph,
  order: Order
): ReadonlyArray<Omit<Finding, "node" | "field">> => [
  ...nodes.flatMap((mentioned): ReadonlyArray<Omit<Finding, "node" | "field">> => {
    if (!graph.nodes.has(mentioned)) {
      const guess = nearest(mentioned, [...graph.nodes.keys()])
      const fix =
        guess === undefined ? `Nodes: ${[...graph.nodes.keys()].slice(0, 20).join(", ")}` : `Did you mean ${guess}?`
      return [{ level: "error", problem: `refers to node ${mentioned}${notThere}`, fix }]
    }
    if (asked.has(mentioned)) return []
    if (graph.nodes.get(mentioned)?.disabled === true && order.runs(name)) {
      const problem = `refers to node ${mentioned}, which is disabled: it only passes on what it gets`
      return [{ level: "warning", problem, fix: `Enable ${mentioned}, or take data of another node` }]
    }
    if (order.canPrecede(mentioned, name)) return []
    const problem = `refers to node ${mentioned}, which cannot have run before`
    return [{ level: "error", problem, fix: `Take data of a node that leads to ${name}` }]
  }),
  ...variables.flatMap((variable): ReadonlyArray<Omit<Finding, "node" | "field">> => {
    const guess = offered.includes(variable)
      ? undefined
      : nearest(
          variable,
          offered.filter((one) => one.length > 3)
        )
    return guess === undefined || Math.abs(guess.length - variable.length) > 2
      ? []
      : [{ level: "warning", problem: `${variable} is nothing that engines know`, fix: `Did you mean ${guess}?` }]
  })
]

/** Members of `$("Name")`. */
const ofNode = [
  "item",
  "first",
  "last",
  "all",
  "pairedItem",
  "itemMatching",
  "isExecuted",
  "params",
  "context",
  "isProxy"
]

/** Members of `$input` that code cannot use if it runs once for each item. */
const ofAllItems = ["all", "first", "last", "itemMatching"]

/** Members used of nodes, items and models that do not exist there. */
const takenProblems = (
  { taken, variables }: Mentions,
  node: JsonObject,
  { isProgram }: Source,
  { edges }: Graph
): ReadonlyArray<Omit<Finding, "node" | "field">> => {
  const [name, kind] = [nameOf(node), kindOf(node)]
  const isForEach = isProgram && kind === "code" && objectOf(node.parameters).mode === "runOnceForEachItem"
  const isTool = /tool/i.test(kind) || edges.some(({ from, source }) => source === name && from === "ai_tool")
  const unknown = new Set(taken.filter(({ of, what }) => of === "$" && !ofNode.includes(what)).map(({ what }) => what))
  const forAll = new Set(
    taken.filter(({ of, what }) => of === "$input" && ofAllItems.includes(what)).map(({ what }) => what)
  )
  return [
    ...[...unknown].map((what) => {
      const guess = what === "json" || what === "binary" ? `item.${what}, or first().${what}` : nearest(what, ofNode)
      const fix = guess === undefined ? `There are ${ofNode.slice(0, -1).join(", ")}` : `Did you mean ${guess}?`
      return { level: "warning", problem: `a node has no ${what}: $("…").${what} is nothing`, fix } as const
    }),
    ...(isForEach ? [...forAll] : []).map((what) => {
      const fix = "Take $input.item, or set mode to runOnceForAllItems"
      return { level: "error", problem: `$input.${what} cannot be used in code that runs for each item`, fix } as const
    }),
    ...(isTool || !variables.some((one) => /^\$fromai$/i.test(one)) ? [] : [fromNobody])
  ]
}

const fromNobody = {
  level: "warning",
  problem: "$fromAI gives nothing here: only tools of agents get values from a model",
  fix: "Connect the node to an agent as its tool, or take the value from $json"
} as const
