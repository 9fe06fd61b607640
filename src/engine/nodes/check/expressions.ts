import { Effect, Result } from "effect"

import { slices } from "../../../internal/effects.ts"
import { clipped } from "../../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Finding } from "./Finding.ts"
import { type Graph, type Order, orderOf } from "./graph.ts"
import {
  type Mentions,
  type Parse,
  readExpression,
  readProgram,
  type Source,
  sourcesOf,
  splitExpression,
  type Unreadable
} from "./javaScript.ts"

/** The names with `$` that engines offer to expressions and code. */
const offered =
  "$json $binary $input $node $items $item $workflow $execution $now $today $env $vars $secrets $parameter $prevNode $runIndex $itemIndex $data $position $jmespath $evaluateExpression $getWorkflowStaticData $rawParameter $self $request $response $pageCount $tool $agentInfo $if $ifEmpty $min $max $not $mode $resumeWebhookUrl $resumeFormUrl $webhookId $executionId $workflowId $index $value $credentials $nodeVersion $nodeId $webhookUrl $fromAI $fromAi $fromai $nodes $custom $getNodeParameter $context $ $$".split(
    " "
  )

/** Most findings about expressions and code; the last one then says that there are more. */
const maxFindings = 200

/** Expressions and code that cannot be parsed, or that name nodes that do not exist or cannot have run. */
export const checkExpressions = Effect.fnUntraced(function* (graph: Graph, parse: Parse) {
  const order = orderOf(graph)
  const guess = guesses()
  const names = [...graph.nodes.keys()].slice(0, maxCompared)
  const pause = slices()
  const findings: Array<Finding> = []
  for (const node of [...graph.nodes.values()].filter(isEnabled)) {
    for (const source of sourcesOf(node)) {
      if (source.isTemplate) continue
      const at = { node: nameOf(node), field: source.path }
      for (const read of source.isProgram ? programIn(source.text, parse) : expressionsIn(source.text, parse)) {
        if (findings.length > maxFindings) return [...findings.slice(0, maxFindings), more]
        const problems = Result.match(read.mentions, {
          onFailure: (why) => [unreadable(why, source)],
          onSuccess: (mentions) => [
            ...(source.isProgram && !mentions.returns ? [noResult] : []),
            ...problemsOf(mentions, nameOf(node), { graph, guess, names, order }),
            ...takenProblems(mentions, node, source, graph, guess)
          ]
        })
        for (const problem of problems) findings.push({ ...at, ...problem })
        yield* pause(read.length + overhead)
      }
    }
  }
  return findings
})

/** Characters that are parsed in the time that each expression takes besides. */
const overhead = 100

const more: Finding = {
  level: "warning",
  problem: "there are more problems in expressions and code than are told",
  fix: "Mend these first"
}

type Problem = Omit<Finding, "node" | "field">

const unreadable = ({ isUnparsed, why }: Unreadable, { isProgram }: Source): Problem => {
  const what = isProgram ? "the code" : "the expression"
  return isUnparsed
    ? { level: "warning", problem: `${what} was not checked: ${why}` }
    : { level: "error", problem: `${what} cannot be read: ${why}` }
}

/** The mentions in a text, and its length. */
interface Read {
  readonly mentions: Result.Result<Mentions, Unreadable>
  readonly length: number
}

const noResult = {
  level: "error",
  problem: "the code returns nothing",
  fix: "End it with return, such as return [{ json: { a: 1 } }]"
} as const

const programIn = (text: string, parse: Parse): ReadonlyArray<Read> => [
  { mentions: readProgram(parse, text), length: text.length }
]

/** The code of an expression; without closing braces, an expression is plain text. */
function* expressionsIn(text: string, parse: Parse): Generator<Read> {
  for (const { isClosed, isCode, text: code } of splitExpression(text)) {
    if (!isCode || code.trim() === "") continue
    const mentions = isClosed
      ? readExpression(parse, code)
      : Result.fail({ why: "{{ is never closed", isUnparsed: false })
    // Descriptions in `$fromAI` may contain any quotes: engines parse them in their own way.
    const isDescription = Result.isFailure(mentions) && isClosed && /\$from(?:AI|Ai|ai)\(/.test(code)
    if (!isDescription) yield { mentions, length: code.length }
  }
}

/** Names for which what was meant is looked for, and others that each of them is compared with, which takes its time. */
const maxGuesses = 20
const maxCompared = 500

type Guess = (written: string, names: ReadonlyArray<string>) => string | undefined

const guesses = (): Guess => {
  let left = maxGuesses
  return (written, names) => (left-- > 0 ? nearest(written, names) : undefined)
}

/** The end of the finding for a missing node. */
export const notThere = ", which is not there"

/** The workflow around a text that names nodes. */
interface Around {
  readonly graph: Graph
  readonly guess: Guess
  readonly names: ReadonlyArray<string>
  readonly order: Order
}

const problemsOf = (
  { nodesAskedFor, nodes, variables }: Mentions,
  name: string,
  { graph, guess: guessed, names, order }: Around
): ReadonlyArray<Problem> => [
  ...nodes.flatMap((mentioned): ReadonlyArray<Problem> => {
    if (!graph.nodes.has(mentioned)) {
      const guess = guessed(mentioned, names)
      const fix = guess === undefined ? `Nodes: ${names.slice(0, 20).join(", ")}` : `Did you mean ${guess}?`
      return [{ level: "error", problem: `refers to node ${clipped(mentioned, 200)}${notThere}`, fix }]
    }
    if (nodesAskedFor.has(mentioned)) return []
    if (graph.nodes.get(mentioned)?.disabled === true && order.runs(name)) {
      const problem = `refers to node ${mentioned}, which is disabled: it only passes on what it gets`
      return [{ level: "warning", problem, fix: `Enable ${mentioned}, or take data of another node` }]
    }
    if (order.canPrecede(mentioned, name)) return []
    const problem = `refers to node ${mentioned}, which cannot have run before`
    return [{ level: "error", problem, fix: `Take data of a node that leads to ${name}` }]
  }),
  ...variables.flatMap((variable): ReadonlyArray<Problem> => {
    const guess = offered.includes(variable)
      ? undefined
      : guessed(
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
  { edges }: Graph,
  guessed: Guess
): ReadonlyArray<Problem> => {
  const [name, kind] = [nameOf(node), kindOf(node)]
  const isForEach = isProgram && kind === "code" && objectOf(node.parameters).mode === "runOnceForEachItem"
  const isTool = /tool/i.test(kind) || edges.some(({ from, source }) => source === name && from === "ai_tool")
  const unknown = new Set(taken.filter(({ of, what }) => of === "$" && !ofNode.includes(what)).map(({ what }) => what))
  const forAll = new Set(
    taken.filter(({ of, what }) => of === "$input" && ofAllItems.includes(what)).map(({ what }) => what)
  )
  return [
    ...[...unknown].map((what) => {
      const guess = what === "json" || what === "binary" ? `item.${what}, or first().${what}` : guessed(what, ofNode)
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
