import { Match } from "effect"

import type { Plan } from "../../changes/Plan.ts"
import { clipped, oneLine, quotedName, visibleJson } from "../../internal/foreignText.ts"
import { maskSecrets } from "../../internal/secrets/maskSecrets.ts"
import { type CallChange, callText, describeCall, isFinal } from "./call/CallChange.ts"
import type { Change } from "./Change.ts"
import { protectedChanges } from "./guards.ts"
import type { Guards } from "./settings.ts"

/** Workflows that a question names one by one. */
const mostNamed = 40

/** The fate of a workflow, in a few words. */
const fateOf: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: () => "is created",
    update: ({ after, before }) =>
      before.name === undefined || before.name === after.name
        ? "is changed"
        : `is changed and renamed to ${quotedName(after.name)}`,
    tags: () => "gets other tags",
    active: ({ after }) => (after ? "is activated" : "is deactivated"),
    archived: ({ after }) => (after ? "is archived" : "is brought back from the archive"),
    delete: () => "is deleted, with its executions",
    "create-tag": () => "is created",
    "delete-tag": () => "is deleted",
    "delete-execution": () => "is deleted",
    retry: () => "runs again for a failed execution",
    "run-anew": () => "runs anew for a failed execution",
    call: ({ call }) => `is changed by ${call}`,
    table: () => "is changed"
  })
)

/** The effect of a call: what it sends, or the fields that it changes, without secrets. */
const effectOf = (change: CallChange): string => {
  const { after, before } = describeCall(change)
  const query = Object.keys(change.query).length === 0 ? [] : [`with ${textOf(change.query)}`]
  const body = change.body === undefined ? [] : [`sends ${textOf(change.body)}`]
  const isSent = change.read === undefined || before === null
  const words = isSent ? body : [`${textOf(before)} becomes ${after === null ? "nothing" : textOf(after)}`]
  return [...query, ...words].map((part) => `, ${part}`).join("")
}

/** Characters of what a call sends or changes. */
const mostText = 400

const textOf = (value: unknown): string => clipped(visibleJson(JSON.stringify(maskSecrets(value))), mostText)

const placesOf = (changes: ReadonlyArray<Change>) =>
  [...new Set(changes.map(({ instance }) => instance))].toSorted().join(", ")

type Questioned = Pick<Plan<Change>, "id" | "kind" | "steps" | "warnings">

/**
 * The question to a person before a plan is applied: it names the protected workflows that it changes, their instances, and
 * each change.
 */
export const questionOf = (guards: Guards, { id, kind, steps, warnings }: Questioned): string | undefined => {
  const protectedByName = [...protectedChanges(guards, steps)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const gone = steps.filter(({ change }) => change.kind === "delete-execution")
  const forGood =
    gone.length === 0
      ? []
      : [
          `This ${kind} deletes ${gone.length} ${gone.length === 1 ? "execution" : "executions"} on ${placesOf(gone.map(({ change }) => change))}, which nothing brings back.`
        ]
  const again = steps.flatMap(({ change }) => (change.kind === "retry" || change.kind === "run-anew" ? [change] : []))
  const runs =
    again.length === 0
      ? []
      : [
          `This ${kind} runs ${again.length} failed ${again.length === 1 ? "execution" : "executions"} of ${new Set(again.map(({ workflow }) => workflow)).size} workflows on ${placesOf(again)} again, which really act outside.`,
          ...warnings.map(oneLine)
        ]
  const finalCalls = steps.flatMap(({ change }) => (change.kind === "call" && isFinal(change) ? [change] : []))
  const unseen =
    finalCalls.length === 0
      ? []
      : [
          `This ${kind} makes ${finalCalls.length === 1 ? "a call" : "calls"} that nothing undoes on ${placesOf(finalCalls)}:`,
          ...finalCalls.map((change) => `- ${callText(change)}${effectOf(change)}`)
        ]
  const all = `${protectedByName.length === 0 ? "In all" : "With everything else"}, plan ${id} makes ${steps.length} ${steps.length === 1 ? "change" : "changes"}. Apply it?`
  const final = [...forGood, ...runs, ...unseen, all]
  if (protectedByName.length === 0) return final.length === 1 ? undefined : final.join("\n")
  const instances = placesOf(protectedByName.flatMap(([, changes]) => changes))
  const rows = protectedByName.slice(0, mostNamed).map(([name, changes]) => {
    const fates = [...new Set(changes.map(fateOf))]
    return `- ${quotedName(name)} ${fates.join(", ")}`
  })
  const rest =
    protectedByName.length > mostNamed
      ? [`- and ${protectedByName.length - mostNamed} more, which show_plan lists`]
      : []
  const proof = kind === "fix" ? steps.slice(0, 1).map(({ reason }) => `It was ${oneLine(reason)}.`) : []
  return [`This ${kind} changes protected workflows on ${instances}:`, ...rows, ...rest, ...proof, ...final].join("\n")
}
