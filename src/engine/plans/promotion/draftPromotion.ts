import type { Blocked } from "../../../changes/Plan.ts"
import { grouped } from "../../../internal/collections.ts"
import { listed, quotedText } from "../../../internal/foreignText.ts"
import { weightOfJson } from "../../../internal/json/values.ts"
import { mapSliced, type Sliced } from "../../../internal/Sliced.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Ref } from "../Change.ts"
import { levels } from "../levels.ts"
import { unknownTypes } from "../NodeTypes.ts"
import { order } from "../order.ts"
import { counted } from "../replacing.ts"
import { type Draft, type Step, withLabels } from "../Step.ts"
import { idsIn } from "../workflowLinks.ts"
import { activations } from "./activations.ts"
import { buildWorkflow } from "./buildWorkflow.ts"
import type { Built } from "./Built.ts"
import { chooseWorkflows } from "./chooseWorkflows.ts"
import { counterpartFinder } from "./counterparts.ts"
import { folderSteps } from "./folders.ts"
import type { Input } from "./Input.ts"
import { resourceSteps } from "./resources.ts"
import { tagsOf } from "./settingsAndTags.ts"
import { changedRef, contentSteps } from "./steps.ts"
import { tagSteps } from "./tags.ts"

/** The outcome for one workflow. */
export interface Outcome {
  readonly name: string
  readonly id: string
  readonly action: "blocked" | "create" | "leave" | "update"
  readonly counterpart?: string
}

/** A workflow of the target that somebody has changed since a promotion last wrote to it. */
export interface Edited {
  readonly workflow: Workflow
  /** When that was, in milliseconds since 1970. */
  readonly since: number
  /** Whether the engine has made a version of it: it does so where nodes or connections change. */
  readonly isVersioned: boolean
}

/** The draft of a promotion: pure data, the same for the same input in any order. */
export function* draftPromotion(input: Input): Sliced<
  Draft & {
    readonly outcomes: ReadonlyArray<Outcome>
    readonly edited: ReadonlyArray<Edited>
  }
> {
  const { from, source, to } = input
  const counterpartOf = counterpartFinder(input)
  const { blocked: unselected, chosen, comesAlong } = chooseWorkflows(input, counterpartOf)
  const calls = new Map([...chosen].map(([id, { links }]) => [id, idsIn(links.texts.filter(isCall))]))
  const graph = levels(calls)
  const built = yield* mapSliced(
    chosen,
    ([id, choice]) => buildWorkflow(input, { id, choice, chosen, graph, counterpartOf }),
    ([, { content }]) => 2 * weightOfJson(content)
  )
  const isSound = (stopped: ReadonlyMap<string, string>) => (one: Built) => !stopped.has(one.id)
  const early = withCallers(built, calls)
  const begun = activations(input, built.filter(isSound(early)), { calls, levelOf: graph.levelOf })
  const blocked = withCallers(built.map(withImpossible(input, begun.active)), calls)
  const sound = built.filter(isSound(blocked))
  const stepsOf = yield* mapSliced(
    sound,
    (one) => contentSteps(input, one, comesAlong.get(one.id)),
    ({ content }) => 2 * weightOfJson(content)
  )
  const tags = tagSteps(input, sound)
  const resources = resourceSteps(input, sound)
  const folders = folderSteps(input, sound)
  const activation = activations(input, sound, { calls, levelOf: graph.levelOf })
  const labels = new Map(sound.map((one) => [keyOf(changedRef(one, to)), labelsOf(one)]))
  const steps = [...folders.steps, ...resources.steps, ...stepsOf.flat(), ...tags.steps, ...activation.steps]
    .map((step) => withLabels(step, labels.get(keyOf(refOf(step)))))
    .toSorted(order)
  const changed = new Set(
    steps.flatMap(({ change }) => ("workflow" in change && change.instance === to ? [change.workflow] : []))
  )
  const nameAt = (id: string) => source.get(id)?.name ?? id
  return {
    kind: "promotion",
    steps,
    warnings: [
      ...new Set([
        ...groupedWarnings(sound),
        ...activation.warnings,
        ...resources.warnings,
        ...folders.warnings,
        ...stayingWarning(sound),
        ...unclaimedWarning(input, sound),
        ...nodeTypeWarnings(input, sound)
      ])
    ].toSorted(),
    blocked: [
      ...unselected,
      ...[...blocked].map(([id, reason]): Blocked => ({ what: `${nameAt(id)} (${from} ${id})`, reason }))
    ].toSorted((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : 0)),
    edited: built.flatMap(({ drift, counterpart }) =>
      drift === undefined || counterpart === undefined
        ? []
        : [
            {
              workflow: counterpart,
              isVersioned: drift.isVersioned,
              since: input.promoted.writtenAt.get(counterpart.id) ?? 0
            }
          ]
    ),
    outcomes: built.map(({ id, counterpart }) => ({
      name: nameAt(id),
      id,
      action: blocked.has(id)
        ? "blocked"
        : counterpart === undefined
          ? "create"
          : changed.has(counterpart.id)
            ? "update"
            : "leave",
      ...(counterpart === undefined ? {} : { counterpart: counterpart.id })
    }))
  }
}

const isCall = ({ use }: { readonly use: string }) => use !== "caller"

const keyOf = (ref: Ref | undefined) => JSON.stringify(ref)

/** The workflow that a step makes or changes. */
const refOf = ({ change, id }: Step): Ref | undefined =>
  change.kind === "create" ? { created_by: id } : "workflow" in change ? change.workflow : undefined

/** The tags that a workflow has on the target, or gets where it is new. */
const labelsOf = ({ tags, counterpart }: Built): ReadonlyArray<string> =>
  counterpart === undefined ? tags : tagsOf(counterpart)

/** A workflow that is, or is to be, active cannot do with nodes that its engine does not run. */
const withImpossible =
  ({ to }: Input, active: ReadonlySet<string>) =>
  (one: Built): Built =>
    one.impossible.length > 0 && (one.counterpart?.active === true || active.has(one.id))
      ? {
          ...one,
          problems: [
            ...one.problems,
            `it cannot be active on ${to} (${one.impossible.join("; ")})${
              one.counterpart?.active === true ? "" : "; activation inactive brings it along all the same"
            }`
          ]
        }
      : one

/** Warnings about nodes of workflows that go along although engines cannot run them, or nobody knows whether they can. */
const nodeTypeWarnings = ({ nodeTypes, to }: Input, built: ReadonlyArray<Built>): ReadonlyArray<string> => [
  ...built.flatMap(({ content, impossible }) =>
    impossible.length === 0 ? [] : [`${content.name}: ${to} cannot run it (${impossible.join("; ")})`]
  ),
  ...unknownTypes(
    nodeTypes,
    built.flatMap(({ content }) => content.nodes),
    to
  )
]

/** The warnings about workflows: what is said of several in the same words is said once, with their names before it. */
const groupedWarnings = (built: ReadonlyArray<Built>): ReadonlyArray<string> => {
  const said: Array<{ readonly words: string; readonly name: string }> = []
  const others: Array<string> = []
  for (const { content, warnings } of built) {
    const label = `${content.name}: `
    for (const warning of warnings) {
      const words = warning.startsWith(label) ? warning.slice(label.length) : undefined
      if (words === undefined) others.push(warning)
      else said.push({ words, name: content.name })
    }
  }
  const byWords = [...grouped(said, ({ words }) => words)]
  return [
    ...others,
    ...byWords.map(
      ([words, some]) =>
        `${some
          .map(({ name }) => name)
          .toSorted()
          .join(", ")}: ${words}`
    )
  ]
}

/** The warning about texts that hold a value of the mapping and are not replaced, by text with counts. */
const stayingWarning = (built: ReadonlyArray<Built>): ReadonlyArray<string> => {
  const texts = [...counted(built.flatMap(({ stays }) => stays))].map(
    ([text, count]) => `${quotedText(text)} (${count})`
  )
  return texts.length === 0
    ? []
    : [
        `mapping.values: not changed, as only a part of the value is looked for: ${listed(texts, mostNamed)}. match "part" changes these`
      ]
}

/** Workflows that are named in one warning. */
const mostNamed = 10

/**
 * The warning about tags and settings of counterparts that their sources have not, and no promotion is known to have
 * brought: they stay.
 */
const unclaimedWarning = ({ from, to }: Input, built: ReadonlyArray<Built>): ReadonlyArray<string> => {
  const some = built.filter(({ unclaimed }) => unclaimed.length > 0)
  if (some.length === 0) return []
  const names = some.map(({ content, unclaimed }) => `${content.name} (${unclaimed.join(", ")})`)
  return [
    `${to} keeps what ${from} does not have, as no promotion is known to have brought it: ${listed(names, mostNamed)}`
  ]
}

/** The blocked workflows, and those that call them: a workflow does not go where what it needs cannot. */
const withCallers = (
  built: ReadonlyArray<Built>,
  calls: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyMap<string, string> => {
  const blocked = new Map(
    built.flatMap(({ id, problems }) => (problems.length === 0 ? [] : [[id, problems.join("; ")]]))
  )
  const names = new Map(built.map(({ content, id }) => [id, content.name]))
  for (let isGrown = true; isGrown;) {
    isGrown = false
    for (const { id } of built) {
      const needed = blocked.has(id) ? undefined : calls.get(id)?.find((called) => called !== id && blocked.has(called))
      if (needed === undefined) continue
      blocked.set(id, `it calls ${names.get(needed) ?? needed}, which is blocked`)
      isGrown = true
    }
  }
  return blocked
}
