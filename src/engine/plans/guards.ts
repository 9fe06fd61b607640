import type { Blocked } from "../../changes/Plan.ts"
import { grouped } from "../../internal/collections.ts"
import { fits } from "../../internal/fits.ts"
import { listed } from "../../internal/foreignText.ts"
import { frozenAdvice, frozenNodes } from "../workflow/frozenTypes.ts"
import { callText, isFinal } from "./call/CallChange.ts"
import { type Change, contentBefore, idOf, type Ref } from "./Change.ts"
import type { Guards } from "./settings.ts"
import type { Draft, Step } from "./Step.ts"

const raisedBy = (guard: string) => `; only a person can change that, by plans.guards.${guard}`

/** Said of content with an engine's key in it, which the journal of plans would keep. */
const withKey =
  "the API key of an instance stands in it, which plans do not keep: put the key into a credential, and make a new one"

/** The rule of the configuration that forbids a change, if one does. */
const guardProblem = ({ allowedInstances, allowedTags }: Guards, change: Change): string | undefined => {
  const { instance } = change
  if (allowedInstances !== undefined && !allowedInstances.includes(instance)) {
    return `guard allowedInstances: plans may not change instance ${instance}${raisedBy("allowedInstances")}`
  }
  const labels = labelsOf(change)
  return labels === undefined || allowedTags === undefined || labels.some((label) => allowedTags.includes(label))
    ? undefined
    : `guard allowedTags: ${nameOf(change)} has none of the tags ${allowedTags.join(", ")}${raisedBy("allowedTags")}`
}

const labelsOf = (change: Change) => ("labels" in change ? change.labels : undefined)

const nameOf = (change: Change): string =>
  change.kind === "create" ? change.content.name : (("name" in change ? change.name : undefined) ?? idOf(change))

/** The names of a workflow before and after a change, the present one first. */
const namesOf = (change: Change): ReadonlyArray<string> =>
  change.kind === "update" && change.before.name !== undefined
    ? [change.before.name, change.after.name]
    : [nameOf(change)]

/** The changes of protected workflows among those of steps, by the name that the workflow has before. */
export const protectedChanges = (
  { protected: { names, tags } }: Guards,
  steps: ReadonlyArray<Step>
): ReadonlyMap<string, ReadonlyArray<Change>> => {
  const isProtected = (change: Change) =>
    namesOf(change).some((name) => names.some((pattern) => fits(pattern, name))) ||
    (labelsOf(change) ?? []).some((label) => tags.includes(label))
  const changes = steps.map(({ change }) => change).filter((change) => isAboutWorkflow(change) && isProtected(change))
  return grouped(changes, (change) => namesOf(change)[0] ?? "")
}

const isAboutWorkflow = (change: Change) =>
  change.kind === "call"
    ? change.name !== undefined
    : !["create-tag", "delete-tag", "delete-execution", "table"].includes(change.kind)

/** The protected workflows that steps change, by name. */
const protectedIn = (guards: Guards, steps: ReadonlyArray<Step>) =>
  [...protectedChanges(guards, steps).keys()].toSorted()

/**
 * The draft without the changes that an engine refuses for their nodes, with what follows from them: each such workflow is
 * blocked, and no other. `versions` are those of the instances that freeze nodes.
 */
export const withoutFrozen = (draft: Draft, versions: ReadonlyMap<string, string>): Draft => {
  const refused = draft.steps.flatMap(({ change, id }) => {
    if (change.kind !== "create" && change.kind !== "update") return []
    const { nodes } = change.kind === "create" ? change.content : change.after
    const present = change.kind === "create" ? [] : contentBefore(change).nodes
    const version = versions.get(change.instance)
    const names = frozenNodes(nodes, version, present)
    return names.length === 0 ? [] : [{ id, change, names, version }]
  })
  if (refused.length === 0) return draft
  const gone = new Set(refused.flatMap(({ change, id }) => [id, ...("workflow" in change ? [subjectOf(change)] : [])]))
  return {
    ...draft,
    steps: draft.steps.filter(({ change, id }) => !gone.has(id) && !gone.has(subjectOf(change))),
    blocked: [
      ...draft.blocked,
      ...refused.map(({ change, id, names, version }) => ({
        what: `${nameOf(change)} (${id})`,
        reason: `the engine of ${change.instance} (${version}) lets nobody create or change these deprecated nodes: ${names.join(", ")}. ${frozenAdvice}`
      }))
    ]
  }
}

/** The workflow that a change is about, or the step that makes it. */
const subjectOf = (change: Change): string => {
  if (!("workflow" in change)) return ""
  const { workflow } = change
  return typeof workflow === "string" ? `${change.instance}/${workflow}` : workflow.created_by
}

/** Workflows that a message names. */
const mostNamed = 10

const tooMany = ({ maxItemsPerApply }: Guards, count: number): ReadonlyArray<string> =>
  count > maxItemsPerApply
    ? [`guard maxItemsPerApply: ${count} changes are more than ${maxItemsPerApply}${raisedBy("maxItemsPerApply")}`]
    : []

interface Agreed {
  /** A plan that reverts another is only held up by what is protected. */
  readonly isRevert: boolean
  readonly isProtectedConfirmed: boolean
}

/** The problems that forbid a whole plan when it is applied. */
export const planProblems = (
  guards: Guards,
  steps: ReadonlyArray<Step>,
  { isRevert, isProtectedConfirmed }: Agreed
): ReadonlyArray<string> => {
  const names = isProtectedConfirmed ? [] : protectedIn(guards, steps)
  const finalCalls = isProtectedConfirmed
    ? []
    : steps.flatMap(({ change }) => (change.kind === "call" && isFinal(change) ? [callText(change)] : []))
  const unconfirmed = [
    ...(names.length === 0
      ? []
      : [
          `it changes protected workflows (${listed(names, mostNamed)}), which needs confirm_protected, after a person has agreed to them by name`
        ]),
    ...(finalCalls.length === 0
      ? []
      : [
          `nothing undoes ${listed(finalCalls, mostNamed)}, which needs confirm_protected, after a person has agreed to it`
        ])
  ]
  if (isRevert) return unconfirmed
  const broken = steps.flatMap(({ change }) => guardProblem(guards, change) ?? [])
  return [...new Set([...broken, ...tooMany(guards, steps.length), ...unconfirmed])]
}

/** The steps that a change cannot do without. */
const needsOf = (change: Change): ReadonlyArray<string> => {
  const refs: ReadonlyArray<Ref> = [
    ...("workflow" in change ? [change.workflow] : []),
    ...(change.kind === "tags" ? change.after : [])
  ]
  const references = "references" in change ? change.references.filter(({ late }) => late !== true) : []
  const parts = references.flatMap((reference) => reference.parts)
  const needs = "needs" in change ? (change.needs ?? []) : []
  return [...needs, ...[...refs, ...parts].flatMap((ref) => (typeof ref === "string" ? [] : [ref.created_by]))]
}

/** The steps to leave out, with the reasons: guards forbid them, or something that they need. */
const leftOut = (
  guards: Guards,
  steps: ReadonlyArray<Step>,
  holdsKey: (change: Change) => boolean
): ReadonlyMap<string, string> => {
  const out = new Map<string, string>()
  for (const { change, id } of steps) {
    const problem = guardProblem(guards, change) ?? (holdsKey(change) ? withKey : undefined)
    if (problem !== undefined) out.set(id, problem)
  }
  for (let isGrown = out.size > 0; isGrown;) {
    isGrown = false
    for (const { change, id } of steps) {
      const needed = out.has(id) ? undefined : needsOf(change).find((step) => out.has(step))
      if (needed === undefined) continue
      out.set(id, `it needs something that is not allowed: ${needed}`)
      isGrown = true
    }
  }
  return out
}

const withoutLooseTags = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const needed = new Set(steps.flatMap(({ change }) => needsOf(change)))
  return steps.filter(({ change, id }) => change.kind !== "create-tag" || needed.has(id))
}

/** Removes from a draft what the guards forbid, and what would bring the key of an instance (`holdsKey`) into the journal. */
export const holdToGuards = (guards: Guards, draft: Draft, holdsKey: (change: Change) => boolean): Draft => {
  const out = leftOut(guards, draft.steps, holdsKey)
  const left = draft.steps.filter(({ id }) => !out.has(id))
  const allowed = out.size === 0 ? left : withoutLooseTags(left)
  const surplus = tooMany(guards, allowed.length).map((reason): Blocked => ({ what: "the whole plan", reason }))
  const steps = surplus.length === 0 ? allowed : []
  const problems = [...out].map(([what, reason]): Blocked => ({ what, reason }))
  return warnOfProtected(guards, {
    ...draft,
    steps,
    blocked: [...draft.blocked, ...problems, ...surplus]
  })
}

/** The end of the warning about protected workflows, which tells a model how they are changed all the same. */
export const agreementAdvice = ": apply_plan asks a person, or needs confirm_protected"

/** Adds a warning that names the protected workflows a plan changes. */
export const warnOfProtected = (guards: Guards, draft: Draft): Draft => {
  const names = protectedIn(guards, draft.steps)
  if (names.length === 0) return draft
  const warning = `Protected workflows are changed (${listed(names, mostNamed)})${agreementAdvice}`
  // The rollback of a rollback is held to the guards before it is kept, and then as every plan.
  return draft.warnings.includes(warning) ? draft : { ...draft, warnings: [warning, ...draft.warnings] }
}
