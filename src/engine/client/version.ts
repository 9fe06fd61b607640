import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Workflow } from "./Workflow.ts"
import { nameOf } from "./Workflow.ts"

/** What a workflow does; a change of these by somebody else must not be overwritten. */
const contents = ["name", "nodes", "connections", "settings", "pinData"] as const

/** Everything that a version stands for, in its order. */
const parts = [...contents, "active"] as const

/**
 * Identifies what a workflow is and does, on every engine: a digest of each part and the state, as in
 * "0k2v9x-1b7d0q-00lz3c-00lz3c-00lz3c-off". Engines' own numbers do not: theirs also move without a change of these,
 * or stay when a workflow is renamed.
 */
export const versionOf = (workflow: Workflow): string =>
  [...contents.map((part) => digestOf(workflow, part)), workflow.active ? "on" : "off"].join("-")

export const isVersion = (text: string): boolean => /^([0-9a-z]{6}-){5}(on|off)$/.test(text)

/** The parts in which two versions differ. */
export const differing = (a: string, b: string): ReadonlyArray<string> => {
  const [those, these] = [a.split("-"), b.split("-")]
  return parts.filter((_, place) => those[place] !== these[place])
}

/** Whether two readings of a workflow show the same content, switched on or off. */
export const isSameContent = (a: Workflow, b: Workflow): boolean =>
  differing(versionOf(a), versionOf(b)).every((part) => part === "active")

/** The part of a version that stands for the nodes. */
export const nodesDigest = (version: string): string => version.split("-")[1] ?? ""

/** A node's name and its digest. */
export type NodeDigest = readonly [name: string, digest: string]

/** Every node as a digest; one reading is compared several times, and may be large. */
export const nodeDigests = ({ nodes }: Pick<Workflow, "nodes">): ReadonlyArray<NodeDigest> => {
  const known = digested.get(nodes)
  if (known !== undefined) return known
  const digests = nodes.map((node): NodeDigest => [nameOf(node), digest(inOrder(node))])
  digested.set(nodes, digests)
  return digests
}

const digested = new WeakMap<Workflow["nodes"], ReadonlyArray<NodeDigest>>()

/** Whether two values say the same; fields may come in another order. */
export const saysTheSame = (a: unknown, b: unknown): boolean => inOrder(a) === inOrder(b)

const digestOf = (workflow: Workflow, part: (typeof contents)[number]): string =>
  part === "nodes"
    ? digest(
        nodeDigests(workflow)
          .map(([, one]) => one)
          .join()
      )
    : digest(inOrder(workflow[part] ?? {}))

/** JSON with the fields of every object in alphabetical order. */
const inOrder = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inOrder).join()}]`
  if (!Predicate.isObject(value)) return JSON.stringify(value) ?? ""
  const fields: JsonObject = { ...value }
  const names = Object.keys(fields).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${inOrder(fields[name])}`).join()}}`
}

/** Six characters of a 53-bit hash (cyrb53): to notice an accident, not to withstand an attack. */
const digest = (text: string): string => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const hash = 2 ** 32 * (2097151 & low) + (high >>> 0)
  return hash.toString(36).padStart(6, "0").slice(-6)
}
