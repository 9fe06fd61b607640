import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { toEngineType } from "./naming.ts"

/** Fields by which an engine knows a node again; a webhook's address hangs on them. */
const identity = ["id", "webhookId"] as const

/** Gives nodes that come without identity the one of the current node of the same name and type, if nobody else has it. */
export const keepIdentity = (
  given: ReadonlyArray<JsonObject>,
  current: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const known = new Map(current.map((node) => [keyOf(node), node]))
  const taken = new Map(identity.map((field) => [field, new Set(given.map((node) => node[field]))]))
  return given.map((node) => {
    const before = known.get(keyOf(node)) ?? {}
    const kept = identity.filter((field) => before[field] !== undefined && !taken.get(field)?.has(before[field]))
    return { ...Object.fromEntries(kept.map((field) => [field, before[field]])), ...node }
  })
}

const keyOf = ({ name, type }: JsonObject) =>
  JSON.stringify([name, typeof type === "string" ? toEngineType(type) : type])
