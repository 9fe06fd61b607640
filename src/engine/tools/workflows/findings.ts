import { Effect, Fiber } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import { isJsonObject, type JsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { lacksWebhookId } from "../../client/webhookIds.ts"
import { type Checked, checkWorkflow } from "../../nodes/check/checkWorkflow.ts"
import { inWords } from "../../nodes/check/Finding.ts"
import {
  checkCredentialIds,
  checkResources,
  checkSettings,
  checkSubWorkflows
} from "../../nodes/check/instanceReferences.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import { nameOf } from "../../workflow/models.ts"

/** Findings that an answer shows at most. */
const most = 10

/** Longest time that a check may take, in seconds: what it would delay is an answer about something that is done. */
const longest = "4 seconds"

/** Clients of instances whose callers were told that node types are not checked; each is told once per process. */
const hintedEngines = new WeakSet<EngineClient["Service"]>()

/** A workflow to check with its settings. */
interface Writable extends Checked {
  readonly settings?: unknown
}

/**
 * Begins to check a workflow that is about to be written, and answers the effect that takes what was written and has the texts
 * of the findings, without those that `before` has as well. Node types are only used where they are cached or come within a
 * moment, so that no write waits; a check that fails is none. Credentials without an id are checked as the engine keeps them.
 */
export const checkBeside = Effect.fnUntraced(function* (given: Writable, before?: Writable) {
  const begun = given.nodes.some(lacksCredentialId) ? undefined : yield* Effect.forkChild(findingsIn(given, before))
  return (written: Pick<Checked, "nodes">) =>
    Effect.map(
      begun === undefined ? findingsIn(withKeptCredentials(given, written), before) : Fiber.join(begun),
      (lines) =>
        lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more: see check_workflow`]
    )
})

const findingsIn = Effect.fnUntraced(
  function* (given: Writable, before: Writable | undefined) {
    const engine = yield* EngineClient
    const ofSettings = yield* settingsFindings(engine, given, before)
    if (given.nodes === before?.nodes && given.connections === before.connections) return ofSettings
    const after = asWritten(given, before)
    const knowledge = yield* NodeKnowledge
    const { catalog, hint, isFetchable = false } = yield* knowledge.soon(engine)
    const check = (workflow: Checked) =>
      Effect.map(checkWorkflow(workflow, catalog), (findings) => findings.map(inWords))
    const linesBefore = new Set(before === undefined ? [] : yield* check(before))
    const linesAfter = [...(yield* check(after)), ...(yield* mentioned(engine, changedNodes(after, before)))]
    const lines = [...linesAfter.filter((line) => !linesBefore.has(line)), ...ofSettings]
    if (!isFetchable || hint === undefined || hintedEngines.has(engine)) return lines
    hintedEngines.add(engine)
    return [...lines, `Types and parameters of nodes were not checked. ${hint}`]
  },
  Effect.orElseSucceed((): ReadonlyArray<string> => []),
  Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.succeed([tookTooLong]) })
)

/** Whether a credential is given by its name alone. */
const lacksId = (reference: unknown) => isJsonObject(reference) && textOf(reference.id) === ""

const lacksCredentialId = ({ credentials }: JsonObject) => Object.values(objectOf(credentials)).some(lacksId)

/** The same with credentials that were given by name alone as the engine keeps them, where it has found that very name. */
const withKeptCredentials = (given: Writable, written: Pick<Checked, "nodes">): Writable => {
  const keptNodes = new Map(written.nodes.map((node) => [nameOf(node), objectOf(node.credentials)]))
  const nodes = given.nodes.map((node) => {
    if (!lacksCredentialId(node)) return node
    const credentials = Object.entries(objectOf(node.credentials)).map(([type, reference]) => {
      const kept = objectOf(keptNodes.get(nameOf(node))?.[type])
      return [type, lacksId(reference) && kept.name === objectOf(reference).name ? kept : reference] as const
    })
    return { ...node, credentials: Object.fromEntries(credentials) }
  })
  return { ...given, nodes }
}

/** A workflow whose new webhooks have an id, as they will. */
const asWritten = (given: Checked, before: Checked | undefined): Checked => {
  const isLacking = lacksWebhookId(before?.nodes ?? [])
  const nodes = given.nodes.map((node, place) => (isLacking(node) ? { ...node, webhookId: `new-${place}` } : node))
  return { ...given, nodes }
}

/** Findings about credentials and other workflows that these nodes mention and the instance does not have. */
const mentioned = (engine: EngineClient["Service"], nodes: ReadonlyArray<JsonObject>) =>
  Effect.map(
    Effect.all(
      [checkCredentialIds(engine, nodes), checkSubWorkflows(engine, { nodes }), checkResources(engine, nodes)],
      { concurrency: 3 }
    ),
    (findings) => findings.flat().map(inWords)
  )

/** Findings about settings that are new or changed. */
const settingsFindings = (engine: EngineClient["Service"], given: Writable, before: Writable | undefined) => {
  const former = objectOf(before?.settings)
  const changed = Object.entries(objectOf(given.settings)).filter(([name, value]) => !isSameJson(value, former[name]))
  const settings = Object.fromEntries(changed)
  return Effect.map(checkSubWorkflows(engine, { nodes: [], settings }), (findings) =>
    [...checkSettings({ settings }), ...findings].map(inWords)
  )
}

/** Nodes that are new or changed. */
const changedNodes = (after: Checked, before: Checked | undefined): ReadonlyArray<JsonObject> => {
  const written = new Set(before?.nodes)
  const alike = new Map(before?.nodes.map((node) => [nameOf(node), node]))
  return after.nodes.filter((node) => !written.has(node) && !isSameJson(node, alike.get(nameOf(node))))
}

const tookTooLong = "The nodes were not checked, which took too long: check_workflow does it."

/** The field of an answer with its warnings, if there are any. */
export const warned = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })
