import { Effect, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { codeReader } from "../../upgrade/code.ts"
import { rewritableRules, rewriteWorkflow } from "../../upgrade/rewrites/rewrites.ts"
import { findingsIn, rulesOn } from "../../upgrade/rules.ts"
import { isConnections } from "../../workflow/connections.ts"
import { isOfFrozenType } from "../../workflow/frozenTypes.ts"
import type { Workflow } from "../../workflow/models.ts"
import { verdictText } from "../upgrade/draftUpgrade.ts"
import { prove } from "../upgrade/prove.ts"
import { chooseWorkflows } from "./chooseWorkflows.ts"
import { counterpartFinder } from "./counterparts.ts"
import type { Input } from "./Input.ts"

type Client = EngineClient["Service"]

/**
 * A promotion in which nodes that the target has frozen are rewritten on the way, where recorded runs of the source prove the
 * rewrite; what they do not prove is blocked.
 */
export const withRewrites = Effect.fnUntraced(function* (input: Input, source: Client, target: Client) {
  const to = yield* target.freezingVersion
  if (to === undefined) return input
  const { chosen } = chooseWorkflows(input, counterpartFinder(input))
  const concerned = [...chosen.keys()].flatMap((id) => {
    const workflow = input.source.get(id)
    return workflow?.nodes.some(isOfFrozenType) === true ? [workflow] : []
  })
  const outcomes = yield* Effect.forEach(concerned, (workflow) => rewritten(workflow, source, to))
  return {
    ...input,
    source: new Map([
      ...input.source,
      ...outcomes.flatMap((one) => ("after" in one ? [[one.id, one.after] as const] : []))
    ]),
    untested: new Map([
      ...(input.untested ?? []),
      ...outcomes.flatMap((one) => ("problem" in one ? [[one.id, one.problem] as const] : []))
    ])
  } satisfies Input
})

const rewritten = Effect.fnUntraced(function* (workflow: Workflow, source: Client, to: string) {
  const parse = yield* parser
  const { connections, id, nodes, settings } = workflow
  const from = Option.getOrUndefined(yield* Effect.orElseSucceed(source.publicVersion, Option.none<string>))
  const facts = { code: codeReader(parse), outlines: new Map<string, never>(), seconds: new Map<string, never>() }
  const isMeant = ({ frozen, id: rule }: { readonly frozen?: string; readonly id: string }) =>
    frozen !== undefined && rewritableRules.has(rule)
  const findings = isConnections(connections) ? findingsIn(workflow, facts, rulesOn({ from, to }, isMeant)) : []
  const graph = { nodes, connections: isConnections(connections) ? connections : {}, settings: settings ?? {} }
  const surroundings = { parse, callers: [], takesCallerPolicy: false, problemOf: () => undefined }
  const { graph: next, left, parts } = rewriteWorkflow(graph, findings, surroundings)
  const [first] = left
  if (first !== undefined) return { id, problem: `node ${first.node ?? ""} cannot be rewritten: ${first.reason}` }
  const after = { ...workflow, ...next }
  const proof = prove({ before: workflow, after, parts, target: undefined, mayBeMade: () => true })
  const verdict = yield* Effect.provideService(proof, EngineClient, source)
  return verdict._tag === "proved"
    ? { id, after }
    : { id, problem: `its rewrite is not proved (${verdictText(verdict)}): plan_upgrade can make it on the source` }
})
