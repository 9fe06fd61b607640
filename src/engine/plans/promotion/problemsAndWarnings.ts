import { listed } from "../../../internal/foreignText.ts"
import { frozenNodes } from "../../workflow/frozenTypes.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Content } from "../Change.ts"
import { isArchived } from "../content.ts"
import type { Built } from "./Built.ts"
import type { Counterpart } from "./counterparts.ts"
import { isUnpublished } from "./drift.ts"
import { structureProblem } from "./fit.ts"
import type { Input } from "./Input.ts"
import { canLose, type Merged } from "./settingsAndTags.ts"

/** The facts from building a workflow, for its problems and warnings. */
export interface Outcome extends Pick<Built, "content" | "counterpart" | "drift" | "isChanged" | "kept"> {
  readonly match: Counterpart
  readonly theirs: Workflow | undefined
  readonly current: Content | undefined
  /** Whether no promotion has written to the counterpart before. */
  readonly isFirst: boolean
  readonly linked: { readonly problems: ReadonlyArray<string> }
  /** Its nodes after the translation. */
  readonly translated: {
    readonly missing: ReadonlyArray<string>
    readonly problems: ReadonlyArray<string>
    readonly warnings: ReadonlyArray<string>
  }
  readonly dropped: ReadonlyArray<string>
  readonly merged: Merged
  /** Names of groups of nodes that cannot stay. */
  readonly torn: ReadonlyArray<string>
  /** Fields that do not go along. */
  readonly left: ReadonlyArray<string>
}

/** The id of the workflow that an earlier promotion made, and that somebody has deleted since. */
const deletedOf = ({ match }: Pick<Outcome, "match">) => (match._tag === "New" ? match.former : undefined)

/** The reasons for which a workflow cannot go along. */
export const problemsOf = (
  { from, generation, nodeTypes, options, to, untested }: Input,
  id: string,
  outcome: Outcome
): ReadonlyArray<string> => {
  const { content, current, drift, match, linked, theirs, translated } = outcome
  const frozen = frozenNodes(content.nodes, nodeTypes.freezingVersion, current?.nodes)
  const structure = structureProblem(content, generation)
  const deleted = deletedOf(outcome)
  return [
    ...(theirs !== undefined && isArchived(theirs) ? [`it is archived on ${from}`] : []),
    ...[untested?.get(id) ?? []].flat(),
    ...(match._tag === "Unclear" ? [match.reason] : []),
    ...translated.problems,
    ...linked.problems,
    ...(frozen.length === 0
      ? []
      : [
          `${to} lets nobody create or change these deprecated nodes: ${frozen.join(", ")}. rewrite: true rewrites them`
        ]),
    ...(structure === undefined ? [] : [`${to} would refuse it: ${structure}`]),
    ...(deleted !== undefined && options.onDrift === "block"
      ? [`somebody has deleted ${deleted} on ${to}, which a promotion had made of it; on_drift overwrite makes it anew`]
      : []),
    ...(drift !== undefined && options.onDrift === "block"
      ? [`${drift.problem}; on_drift overwrite overwrites that`]
      : [])
  ]
}

/** Kept fields that are named in one text. */
const mostKept = 10

/** The names of kept fields, in one text. */
export const keptOf = (names: ReadonlyArray<string>): string => listed(names, mostKept)

/** Warnings to a person about a workflow that goes along; `dynamic` are nodes that find what they call at run time. */
export const warningsOf = (
  { from, generation, options, to }: Input,
  dynamic: ReadonlyArray<string>,
  outcome: Outcome
): ReadonlyArray<string> => {
  const { content, current, drift, dropped, isChanged, isFirst, kept, left, match, merged, theirs, torn, translated } =
    outcome
  const overwritten = `overwritten${kept.length === 0 ? "" : `, but for ${keptOf(kept)}`}`
  const irreversible = Object.keys(content.settings).filter(
    (name) => current !== undefined && current.settings[name] === undefined && !canLose(generation, name)
  )
  // Such settings are made in its editor; its API replaces all settings, and takes only some.
  const unwritable = Object.keys(merged.settings).filter(
    (name) => isChanged && generation === "1.x" && content.settings[name] === undefined
  )
  const missing = [...translated.missing, ...merged.missing.map((name) => `settings.${name}`)]
  const deleted = deletedOf(outcome)
  const label = `${content.name}: `
  const named = (names: ReadonlyArray<string>, words: (names: string) => string) =>
    names.length === 0 ? [] : [label + words(names.join(", "))]
  return [
    ...translated.warnings,
    ...named(dropped, (names) => `${to} does not take ${names}`),
    ...named(missing, (names) => `nothing to keep on ${to} for ${names}: as on ${from}`),
    ...named(irreversible, (names) => `${to} gets the settings ${names}, which a rollback cannot take away there`),
    ...named(unwritable, (names) => `loses its ${names} on ${to}, whose API does not take that, for good`),
    ...named(
      merged.unremovable,
      (names) => `${from} has no ${names} any more; ${to} keeps it, as its engine cannot lose such a setting`
    ),
    ...named(torn, (names) => `groups of nodes that do not hold together any more on ${to} go: ${names}`),
    ...named(left, (names) => `its ${names} on ${from} does not go along`),
    ...(theirs !== undefined && isUnpublished(theirs)
      ? [`${label}has changes on ${from} that are not published: they go along`]
      : []),
    ...dynamic.map(
      (node) => `${label}node ${node} finds the workflow that it calls at run time: nobody checks that it is on ${to}`
    ),
    ...(deleted !== undefined && options.onDrift === "overwrite"
      ? [`${label}made anew, as somebody has deleted ${deleted} on ${to}, which a promotion had made of it`]
      : []),
    ...(drift !== undefined && options.onDrift === "overwrite"
      ? [`${label}${drift.problem}, which is ${overwritten}`]
      : []),
    ...(match._tag === "Found" && match.by === "name" && isFirst && isChanged
      ? [`${label}taken for ${match.workflow.id} on ${to}, which has the same name; what is there is ${overwritten}`]
      : [])
  ]
}
