import { Effect } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { hasWebhookId } from "../../client/webhookIds.ts"
import { activeOwners, hasSome } from "../../nodes/check/activeOwners.ts"
import { type Address, addressesOf, addressTexts } from "../../workflow/addresses.ts"
import { generationOf, nameOf, type Workflow } from "../../workflow/models.ts"

/**
 * Notices about nodes that were written without a webhookId, which their address depends on: new nodes have been given one;
 * others keep their old address, which nobody expects.
 */
export const addressNotices = (
  sent: ReadonlyArray<JsonObject>,
  current: ReadonlyArray<JsonObject>,
  written: Pick<Workflow, "id" | "nodes">
): ReadonlyArray<string> => {
  const bare = namesOf(sent.filter((node) => !hasWebhookId(node)))
  const before = namesOf(current.filter(hasWebhookId))
  const now = namesOf(written.nodes.filter(hasWebhookId))
  return addressesOf(written)
    .filter(({ node }) => bare.has(node) && !before.has(node))
    .map((address) => (now.has(address.node) ? newAddressNotice(address) : missing(address)))
}

const namesOf = (nodes: ReadonlyArray<JsonObject>) => new Set(nodes.map(nameOf))

/** The notice about a node that listens at an address of its own since it was given a webhookId. */
export const newAddressNotice = ({ method, node, path }: Address) =>
  `${node} was given a webhookId, and answers at ${method} ${path}.`

const missing = ({ method, node, path }: Address) =>
  `${node} has no webhookId, so that it answers at ${method} ${path}; given one, it would at its own path alone.`

/** Longest time that this may take: what it would delay is an answer about something that is done. */
const longest = "4 seconds"

/**
 * Notices about addresses that an active workflow has taken from others, except those at which it listened `before`.
 * Engines before generation 2 allow that silently, and do not give the addresses back when the workflow is deactivated;
 * later ones refuse it.
 */
export const takenOver = (
  workflow: Workflow,
  before: Workflow["nodes"] = []
): Effect.Effect<ReadonlyArray<string>, never, EngineClient> => {
  const { active, id, nodes: all } = workflow
  const former = new Set(addressTexts({ id, nodes: before }).map(({ address }) => address))
  const nodes = all.filter((node) => addressTexts({ id, nodes: [node] }).some(({ address }) => !former.has(address)))
  if (!active || generationOf(workflow) === "2.x" || nodes.length === 0) return Effect.succeed([])
  return EngineClient.use((engine) => activeOwners(engine, { id, nodes }, { isEnough: hasSome })).pipe(
    Effect.map(({ isWhole, owners }) => [
      ...owners.map(
        ({ address, node, owner }) =>
          `Node ${node} now gets the calls of ${address} in place of ${owner}, which is still active and is called there no ` +
          "more. To give them back, deactivate both, and then activate that one."
      ),
      ...(isWhole ? [] : [unknown("there are more active ones than were looked through.")])
    ]),
    Effect.catch((error) => Effect.succeed([unknown(error.message)])),
    Effect.timeoutOrElse({
      duration: longest,
      orElse: () => Effect.succeed([unknown(`listing them took longer than ${longest}.`)])
    })
  )
}

const unknown = (reason: string) =>
  `Whether another active workflow has lost webhooks to this one is not known: ${reason}`
