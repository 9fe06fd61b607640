import { keepIdentity } from "../../client/body.ts"
import { removals } from "../../client/body.ts"
import { nameOf, type Workflow } from "../../client/models.ts"
import { type Content, idOf, type Reference } from "../Change.ts"
import { contentOf, differingParts, isArchived } from "../content.ts"
import { withTexts } from "../references.ts"
import { fit, structureProblem } from "./fit.ts"
import type { Input } from "./Input.ts"
import type { Levels } from "./levels.ts"
import type { LinkedText } from "./links.ts"
import { withCredentials, withKept, withValues } from "./places.ts"
import type { Choice } from "./select.ts"
import type { Twin } from "./twins.ts"

/** One workflow as it is to be on the target. */
export interface Built {
  readonly id: string
  readonly content: Content
  /** Nothing where it is new. */
  readonly twin: Workflow | undefined
  /** What its creation is called, where it is new. */
  readonly key: string
  readonly references: ReadonlyArray<Reference>
  readonly level: number
  /** The level at which everything it refers to is there. */
  readonly linkLevel: number
  readonly problems: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

interface Context {
  readonly id: string
  readonly choice: Choice
  readonly chosen: ReadonlyMap<string, Choice>
  readonly graph: Levels
  readonly twinOf: (id: string) => Twin
}

/** Works out how a workflow has to look on the target: its ids, its credentials, and what belongs to the place. */
export const build = (input: Input, context: Context): Built => {
  const { from, generation, keep, promoted, source, to } = input
  const { choice, graph, id, twinOf } = context
  const found = twinOf(id)
  const theirs = source.get(id)
  const twin = found._tag === "Found" ? found.workflow : undefined
  const shown = twin === undefined ? undefined : contentOf(twin)
  const level = graph.levelOf(id)

  const credentials = choice.content.nodes.map((node) => withCredentials(node, input.credentials, input.mapping))
  const linked = link(input, context)
  const texts = withTexts({ ...choice.content, nodes: credentials.map(({ node }) => node) }, linked.texts)
  const valued = texts.nodes.map((node) => withValues(node, input.mapping.values))
  const own = shown === undefined ? valued : keepIdentity(valued.map(withoutIdentityOf(shown)), shown.nodes)
  const kept = own.map((node) =>
    withKept(
      node,
      shown?.nodes.find((one) => nameOf(one) === nameOf(node)),
      { rules: keep, workflow: texts.name }
    )
  )
  const settings = { ...shown?.settings, ...texts.settings }
  const { content, dropped } = fit({ ...texts, nodes: kept.map(({ node }) => node), settings }, generation)

  const structure = structureProblem(content, generation)
  const last = twin === undefined ? undefined : promoted.written.get(twin.id)
  const isChanged = shown !== undefined && differingParts(content, shown).length > 0
  const drifted = shown === undefined || last === undefined || !isChanged ? [] : differingParts(last, shown)
  const drift = `it was changed on ${to} since the last promotion (${drifted.join(", ")}); on_drift overwrite goes over that`
  const lasting = Object.keys(content.settings).filter(
    (name) =>
      generation === "2.x" &&
      shown !== undefined &&
      shown.settings[name] === undefined &&
      !Object.hasOwn(removals, name)
  )
  const missing = kept.flatMap((one) => one.missing)
  const label = `${texts.name}: `
  return {
    id,
    content,
    twin,
    key: keyOf(texts.name, from, id),
    references: linked.references,
    level,
    linkLevel: linked.level,
    problems: [
      ...(theirs !== undefined && isArchived(theirs) ? [`it is archived on ${from}`] : []),
      ...(found._tag === "Unclear" ? [found.reason] : []),
      ...credentials.flatMap(({ problems }) => problems),
      ...linked.problems,
      ...(structure === undefined ? [] : [`${to} would refuse it: ${structure}`]),
      ...(drifted.length > 0 && input.options.onDrift === "block" ? [drift] : [])
    ],
    warnings: [
      ...credentials.flatMap(({ warnings }) => warnings),
      ...(dropped.length === 0 ? [] : [`${label}${to} does not take ${dropped.join(", ")}`]),
      ...(missing.length === 0 ? [] : [`${label}nothing to keep on ${to} for ${missing.join(", ")}: as on ${from}`]),
      ...(lasting.length === 0
        ? []
        : [`${label}${to} gets the settings ${lasting.join(", ")}, which a rollback cannot take away there`]),
      ...choice.links.dynamic.map(
        (node) => `${label}node ${node} finds the workflow that it calls at run time: nobody checks that it is on ${to}`
      ),
      ...(found._tag === "Found" && found.by === "name" && last === undefined && isChanged
        ? [`${label}taken for ${found.workflow.id} on ${to}, which has the same name; what is there is overwritten`]
        : [])
    ]
  }
}

/** What the creation of a workflow is made from, as one text. */
const keyOf = (name: string, from: string, id: string) => `${name.slice(0, 60)} (${from} ${id})`

/** Nodes that the twin has keep the ids that they have there, so that the addresses of webhooks stay. */
const withoutIdentityOf = (shown: Content) => {
  const known = new Set(shown.nodes.map((node) => JSON.stringify([nameOf(node), node.type])))
  return (node: Content["nodes"][number]) => {
    if (!known.has(JSON.stringify([nameOf(node), node.type]))) return node
    const { id: _, webhookId: __, ...rest } = { id: undefined, webhookId: undefined, ...node }
    return rest
  }
}

/** The texts with ids of workflows as they have to be on the target, and those that are only known once steps are done. */
const link = ({ from, source, to }: Input, { choice, chosen, graph, id, twinOf }: Context) => {
  const problems: Array<string> = []
  const references: Array<Reference> = []
  const texts: Array<readonly [LinkedText["path"], string]> = []
  let level = graph.levelOf(id)

  const meant = (other: string) => {
    const twin = twinOf(other)
    if (twin._tag === "Found") return String(twin.workflow.id)
    if (twin._tag === "Unclear" && !chosen.has(other)) problems.push(`it calls workflow ${other}: ${twin.reason}`)
    const name = source.get(other)?.name
    return chosen.has(other) && name !== undefined
      ? { created_by: idOf({ kind: "create", instance: to, key: keyOf(name, from, other), ...nothing(name) }), other }
      : other
  }

  for (const { parts, path, use } of choice.links.texts) {
    const known = parts.filter(
      (part) =>
        use !== "caller" ||
        typeof part === "string" ||
        chosen.has(part.workflow) ||
        twinOf(part.workflow)._tag === "Found"
    )
    const named = trimmed(known).map((part) => (typeof part === "string" ? part : meant(part.workflow)))
    const open = named.flatMap((part) => (typeof part === "string" ? [] : [part.other]))
    const written = named.flatMap((part) => (typeof part === "string" ? [part] : []))
    if (open.length === 0) texts.push([path, written.join("")])
    else {
      const isLate = open.some(
        (other) => other === id || graph.isBack(id, other) || graph.levelOf(other) > graph.levelOf(id)
      )
      level = Math.max(level, ...open.map((other) => graph.levelOf(other)))
      references.push({
        path,
        parts: named.map((part) => (typeof part === "string" ? part : { created_by: part.created_by })),
        ...(isLate ? { late: true } : {})
      })
    }
  }
  return { texts, references, problems, level }
}

const nothing = (name: string) => ({
  content: { name, nodes: [], connections: {}, settings: {} },
  references: [],
  level: 0
})

/** A list without the commas that nothing stands between any more. */
const trimmed = (parts: LinkedText["parts"]): LinkedText["parts"] =>
  parts.filter((part, index) => part !== ", " || (index > 0 && parts[index - 1] !== ", " && index < parts.length - 1))
