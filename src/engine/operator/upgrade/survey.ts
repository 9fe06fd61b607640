import { Clock, Effect, Option, Result } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { clipped, listed } from "../../../internal/foreignText.ts"
import { each, fields, only } from "../../../internal/json/Selection.ts"
import { isJsonObject, type JsonObject } from "../../../internal/schema/JsonObject.ts"
import { mapSliced } from "../../../internal/Sliced.ts"
import { isoOf } from "../../../internal/time.ts"
import { provingPage } from "../../client/listAll.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import { codeReader } from "../../upgrade/code.ts"
import type { TypeFinding } from "../../upgrade/compareTypes.ts"
import { callingPart, outlineOf } from "../../upgrade/Outline.ts"
import type { Facts, Finding, Outline, Rule, Severity, Subject } from "../../upgrade/Rule.ts"
import { findingsIn, rulesOn, severityOf, type Way } from "../../upgrade/rules.ts"
import { ExecutionId } from "../../workflow/models.ts"
import { nameOf, nodesOf } from "../../workflow/nodes.ts"
import { secondsOf } from "../explain/describeExecution.ts"
import { runDataOf } from "../explain/runData.ts"
import { executionsSince } from "../health/recentFailures.ts"
import type { Engine } from "../health/workflowFacts.ts"
import { type Target, targetTypes, typeComparer } from "./typeChanges.ts"

/** A finding of a rule or of a comparison with the target's node types, with its effect. */
export type UpgradeFinding = (Finding | TypeFinding) & { readonly severity: Severity }

/** A workflow with findings. */
export interface Affected {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly severity: Severity
  readonly findings: ReadonlyArray<UpgradeFinding>
}

/** Everything that an upgrade changes on one instance. */
export interface Survey {
  readonly instance: string
  readonly way: Way
  readonly affected: ReadonlyArray<Affected>
  readonly outlines: ReadonlyMap<string, Outline>
  readonly archived: number
  readonly runs: RecentRuns
  /** Parts that were not looked at. */
  readonly notLookedAt: ReadonlyArray<string>
}

/** Workflows of a page, and most pages of one instance. */
const pageSize = 100
const maxPages = 400

/** Days of executions that are counted. */
const days = 7

/** Runs of more than a minute whose data is read for the time of their code. */
const mostSlow = 10
const minute = 60

const searched = fields({ pinData: "nothing", staticData: "nothing", shared: "nothing" })

/** Reads an instance page by page, and keeps of its workflows only what the report says of them. */
const survey = Effect.fnUntraced(function* (engine: Engine, to: string, target: Target) {
  const from = Option.getOrUndefined(yield* engine.publicVersion)
  const way: Way = { from, to }
  const across = rulesOn(way, ({ isAcross }) => isAcross === true)
  const single = rulesOn(way, ({ isAcross }) => isAcross !== true)
  const parse = yield* parser
  const present = target.catalog === undefined ? undefined : (yield* (yield* NodeKnowledge).soon(engine)).catalog
  const comparer = typeComparer(target.catalog, present)
  const outlines = new Map<string, Outline>()
  const calling: Array<Subject> = []
  const findings = new Map<string, ReadonlyArray<UpgradeFinding>>()
  const facts: Facts = { code: codeReader(parse), outlines, seconds: new Map() }
  const add = (id: string, more: ReadonlyArray<Finding | TypeFinding>) => {
    if (more.length > 0) findings.set(id, [...(findings.get(id) ?? []), ...more.map(withSeverity)])
  }
  const notLookedAt: Array<string> = []
  const unread: Array<string> = []
  const archived = new Set<unknown>()

  const look = (workflow: JsonObject) => {
    if (workflow.isArchived === true) {
      archived.add(workflow.id)
      return
    }
    const outline = outlineOf(workflow)
    if (outlines.has(outline.id)) return
    outlines.set(outline.id, outline)
    const part = across.length === 0 ? undefined : callingPart(workflow)
    if (part !== undefined) calling.push(part)
    const subject = { ...workflow, nodes: nodesOf(workflow) }
    // A reader keeps what it has read as long as it lives.
    const code = codeReader(parse)
    const factsHere = { ...facts, code }
    const ofRules = findingsIn(subject, factsHere, single)
    const nodes = new Set(ofRules.map(({ node }) => node))
    add(outline.id, [...ofRules, ...comparer.findings(subject.nodes).filter(({ node }) => !nodes.has(node))])
    add(outline.id, ofPublished(workflow, factsHere, single, ofRules))
    for (const node of subject.nodes) {
      for (const { why } of code(node).unread)
        unread.push(`${clipped(nameOf(node), 40)} of ${clipped(outline.name, 40)} (${outline.id}): ${why}`)
    }
  }

  const lookAt = (workflows: ReadonlyArray<JsonObject>) =>
    Effect.andThen(
      comparer.prepare(workflows.flatMap(nodesOf)),
      Effect.asVoid(inSlices(() => mapSliced(workflows, look, (workflow) => nodesOf(workflow).length)))
    )

  const readPages = Effect.gen(function* () {
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const { nextCursor } = yield* provingPage(engine)(
        engine.takeWorkflows(
          { excludePinnedData: true, ...(cursor === undefined ? { limit: pageSize } : { cursor }) },
          searched,
          lookAt
        )
      )
      if (typeof nextCursor !== "string" || nextCursor === "" || nextCursor === cursor) return
      cursor = nextCursor
    }
    notLookedAt.push(`workflows beyond the first ${outlines.size}`)
  })

  const [, runs] = yield* Effect.all([readPages, recentRuns(engine)], { concurrency: 2 })
  for (const subject of calling) {
    add(String(subject.id), findingsIn(subject, facts, across))
  }
  const slow = yield* slowCode(
    engine,
    runs,
    facts,
    single.filter(({ id }) => id === "U3-minute")
  )
  for (const [id, more] of slow.findings) if (outlines.has(id)) add(id, more)
  if (unread.length > 0)
    notLookedAt.push(`code that cannot be parsed, at ${unread.length} places: ${listed(unread, 3)}`)
  return {
    instance: engine.instance,
    way,
    outlines,
    archived: archived.size,
    runs,
    notLookedAt: [...notLookedAt, ...slow.notLookedAt],
    affected: [...findings].flatMap(([id, all]) => {
      const outline = outlines.get(id)
      if (outline === undefined) return []
      const severity = severities.find((one) => all.some((finding) => finding.severity === one)) ?? "cosmetic"
      return [{ id, name: outline.name, active: outline.isActive, severity, findings: all }]
    })
  } satisfies Survey
})

/** Reads several instances on the way to a version; one that cannot be read does not keep the others. */
export const surveyAll = Effect.fnUntraced(function* (engines: ReadonlyArray<Engine>, to: string) {
  const target = yield* targetTypes(to)
  const results = yield* Effect.forEach(
    engines,
    (engine) => Effect.map(Effect.result(survey(engine, to, target)), (result) => [engine.instance, result] as const),
    { concurrency: 4 }
  )
  return {
    source: target.source,
    surveys: results.flatMap(([, result]) => (Result.isSuccess(result) ? [result.success] : [])),
    failures: results.flatMap(([instance, result]) =>
      Result.isFailure(result) ? [{ instance, error: result.failure }] : []
    )
  }
})

/** From the worst to the least. */
export const severities = ["stops", "changes results", "cosmetic"] as const satisfies ReadonlyArray<Severity>

const withSeverity = (finding: Finding | TypeFinding): UpgradeFinding => ({ ...finding, severity: severityOf(finding) })

/** Findings of the published version of a workflow beside those of the one that is edited. */
const ofPublished = (
  { active, activeVersion, versionId }: JsonObject,
  facts: Facts,
  rules: ReadonlyArray<Rule>,
  others: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => {
  if (active !== true || !isJsonObject(activeVersion) || activeVersion.versionId === versionId) return []
  const keyOf = ({ field, node, rule }: Finding) => JSON.stringify([rule, node, field])
  const keys = new Set(others.map(keyOf))
  const subject = { nodes: nodesOf(activeVersion), connections: activeVersion.connections }
  return findingsIn(subject, facts, rules)
    .filter((finding) => !keys.has(keyOf(finding)))
    .map((finding) => ({ ...finding, message: `${finding.message} (in the published version)` }))
}

/** Counts of the runs of workflows, and the moment from which they are counted. */
export interface RecentRuns {
  readonly counts: ReadonlyMap<string, number>
  readonly since: string | undefined
  /** The longest run of each workflow that had one of more than a minute. */
  readonly slow: ReadonlyMap<string, { readonly execution: number; readonly seconds: number }>
}

const recentRuns = Effect.fnUntraced(function* (engine: Engine) {
  const since = isoOf((yield* Clock.currentTimeMillis) - days * 86_400_000)
  const listed = yield* executionsSince(
    (query) => engine.listExecutions({ startedAfter: since, ...query }),
    since
  ).pipe(Effect.option)
  if (Option.isNone(listed)) return { counts: new Map(), since: undefined, slow: new Map() } satisfies RecentRuns
  const { isMore, runs } = listed.value
  const counts = new Map<string, number>()
  const slow = new Map<string, { readonly execution: number; readonly seconds: number }>()
  for (const run of runs) {
    const id = String(run.workflowId)
    counts.set(id, (counts.get(id) ?? 0) + 1)
    const seconds = secondsOf(run) ?? 0
    if (seconds > minute && seconds > (slow.get(id)?.seconds ?? 0)) slow.set(id, { execution: Number(run.id), seconds })
  }
  const oldest = runs.map(({ startedAt }) => String(startedAt)).toSorted()[0]
  return { counts, slow, since: isMore ? (oldest ?? since) : since } satisfies RecentRuns
})

const durations = only({
  id: "whole",
  status: "whole",
  data: only({ resultData: only({ runData: each(each(only({ executionTime: "whole" }))) }) }),
  workflowData: only({ nodes: "whole" })
})

/** The findings in code that took longer than engines will allow, by workflow. */
const slowCode = Effect.fnUntraced(function* (
  engine: Engine,
  { slow }: RecentRuns,
  facts: Facts,
  rules: ReadonlyArray<Rule>
) {
  const runs = [...slow].toSorted(([, a], [, b]) => b.seconds - a.seconds)
  const findings = yield* Effect.forEach(
    runs.slice(0, mostSlow),
    ([id, { execution }]) =>
      Effect.map(Effect.option(engine.getExecution(ExecutionId.make(execution), true, durations)), (read) => {
        const data = Option.isSome(read) ? runDataOf(read.value) : undefined
        if (data === undefined) return [id, []] as const
        const seconds = new Map<string, number>()
        for (const { node, whole } of data.runs) {
          seconds.set(node, Math.max(seconds.get(node) ?? 0, Number(whole.executionTime) / 1000 || 0))
        }
        const subject = { nodes: data.nodes }
        return [id, findingsIn(subject, { ...facts, seconds }, rules)] as const
      }),
    { concurrency: 2 }
  )
  const left = runs.length - mostSlow
  return { findings, notLookedAt: left > 0 ? [`the data of ${left} further runs of more than a minute`] : [] }
})
