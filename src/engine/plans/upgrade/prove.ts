import { Clock, Effect, Option, Result } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { inputOf, jsonOf, nodeNamed, type RunData } from "../../operator/explain/runData.ts"
import { runsOfNode } from "../../operator/proof/compare.ts"
import { recordedRuns, wasRecorded } from "../../operator/proof/recordedRuns.ts"
import type { RecordedRun } from "../../operator/tests/testFromExecution.ts"
import { problemText } from "../../operator/tests/testReport.ts"
import type { RewrittenPart } from "../../upgrade/rewrites/rewrites.ts"
import { frozenNodes } from "../../workflow/frozenTypes.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import type { Verdict } from "./draftUpgrade.ts"
import { endsOf, reachedFrom, repeated, type ToProve } from "./repeated.ts"
import { comparedTimes } from "./times.ts"

/** Recorded runs that are repeated. */
const mostRuns = 5
/** Problems with runs that a verdict tells. */
const mostProblems = 2

/** Shows by recorded runs whether a rewritten workflow gives the same. The old nodes are never run again. */
export const prove = Effect.fnUntraced(function* (given: ToProve): Effect.fn.Return<Verdict, never, EngineClient> {
  const { instance, isReadOnly } = yield* EngineClient
  const { after, before, parts, target } = given
  const now = yield* Clock.currentTimeMillis
  const times = parts.map((part) => comparedTimes(before, after, part, now))
  const wrong = times.find((one) => one?.difference !== undefined)
  if (wrong?.difference !== undefined) return { _tag: "different", on: instance, difference: wrong.difference }
  const open = parts.filter((part, index) => part.entry !== undefined && times[index] === undefined)
  const clocked = parts.length - open.length > 0 ? times.flatMap((one) => (one === undefined ? [] : [one.note])) : []
  if (isReadOnly) return unproven(parts, open, [`${instance} is read-only, so that no copy can be run`])
  const read = yield* Effect.result(
    recordedRuns(before.id, {
      most: mostRuns,
      isDistinct: true,
      isWanted: ({ data }) => parts.some((part) => isOfPresent(part, data, before))
    })
  )
  if (Result.isFailure(read)) return unproven(parts, open, [read.failure.message])
  const covered = new Set<RewrittenPart>()
  const undecided = new Set<RewrittenPart>()
  let hasFailed = false
  const problems = new Set<string>()
  const notes = new Set<string>(clocked)
  const on = new Set<string>()
  let [runs, items] = [0, 0]
  for (const run of read.success.runs) {
    const reached = parts.filter((part) => isOfPresent(part, run.data, before) && inputsOf(part, run.data) > 0)
    if (reached.length === 0) continue
    const outcome = yield* Effect.result(repeated(given, run, reached))
    if (Result.isFailure(outcome)) {
      const { hasEnded = false, message } = outcome.failure
      problems.add(`run ${run.execution.id}: ${message}`)
      hasFailed ||= hasEnded
    } else {
      const { differences, tried } = outcome.success
      const stateful = tried.filter(({ isStateful = false }) => isStateful)
      const ofState = reachedFrom(after, stateful.flatMap(endsOf))
      const [difference] = [...differences.filter(({ node }) => !ofState.has(node)), ...differences]
      if (difference !== undefined) {
        if (!ofState.has(difference.node)) return { _tag: "different", on: outcome.success.on, difference }
        for (const part of stateful) undecided.add(part)
        problems.add(`run ${run.execution.id} depends on what code keeps between runs: ${problemText(difference)}`)
        continue
      }
      for (const part of reached) if (!tried.includes(part)) problems.add(`${part.node} would act outside`)
      for (const part of tried) covered.add(part)
      for (const note of outcome.success.notes) notes.add(note)
      on.add(instance)
      runs += 1
      items += tried.reduce((sum, part) => sum + inputsOf(part, run.data), 0)
    }
    if (target === undefined || Result.isFailure(outcome)) continue
    const version = yield* target.freezingVersion
    const mayBeMade = (node: JsonObject) => frozenNodes([node], version).length === 0
    const safeRun = masked(run)
    const there = yield* Effect.result(
      Effect.provideService(repeated({ ...given, mayBeMade }, safeRun, reached), EngineClient, target)
    )
    if (Result.isFailure(there)) {
      notes.add(`not on ${target.instance}: ${there.failure.message}`)
      continue
    }
    const { differences } = there.success
    if (differences.length > 0) {
      // What code makes of a mask is not what it made of the secret, on whichever instance.
      const here = isSameJson(safeRun.data, run.data)
        ? undefined
        : yield* Effect.option(repeated(given, safeRun, reached))
      const masks = here === undefined || Option.isNone(here) ? [] : here.value.differences
      if (!isSameJson(masks, differences)) {
        const [difference] = [...differences.filter((one) => !masks.some((other) => isSameJson(one, other))), ...masks]
        if (difference !== undefined) return { _tag: "different", on: target.instance, difference }
      }
      notes.add(`on ${target.instance} with masked secrets, of which the same was made on ${instance}`)
    }
    // Items beyond those that were expected are not compared.
    if (differences.every(({ of }) => of === undefined)) on.add(target.instance)
  }
  const unseen = open.filter((part) => !covered.has(part) || undecided.has(part))
  if (hasFailed) return { _tag: "unproved", why: [...problems].slice(0, mostProblems).join("; ") }
  if (unseen.length > 0) return unproven(parts, unseen, [...problems])
  if (covered.size === 0 && clocked.length === 0) return unproven(parts, open, [...problems])
  return { _tag: "proved", runs, items, on: [...on], notes: [...notes] }
})

/** A recorded run without the secrets in its items. */
const masked = (run: RecordedRun): RecordedRun => {
  const withoutSecrets = (item: unknown) => ({ ...objectOf(item), json: maskSecrets(jsonOf(item)) })
  const runs = run.data.runs.map((one) => ({ ...one, outputs: one.outputs.map((items) => items.map(withoutSecrets)) }))
  return { ...run, data: { ...run.data, runs } }
}

/** The verdict where some parts were not reached by a run. */
const unproven = (
  parts: ReadonlyArray<RewrittenPart>,
  unseen: ReadonlyArray<RewrittenPart>,
  problems: ReadonlyArray<string>
): Verdict => {
  const conditions = parts.flatMap((part) => (part.entry === undefined || unseen.includes(part) ? part.conditions : []))
  const names = unseen.flatMap(({ node }) => (node === undefined ? [] : [node]))
  const noRun =
    names.length === 0 ? "there are no items to compare" : `no recorded run shows ${names.join(", ")} at work`
  const why = [...(problems.length === 0 ? [noRun] : problems.slice(0, mostProblems)), ...new Set(conditions)].join(
    "; "
  )
  return { _tag: conditions.length === 0 ? "equal by rule" : "unproved", why }
}

/** Whether a run had the old node of a part as it is now, and at work: items pass by one that is disabled. */
const isOfPresent = ({ node }: RewrittenPart, data: RunData, { nodes }: Workflow): boolean => {
  if (node === undefined) return false
  const [then, now] = [nodeNamed(data, node), nodes.find((one) => nameOf(one) === node)]
  if (then === undefined || now === undefined || !isEnabled(then) || !isEnabled(now)) return false
  return wasRecorded(now, then) && runsOfNode(data, node).length > 0
}

/** The items that came to the old node of a part; of a trigger, those that it gave out. */
const inputsOf = ({ emits, node = "" }: RewrittenPart, data: RunData): number =>
  runsOfNode(data, node).reduce(
    (sum, run) => sum + (emits === undefined ? inputOf(data, run).length : run.outputs.flat().length),
    0
  )
