import { keepIdentity } from "../../client/body.ts"
import { nameOf, type Workflow } from "../../client/models.ts"
import { isSameJson } from "../../client/versions.ts"
import type { Brought, Content, Reference } from "../Change.ts"
import { contentOf, descriptionOf, differingParts, isArchived, pinDataOf, shownFor } from "../content.ts"
import { withTexts } from "../references.ts"
import { type Drift, driftOf, isUnpublished } from "./drift.ts"
import { fit, type Generation, structureProblem } from "./fit.ts"
import { targetGroups } from "./groups.ts"
import type { Input } from "./Input.ts"
import { type Context, keyOf, link } from "./linking.ts"
import { impossible } from "./nodeTypes.ts"
import { withCredentials, withKept, withValues } from "./places.ts"
import { canLose, mergeSettings, tagsOf, unclaimed, wantedTags } from "./settingsAndTags.ts"

/** One workflow as it is to be on the target. */
export interface Built {
  readonly id: string
  readonly content: Content
  /** Nothing where it is new. */
  readonly counterpart: Workflow | undefined
  /** What its creation is called, where it is new. */
  readonly key: string
  readonly references: ReadonlyArray<Reference>
  readonly level: number
  /** The level at which everything it refers to is there. */
  readonly linkLevel: number
  /** Whether a counterpart is another one than it is to be, apart from its tags. */
  readonly isChanged: boolean
  /** Settings that it loses, because the source has them no more. */
  readonly removed: ReadonlyArray<string>
  /** The tags that the source gives it, by their names on the target. */
  readonly tags: ReadonlyArray<string>
  /** The settings that the source gives it. */
  readonly given: ReadonlyArray<string>
  /** What promotions have brought to it before. */
  readonly brought: Brought | undefined
  /** What it has besides, of which nobody knows where it comes from. */
  readonly unclaimed: ReadonlyArray<string>
  /** What somebody has done to its counterpart that this would go over. */
  readonly drift: Drift | undefined
  /** What the engine cannot run of it: it goes along all the same, where it is not to be active there. */
  readonly impossible: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Works out how a workflow has to look on the target: its ids, its credentials, and what belongs to the place. */
export const build = (input: Input, context: Context): Built => {
  const { from, generation, keep, promoted, source, to } = input
  const { choice, graph, id, counterpartOf } = context
  const found = counterpartOf(id)
  const theirs = source.get(id)
  const counterpart = found._tag === "Found" ? found.workflow : undefined
  const shown = counterpart === undefined ? undefined : contentOf(counterpart)
  const last = counterpart === undefined ? undefined : promoted.written.get(counterpart.id)
  const brought = counterpart === undefined ? undefined : promoted.brought.get(counterpart.id)

  const credentials = choice.content.nodes.map((node) => withCredentials(node, input.credentials, input.mapping))
  const linked = link(input, context)
  const texts = withTexts({ ...choice.content, nodes: credentials.map(({ node }) => node) }, linked.texts)
  const valued = texts.nodes.map((node) =>
    withValues(node, { configured: input.mapping.values, given: input.givenValues ?? {} })
  )
  const own = shown === undefined ? valued : keepIdentity(valued.map(withoutIdentityOf(shown)), shown.nodes)
  const kept = own.map((node) =>
    withKept(
      node,
      shown?.nodes.find((one) => nameOf(one) === nameOf(node)),
      { rules: keep, workflow: texts.name }
    )
  )
  const { content: sent, dropped } = fit({ ...texts, nodes: kept.map(({ node }) => node) }, generation)
  const merged = mergeSettings({
    workflow: texts.name,
    given: sent.settings,
    shown: shown?.settings ?? {},
    brought,
    keep,
    generation
  })
  const grouped =
    theirs === undefined || generation === "1.x"
      ? undefined
      : targetGroups({ theirs, counterpart, content: sent, last })
  const beside = { ...besideOf(theirs, counterpart, { generation, last }), ...grouped?.groups }
  const content = { ...fit({ ...sent, settings: merged.settings }, generation).content, ...beside }
  const before = counterpart === undefined ? undefined : shownFor(content, counterpart)

  const wanted = wantedTags(input, id)
  const structure = structureProblem(content, generation)
  const isChanged = before !== undefined && (differingParts(content, before).length > 0 || merged.removed.length > 0)
  const deleted = found._tag === "New" ? found.former : undefined
  const drift =
    counterpart === undefined || before === undefined
      ? undefined
      : driftOf(input, { counterpart, shown: before, isChanged, wanted })
  const irreversible = Object.keys(content.settings).filter(
    (name) => shown !== undefined && shown.settings[name] === undefined && !canLose(generation, name)
  )
  // Such settings are made in its editor; its API replaces all settings, and takes only some.
  const unwritable = Object.keys(merged.settings).filter(
    (name) => isChanged && generation === "1.x" && content.settings[name] === undefined
  )
  const missing = [...kept.flatMap((one) => one.missing), ...merged.missing.map((name) => `settings.${name}`)]
  const label = `${texts.name}: `
  const named = (names: ReadonlyArray<string>, words: (names: string) => string) =>
    names.length === 0 ? [] : [label + words(names.join(", "))]
  return {
    id,
    content,
    counterpart,
    key: keyOf(texts.name, from, id),
    references: linked.references,
    level: graph.levelOf(id),
    linkLevel: linked.level,
    isChanged,
    removed: merged.removed,
    tags: wanted,
    given: Object.keys(sent.settings).filter((name) => !merged.kept.includes(name)),
    brought,
    unclaimed:
      counterpart === undefined || shown === undefined
        ? []
        : unclaimed(input, { id, counterpart, given: sent.settings, shown: shown.settings, wanted }),
    drift,
    impossible: impossible(input.nodeTypes, content.nodes),
    problems: [
      ...(theirs !== undefined && isArchived(theirs) ? [`it is archived on ${from}`] : []),
      ...[input.untested?.get(id) ?? []].flat(),
      ...(found._tag === "Unclear" ? [found.reason] : []),
      ...credentials.flatMap(({ problems }) => problems),
      ...linked.problems,
      ...(structure === undefined ? [] : [`${to} would refuse it: ${structure}`]),
      ...(deleted !== undefined && input.options.onDrift === "block"
        ? [
            `somebody has deleted ${deleted} on ${to}, which a promotion had made of it; on_drift overwrite makes it anew`
          ]
        : []),
      ...(drift !== undefined && input.options.onDrift === "block"
        ? [`${drift.problem}; on_drift overwrite goes over that`]
        : [])
    ],
    warnings: [
      ...credentials.flatMap(({ warnings }) => warnings),
      ...named(dropped, (names) => `${to} does not take ${names}`),
      ...named(missing, (names) => `nothing to keep on ${to} for ${names}: as on ${from}`),
      ...named(irreversible, (names) => `${to} gets the settings ${names}, which a rollback cannot take away there`),
      ...named(unwritable, (names) => `loses its ${names} on ${to}, whose API does not take that, for good`),
      ...named(
        merged.unremovable,
        (names) => `${from} has no ${names} any more; ${to} keeps it, as its engine cannot lose such a setting`
      ),
      ...named(
        grouped?.torn ?? [],
        (names) => `groups of nodes that do not hold together any more on ${to} go: ${names}`
      ),
      ...named(leftBehind(theirs, counterpart, beside), (names) => `its ${names} on ${from} does not go along`),
      ...(theirs !== undefined && isUnpublished(theirs)
        ? [`${label}has changes on ${from} that are not published: they go along`]
        : []),
      ...choice.links.dynamic.map(
        (node) => `${label}node ${node} finds the workflow that it calls at run time: nobody checks that it is on ${to}`
      ),
      ...(deleted !== undefined && input.options.onDrift === "overwrite"
        ? [`${label}made anew, as somebody has deleted ${deleted} on ${to}, which a promotion had made of it`]
        : []),
      ...(drift !== undefined && input.options.onDrift === "overwrite"
        ? [`${label}${drift.problem}, which is overwritten`]
        : []),
      ...(found._tag === "Found" && found.by === "name" && last === undefined && isChanged
        ? [`${label}taken for ${found.workflow.id} on ${to}, which has the same name; what is there is overwritten`]
        : [])
    ]
  }
}

type Beside = Pick<Content, "description" | "pinData">

/**
 * What a workflow has beside its content, where the target takes it. What it has no more goes, where it was a promotion
 * that brought it and nobody has changed it since.
 */
const besideOf = (
  theirs: Workflow | undefined,
  counterpart: Workflow | undefined,
  { generation, last }: { readonly generation: Generation; readonly last: Content | undefined }
): Beside => {
  if (theirs === undefined || generation === "1.x") return {}
  const [pinData, description] = [pinDataOf(theirs), descriptionOf(theirs)]
  const isBrought = (field: "description" | "pinData", now: unknown) =>
    last?.[field] !== undefined && isSameJson(last[field], now)
  return {
    ...(Object.keys(pinData).length > 0 || (counterpart !== undefined && isBrought("pinData", pinDataOf(counterpart)))
      ? { pinData }
      : {}),
    ...(description !== "" ||
    (theirs["description"] !== undefined &&
      counterpart !== undefined &&
      isBrought("description", descriptionOf(counterpart)))
      ? { description }
      : {})
  }
}

/** What promotions do not bring, where its counterpart has it not the same. */
const leftBehind = (
  theirs: Workflow | undefined,
  counterpart: Workflow | undefined,
  beside: object
): ReadonlyArray<string> =>
  ["description", "nodeGroups", "pinData"].filter((field) => {
    if (field in beside) return false
    const given = theirs?.[field] ?? ""
    const isEmpty = given === "" || (typeof given === "object" && Object.keys(given).length === 0)
    return !isEmpty && !isSameJson(given, counterpart?.[field])
  })

/** What promotions have brought to it, once its content is as it is to be. */
export const broughtBy = ({ given, tags, counterpart }: Built, areTagsSet: boolean): Brought => {
  const present = tagsOf(counterpart)
  return { settings: given, tags: areTagsSet ? tags : tags.filter((name) => present.includes(name)) }
}

/** Nodes that the counterpart has keep the ids that they have there, so that the addresses of webhooks stay. */
const withoutIdentityOf = (shown: Content) => {
  const known = new Set(shown.nodes.map((node) => JSON.stringify([nameOf(node), node.type])))
  return (node: Content["nodes"][number]) => {
    if (!known.has(JSON.stringify([nameOf(node), node.type]))) return node
    const { id: _, webhookId: __, ...rest } = { id: undefined, webhookId: undefined, ...node }
    return rest
  }
}
