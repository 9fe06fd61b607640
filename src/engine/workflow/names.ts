import { Predicate } from "effect"

import { quotedName } from "../../internal/foreignText.ts"
import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"
import { alike } from "../../internal/texts.ts"

/** The kinds of things that arguments refer to, by their id or by their name. */
export type Kind = "credential" | "tag" | "workflow"

/** Something that has a name on an instance. */
export interface Named {
  readonly id: string
  readonly name: string
  /** Its state in a few words, for a choice between several of one name; may be empty. */
  readonly state: string
}

/** The state of a workflow that is no more. */
export const deleted = "deleted"

/** A name as it is compared: engines trim them, and keyboards compose letters differently. */
export const normalName = (name: string): string => name.normalize("NFC").trim()

export const isSameName = (one: string, other: string): boolean => normalName(one) === normalName(other)

/** A workflow of a list with its state; none where it has no usable id or name. */
export const namedWorkflow = ({ active, id, isArchived, name, tags }: JsonObject): ReadonlyArray<Named> => {
  if (!Predicate.isString(id) || !Predicate.isString(name)) return []
  const state = isArchived === true ? "archived" : active === true ? "active" : "inactive"
  const names = objectsOf(tags).map((tag) => String(tag.name))
  return [{ id, name, state: names.length === 0 ? state : `${state}, tags: ${names.join(", ")}` }]
}

/** A name in quotes; what looks like a secret is masked. */
export const inQuotes = (name: string): string => quotedName(maskText(name))

/** Names that a refusal proposes, and things of one name that it lists. */
const mostAlike = 3
const mostListed = 10

/** Words that propose names for an unknown one, as the end of a refusal; empty if none is like it. */
export const proposed = (given: string, things: ReadonlyArray<Pick<Named, "id" | "name">>): string => {
  const names = new Set(alike(given, [...new Set(things.map(({ name }) => name))], mostAlike))
  const words = things
    .filter(({ name }) => names.has(name))
    .slice(0, mostAlike)
    .map(({ id, name }) => `${inQuotes(name)} (${id})`)
  return words.length === 0 ? "" : `. Did you mean ${words.join(" or ")}?`
}

/** The problem of a name that several things have, with each of them. */
export const severalNamed = (given: string, kind: Kind, things: ReadonlyArray<Named>, instance: string): string => {
  const all = things.slice(0, mostListed).map(({ id, state }) => (state === "" ? id : `${id} (${state})`))
  const rest = things.length - mostListed
  const more = rest > 0 ? ` and ${rest} more` : ""
  return `${inQuotes(given)} is the name of ${things.length} ${kind}s on instance ${instance}: ${all.join(", ")}${more}. Give the id of one`
}

/** The sentence of an answer about a name that was taken for an id. */
export const takenName = ({ id, name, state }: Named, kind: Kind): string =>
  `${inQuotes(name)} is ${state === deleted ? `the ${deleted} ` : ""}${kind} ${id}.`
