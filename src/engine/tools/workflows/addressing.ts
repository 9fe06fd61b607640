import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { hasWebhookId } from "../../client/webhookIds.ts"
import { type Address, addressesOf } from "../../workflow/addresses.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"

/**
 * What to say of the addresses of nodes that were written without the id on which an address hangs: those that are new
 * have been given one; others stay where they are called, which nobody expects.
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
    .map((address) => (now.has(address.node) ? given(address) : missing(address)))
}

const namesOf = (nodes: ReadonlyArray<JsonObject>) => new Set(nodes.map(nameOf))

const given = ({ method, node, path }: Address) => `${node} was given a webhookId, and answers at ${method} ${path}.`

const missing = ({ method, node, path }: Address) =>
  `${node} has no webhookId, so that it answers at ${method} ${path}; given one, it would at its own path alone.`
