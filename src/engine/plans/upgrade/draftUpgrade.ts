import type { Blocked } from "../../../changes/Plan.ts"
import { clipped, listed } from "../../../internal/foreignText.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { mapSliced, type Sliced, sortSliced } from "../../../internal/Sliced.ts"
import type { NodeDifference } from "../../operator/proof/compare.ts"
import { problemText } from "../../operator/tests/testReport.ts"
import type { LeftPart, RewrittenWorkflow } from "../../upgrade/rewrites/rewrites.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Change } from "../Change.ts"
import { contentOf, partsBefore } from "../content.ts"
import { levels } from "../levels.ts"
import { order } from "../order.ts"
import { type Draft, type Step, stepOf } from "../Step.ts"
import { calledIds, linksOf } from "../workflowLinks.ts"

/** The outcome of the proof of one workflow. */
export type Verdict =
  | {
      readonly _tag: "proved"
      readonly runs: number
      readonly items: number
      readonly on: ReadonlyArray<string>
      readonly notes: ReadonlyArray<string>
    }
  /** The rules say that it is the same; there is no run that could show it. */
  | { readonly _tag: "equal by rule"; readonly why: string }
  | { readonly _tag: "different"; readonly on: string; readonly difference: NodeDifference }
  | { readonly _tag: "unproved"; readonly why: string }

/** A workflow that could be rewritten, and what its proof has shown; no verdict where there was no time for it. */
export interface Candidate {
  readonly instance: string
  readonly workflow: Workflow
  readonly rewritten: RewrittenWorkflow
  readonly verdict: Verdict | undefined
  /** Whether the caller takes what could not be proved. */
  readonly isAccepted: boolean
}

/** The draft of an upgrade: a step for each workflow that is rewritten. */
export function* draftUpgrade(candidates: ReadonlyArray<Candidate>): Sliced<Draft> {
  const calls = new Map(
    candidates.map(({ workflow }) => [String(workflow.id), calledIds(linksOf(contentOf(workflow)))] as const)
  )
  const { levelOf } = levels(calls)
  const placeOf = placesOf(candidates)
  const titleOf = (candidate: Candidate, node?: string): string =>
    `${candidate.workflow.name} (${candidate.workflow.id})${placeOf(candidate)}${node === undefined ? "" : `, node ${node}`}`
  const outcomes = yield* mapSliced(
    candidates,
    (candidate) => ({ candidate, problem: problemOf(candidate) }),
    ({ workflow }) => weightOfJson(workflow)
  )
  const steps = outcomes.flatMap(({ candidate, problem }): ReadonlyArray<Step> =>
    problem === undefined ? [stepFor(candidate, levelOf(candidate.workflow.id))] : []
  )
  return {
    kind: "upgrade",
    steps: yield* sortSliced(steps, order),
    warnings: warningsOf(outcomes.flatMap(({ candidate, problem }) => (problem === undefined ? [candidate] : []))),
    blocked: outcomes.flatMap(({ candidate, problem }): ReadonlyArray<Blocked> => [
      ...(problem === undefined || candidate.rewritten.parts.length === 0
        ? []
        : [{ what: titleOf(candidate), ...problem }]),
      ...candidate.rewritten.left.map((part) => ({ what: titleOf(candidate, part.node), reason: leftText(part) }))
    ])
  }
}

/** The instance of a workflow in words, where there are several: mostly they have workflows of the same names. */
const placesOf = (candidates: ReadonlyArray<Candidate>) => {
  const isOne = new Set(candidates.map(({ instance }) => instance)).size < 2
  return ({ instance }: Candidate): string => (isOne ? "" : ` on ${instance}`)
}

/** The reason why a part stays, with the rule that tells of it. */
const leftText = ({ line, reason, rule }: LeftPart): string =>
  `${rule}: ${reason}${line === undefined ? "" : ` (line ${line})`}`

/** The reason why a workflow is not rewritten. */
const problemOf = ({ isAccepted, rewritten, verdict, workflow }: Candidate): Omit<Blocked, "what"> | undefined => {
  if (rewritten.parts.length === 0) return { reason: "nothing of it can be rewritten" }
  if (workflow["isArchived"] === true) return { reason: "it is archived" }
  if (verdict === undefined)
    return { reason: "there was no time for its proof: plan again, which goes on", later: true }
  if (verdict._tag === "different") {
    return { reason: `different on ${verdict.on}: ${problemText(verdict.difference)}. It stays as it is` }
  }
  return verdict._tag === "proved" || isAccepted
    ? undefined
    : { reason: `${verdict._tag}: ${verdict.why}. Accept it by name to rewrite it all the same` }
}

const stepFor = ({ instance, rewritten, verdict, workflow }: Candidate, level: number): Step => {
  const before = contentOf(workflow)
  const { connections, nodes, settings } = rewritten.graph
  const after = { ...before, nodes, connections, settings }
  const change: Change = {
    kind: "update",
    instance,
    workflow: workflow.id,
    name: workflow.name,
    labels: (workflow.tags ?? []).map(({ name }) => name),
    before: partsBefore(after, before),
    after,
    references: [],
    level
  }
  return stepOf(change, `${rewrittenText(rewritten)}; ${verdict === undefined ? "" : verdictText(verdict)}`)
}

const mostNamed = 6

/** The rules and nodes of what was rewritten. */
const rewrittenText = ({ parts }: RewrittenWorkflow): string =>
  listed(
    parts.map(({ node, rule }) => (node === undefined ? rule : `${rule} ${node}`)),
    mostNamed
  )

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A verdict in a sentence. */
export const verdictText = (verdict: Verdict): string => {
  switch (verdict._tag) {
    case "proved": {
      const { items, notes, on, runs } = verdict
      const words =
        runs === 0
          ? "proved"
          : `proved by ${counted(runs, "run")} with ${counted(items, "item")} on ${on.join(" and ")}`
      return notes.length === 0 ? words : `${words} (${listed(notes, 3)})`
    }
    case "different":
      return `different on ${verdict.on}: ${problemText(verdict.difference)}`
    default:
      return `${verdict._tag}: ${verdict.why}`
  }
}

const ranks = ["different", "unproved", "equal by rule", "proved"]

/** The verdicts on workflows, those that need a look first. */
export const verdictRows = (candidates: ReadonlyArray<Candidate>) => {
  const placeOf = placesOf(candidates)
  return candidates
    .flatMap((candidate) => {
      const { rewritten, verdict, workflow } = candidate
      const { id, name } = workflow
      return verdict === undefined || rewritten.parts.length === 0
        ? []
        : [{ name, id, verdict, at: placeOf(candidate) }]
    })
    .toSorted((a, b) => ranks.indexOf(a.verdict._tag) - ranks.indexOf(b.verdict._tag))
    .map(({ at, id, name, verdict }) => {
      const text = verdictText(verdict)
      return { name, id, verdict: clipped(at === "" ? text : `${at.trim()}: ${text}`, longestVerdict) }
    })
}

/** Characters of a verdict in a row. */
const longestVerdict = 300

/** The number of workflows of each verdict. */
export const verdictCounts = (candidates: ReadonlyArray<Candidate>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const { rewritten, verdict } of candidates) {
    if (verdict === undefined || rewritten.parts.length === 0) continue
    counts.set(verdict._tag, (counts.get(verdict._tag) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}

const warningsOf = (applied: ReadonlyArray<Candidate>): ReadonlyArray<string> => {
  const called = applied.filter(({ rewritten: { graph, parts } }) =>
    parts.some(
      ({ rule }) =>
        rule === "U2-start" && graph.nodes.some(({ type }) => String(type).endsWith(".executeWorkflowTrigger"))
    )
  )
  const looped = applied.filter(({ rewritten: { parts } }) => parts.some(({ rule }) => rule === "U3-each"))
  const namesOf = (some: ReadonlyArray<Candidate>) =>
    listed(
      some.map(({ workflow }) => workflow.name),
      mostNamed
    )
  return [
    ...(called.length === 0 ? [] : [`Others call ${namesOf(called)}: engines from 2.0 on only run what is published`]),
    ...(looped.length === 0
      ? []
      : [`In ${namesOf(looped)}, a call that gives out nothing ends the loop around it, without an error`])
  ]
}
