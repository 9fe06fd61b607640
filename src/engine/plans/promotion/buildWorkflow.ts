import { Growth, wouldGrow } from "../../../internal/texts.ts"
import { keepIdentity } from "../../client/body.ts"
import { type Generation, nameOf, type Workflow } from "../../workflow/models.ts"
import { replaceTextsAt } from "../../workflow/valuePaths.ts"
import { isSameJson } from "../../workflow/versions.ts"
import type { Content } from "../Change.ts"
import { contentOf, descriptionOf, differingParts, pinDataOf, shownFor } from "../content.ts"
import { impossible } from "../NodeTypes.ts"
import type { Built } from "./Built.ts"
import { driftOf } from "./drift.ts"
import { fit } from "./fit.ts"
import { targetGroups } from "./groups.ts"
import type { Input } from "./Input.ts"
import { type LinkContext, keyOf, linkReferences } from "./linkReferences.ts"
import { withCredentials, withKept, withValues } from "./nodeValues.ts"
import { type Outcome, problemsOf, warningsOf } from "./problemsAndWarnings.ts"
import { linkTables, linkVariables } from "./resources.ts"
import { mergeSettings, unclaimed, wantedTags } from "./settingsAndTags.ts"

/** Works out how a workflow has to look on the target: its ids, its credentials, and what belongs to the place. */
export const buildWorkflow = (input: Input, context: LinkContext): Built => {
  const { from, generation, promoted, source } = input
  const { choice, graph, id, counterpartOf } = context
  const match = counterpartOf(id)
  const theirs = source.get(id)
  const counterpart = match._tag === "Found" ? match.workflow : undefined
  const current = counterpart === undefined ? undefined : contentOf(counterpart)
  const last = counterpart === undefined ? undefined : promoted.written.get(counterpart.id)
  const brought = counterpart === undefined ? undefined : promoted.brought.get(counterpart.id)

  const linked = linkReferences(input, context)
  const tables = linkTables(input, choice.content)
  const variables = linkVariables(input, choice.content)
  const texts = [...linked.texts, ...tables.texts]
  const translated = translateNodes(input, replaceTextsAt(choice.content, texts), current)
  const { content: sent, dropped } = fit(translated.content, generation)
  const merged = mergeSettings({
    workflow: sent.name,
    given: sent.settings,
    current: current?.settings ?? {},
    brought,
    keep: input.keep,
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
  const isChanged = before !== undefined && (differingParts(content, before).length > 0 || merged.removed.length > 0)
  const drift =
    counterpart === undefined || before === undefined
      ? undefined
      : driftOf(input, { counterpart, current: before, isChanged, wanted })
  const outcome: Outcome = {
    content,
    match,
    theirs,
    counterpart,
    current,
    isFirst: last === undefined,
    isChanged,
    drift,
    linked: { problems: [...linked.problems, ...tables.problems, ...variables.problems] },
    translated,
    dropped,
    merged,
    torn: grouped?.torn ?? [],
    left: leftBehind(theirs, counterpart, beside),
    kept: [
      ...translated.kept,
      ...merged.kept
        .filter((name) => !isSameJson(sent.settings[name], merged.settings[name]))
        .map((name) => `settings.${name}`)
    ]
  }
  return {
    id,
    content,
    counterpart,
    key: keyOf(content.name, from, id),
    references: [...linked.references, ...tables.references],
    level: graph.levelOf(id),
    linkLevel: linked.level,
    isChanged,
    removed: merged.removed,
    kept: outcome.kept,
    tags: wanted,
    given: Object.keys(sent.settings).filter((name) => !merged.kept.includes(name)),
    brought,
    unclaimed:
      counterpart === undefined || current === undefined
        ? []
        : unclaimed(input, { id, counterpart, given: sent.settings, current: current.settings, wanted }),
    drift,
    stays: translated.stays,
    impossible: impossible(input.nodeTypes, content.nodes),
    missing: tables.missing,
    variables: variables.missing,
    problems: problemsOf(input, id, outcome),
    warnings: [
      ...warningsOf(input, choice.links.dynamic, outcome),
      ...[...tables.warnings, ...variables.warnings].map((warning) => `${content.name}: ${warning}`)
    ]
  }
}

/** The nodes as they have to be on the target, with its credentials and values and the ids of its counterpart. */
const translateNodes = (
  { credentials: targetCredentials, givenValues, keep, mapping, valuesMatch }: Input,
  source: Content,
  current?: Content
) => {
  const credentials = source.nodes.map((node) => withCredentials(node, targetCredentials, mapping))
  const growth = new Growth()
  const translated = withValues(growth, {
    configured: mapping.values,
    given: givenValues ?? {},
    match: valuesMatch ?? "whole"
  })
  const results = credentials.map(({ node }) => translated(node))
  const valued = results.map(({ node }) => node)
  const counterparts = new Map(current?.nodes.toReversed().map((node) => [nameOf(node), node]))
  const identified =
    current === undefined ? valued : keepIdentity(valued.map(withoutIdentityOf(current)), current.nodes)
  const kept = identified.map((node) =>
    withKept(node, counterparts.get(nameOf(node)), { rules: keep, workflow: source.name })
  )
  return {
    content: { ...source, nodes: kept.map(({ node }) => node) },
    stays: results.flatMap(({ stays }) => stays),
    kept: kept.flatMap((one) => one.names),
    missing: kept.flatMap((one) => one.missing),
    problems: [...credentials.flatMap(({ problems }) => problems), ...(growth.isExceeded ? [wouldGrow] : [])],
    warnings: credentials.flatMap(({ warnings }) => warnings)
  }
}

type Beside = Pick<Content, "description" | "pinData">

/**
 * The parts of a workflow beside its content, where the target takes them. Those that it has no more go, where it was a
 * promotion that brought them and nobody has changed them since.
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

/** The parts that promotions do not bring, where its counterpart has them not the same. */
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

/** Nodes that the counterpart has keep the ids that they have there, so that the addresses of webhooks stay. */
const withoutIdentityOf = (current: Content) => {
  const currentNodes = new Set(current.nodes.map((node) => JSON.stringify([nameOf(node), node.type])))
  return (node: Content["nodes"][number]) => {
    if (!currentNodes.has(JSON.stringify([nameOf(node), node.type]))) return node
    const { id: _, webhookId: __, ...rest } = { id: undefined, webhookId: undefined, ...node }
    return rest
  }
}
