import { Effect, Fiber } from "effect"

import { isSameJson } from "../../../internal/json/digest.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { lacksWebhookId } from "../../client/webhookIds.ts"
import { type Checked, checkWorkflow } from "../../nodes/check/checkWorkflow.ts"
import { inWords } from "../../nodes/check/Finding.ts"
import { checkCredentialIds, checkSubWorkflows } from "../../nodes/check/instanceReferences.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import { nameOf } from "../../workflow/models.ts"

/** Findings that an answer shows at most. */
const most = 10

/** Longest time that a check may take, in seconds: what it would delay is an answer about something that is done. */
const longest = "4 seconds"

/** The instances of which this process has said that their node types are not known. */
const told = new WeakSet<EngineClient["Service"]>()

/**
 * Begins to check a workflow that is about to be written, and answers how to take what was found, in words, when that is
 * done: what a `before` had as well is left out. Only what is at hand about the engine's node types is used, or comes in a
 * moment, so that nobody is waited for; a check that fails is none.
 */
export const checkBeside = Effect.fnUntraced(function* (given: Checked, before?: Checked) {
  const after = asWritten(given, before)
  const engine = yield* EngineClient
  const knowledge = yield* NodeKnowledge
  const work = Effect.gen(function* () {
    const { catalog, hint, isFetchable = false } = yield* knowledge.soon(engine)
    const check = (workflow: Checked) => Effect.map(checkWorkflow(workflow, catalog), (found) => found.map(inWords))
    const known = new Set(before === undefined ? [] : yield* check(before))
    const found = [...(yield* check(after)), ...(yield* mentioned(engine, changedNodes(after, before)))]
    const lines = found.filter((line) => !known.has(line))
    if (!isFetchable || hint === undefined || told.has(engine)) return lines
    told.add(engine)
    return [...lines, `Types and parameters of nodes were not checked. ${hint}`]
  }).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.succeed([tookTooLong]) })
  )
  const fiber = yield* Effect.forkChild(work)
  return Fiber.join(fiber).pipe(
    Effect.map((lines) =>
      lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more: see check_workflow`]
    )
  )
})

/** A workflow whose new webhooks have an id, as they will. */
const asWritten = (given: Checked, before: Checked | undefined): Checked => {
  const isLacking = lacksWebhookId(before?.nodes ?? [])
  const nodes = given.nodes.map((node, place) => (isLacking(node) ? { ...node, webhookId: `new-${place}` } : node))
  return { ...given, nodes }
}

/** What these nodes mention and the instance does not have: credentials, and other workflows. */
const mentioned = (engine: EngineClient["Service"], nodes: ReadonlyArray<JsonObject>) =>
  Effect.map(
    Effect.all([checkCredentialIds(engine, nodes), checkSubWorkflows(engine, { nodes })], { concurrency: 2 }),
    (found) => found.flat().map(inWords)
  )

/** Nodes that are not there yet as they are now. */
const changedNodes = (after: Checked, before: Checked | undefined): ReadonlyArray<JsonObject> => {
  const written = new Set(before?.nodes)
  const alike = new Map(before?.nodes.map((node) => [nameOf(node), node]))
  return after.nodes.filter((node) => !written.has(node) && !isSameJson(node, alike.get(nameOf(node))))
}

const tookTooLong = "The nodes were not checked, which took too long: check_workflow does it."

/** The field of an answer that shows them. */
export const warned = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })
