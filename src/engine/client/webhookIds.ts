import { Effect, Predicate, Random } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nodeKind } from "../workflow/naming.ts"
import { keepIdentity, keyOf } from "./body.ts"

const called = new Set(["chatTrigger", "form", "formTrigger", "mcpTrigger", "wait", "webhook"])

/** Whether a node is called from outside, at an address that depends on its own id. */
export const isCalled = ({ type }: JsonObject): boolean => Predicate.isString(type) && called.has(nodeKind(type))

/** Whether a node has the id that its address depends on. */
export const hasWebhookId = ({ webhookId }: JsonObject): boolean => Predicate.isString(webhookId) && webhookId !== ""

/**
 * Whether a node gets such an id when it is written, as by editors and engines of generation 2: new ones do. Without it,
 * older engines let them listen at an unexpected address. Existing nodes without an id are left alone: their address is in
 * use.
 */
export const lacksWebhookId = (current: ReadonlyArray<JsonObject>): ((node: JsonObject) => boolean) => {
  const presentKeys = new Set(current.filter(isCalled).flatMap((node) => [keyOf(node), node.id]))
  return (node) =>
    isCalled(node) &&
    !hasWebhookId(node) &&
    !presentKeys.has(keyOf(node)) &&
    (node.id === undefined || !presentKeys.has(node.id))
}

/** Nodes as they are sent. */
export const withWebhookIds = (
  given: ReadonlyArray<JsonObject>,
  current: ReadonlyArray<JsonObject> = []
): Effect.Effect<ReadonlyArray<JsonObject>> => {
  const kept = keepIdentity(given, current)
  const isLacking = lacksWebhookId(current)
  return kept.some(isLacking)
    ? Effect.forEach(kept, (node) =>
        isLacking(node)
          ? Effect.map(freshWebhookId, (webhookId): JsonObject => ({ ...node, webhookId }))
          : Effect.succeed(node)
      )
    : Effect.succeed(given)
}

const hexadecimal = "0123456789abcdef"

/** A version 4 UUID, as editors assign to nodes that are called from outside. */
export const freshWebhookId = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 16, { halfOpen: true }), 32),
  (places) => {
    const digits = places.map((place, index) => (index === 12 ? "4" : index === 16 ? "a" : hexadecimal.charAt(place)))
    return [0, 8, 12, 16, 20].map((from, part) => digits.slice(from, [8, 12, 16, 20, 32][part]).join("")).join("-")
  }
)
