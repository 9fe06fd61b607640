import { Result } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { nameOf } from "../../workflow/nodes.ts"
import type { Finding, RuleId } from "../Rule.ts"
import { draftAgent, rewriteAgent } from "./agents.ts"
import { rewriteEach } from "./calls.ts"
import { rewriteAiTransform, rewriteFunction, rewriteFunctionItem } from "./code.ts"
import {
  rewriteHtmlExtract,
  rewriteICal,
  rewriteMoveBinaryData,
  rewriteReadBinaryFile,
  rewriteReadBinaryFiles,
  rewriteWriteBinaryFile
} from "./files.ts"
import { rewriteItemLists } from "./itemLists.ts"
import { type Graph, left, type Left, type Rewrite, type Rewritten, type Surroundings } from "./Rewrite.ts"
import { rewriteCallerPolicy, rewriteCron, rewriteInterval, rewriteStart, rewriteWorkflowTrigger } from "./triggers.ts"

/** The rewrites, by the rule that tells of what they are for; for any other rule there is none. */
const rewrites: { readonly [id in RuleId]?: Rewrite } = {
  "U2-start": rewriteStart,
  "U3-function": rewriteFunction,
  "U3-functionItem": rewriteFunctionItem,
  "U3-aiTransform": rewriteAiTransform,
  "U3-itemLists": rewriteItemLists,
  "U3-cron": rewriteCron,
  "U3-interval": rewriteInterval,
  "U3-workflowTrigger": rewriteWorkflowTrigger,
  "U3-readBinaryFile": rewriteReadBinaryFile,
  "U3-readBinaryFiles": rewriteReadBinaryFiles,
  "U3-writeBinaryFile": rewriteWriteBinaryFile,
  "U3-htmlExtract": rewriteHtmlExtract,
  "U3-iCal": rewriteICal,
  "U3-moveBinaryData": rewriteMoveBinaryData,
  "U3-agentMode": draftAgent,
  "U3-agentV1": rewriteAgent,
  "U3-each": rewriteEach,
  "U3-caller": rewriteCallerPolicy
}

/** The ids of the rules for which there is a rewrite. */
export const rewritableRules: ReadonlySet<string> = new Set(Object.keys(rewrites))

/** A part of a workflow that was rewritten: the old node, where it was one, and what is known of the new ones. */
export interface RewrittenPart extends Omit<Rewritten, "graph"> {
  readonly rule: RuleId
  readonly node: string | undefined
}

/** A part of a workflow that stays as it is. */
export interface LeftPart extends Left {
  readonly rule: RuleId
  readonly node: string | undefined
}

/** A workflow after all rewrites that are possible. */
export interface RewrittenWorkflow {
  readonly graph: Graph
  readonly parts: ReadonlyArray<RewrittenPart>
  readonly left: ReadonlyArray<LeftPart>
}

/** Rewrites what rules have found in a workflow, each node once. */
export const rewriteWorkflow = (
  given: Graph,
  findings: ReadonlyArray<Pick<Finding, "node" | "rule">>,
  around: Surroundings
): RewrittenWorkflow => {
  const named = grouped(given.nodes, nameOf)
  const done = new Set<string>()
  return findings.reduce<RewrittenWorkflow>(
    (so, { node: name, rule }) => {
      const rewrite = rewrites[rule]
      const [node, ...others] = name === undefined ? [{}] : (named.get(name) ?? [])
      const key = JSON.stringify([rule, name])
      if (rewrite === undefined || node === undefined || done.has(key)) return so
      done.add(key)
      const outcome = others.length > 0 ? left("another node has the same name") : rewrite(so.graph, node, around)
      return Result.match(outcome, {
        onFailure: (why) => ({ ...so, left: [...so.left, { rule, node: name, ...why }] }),
        onSuccess: ({ graph, ...part }) => ({ ...so, graph, parts: [...so.parts, { rule, node: name, ...part }] })
      })
    },
    { graph: given, parts: [], left: [] }
  )
}
