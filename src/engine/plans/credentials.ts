import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import type { Credential } from "../workflow/nodes.ts"

/** The credentials of an instance, as far as they are known; some engines do not list them. */
export interface KnownCredentials {
  readonly all: ReadonlyArray<Credential>
  readonly isComplete: boolean
}

/** The result of looking up an id or a name; `Unlisted` may be there, but the engine does not tell. */
type CredentialMatch =
  | { readonly _tag: "Found"; readonly credential: Credential }
  | { readonly _tag: "Unlisted"; readonly id: string }
  | { readonly _tag: "None"; readonly why: string }
  | { readonly _tag: "Several"; readonly ids: ReadonlyArray<string> }

/** Engines make ids of letters and digits, older ones numbers; whoever imports credentials may give UUIDs. */
const looksLikeId = (text: string) => /^([A-Za-z0-9]{16}|\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(text)

/** The credential of a type that an id or a name stands for; ids go before names. */
const findCredential = (
  { all, isComplete }: KnownCredentials,
  type: string,
  { id, name }: { readonly id?: string | undefined; readonly name?: string | undefined }
): CredentialMatch => {
  const ofType = all.filter((one) => one.type === type)
  const byId = ofType.find((one) => id !== undefined && one.id === id)
  const [first, ...others] = byId === undefined ? ofType.filter((one) => one.name === name) : [byId]
  if (first !== undefined) {
    return others.length === 0
      ? { _tag: "Found", credential: first }
      : { _tag: "Several", ids: [first, ...others].map((one) => one.id) }
  }
  const other = all.find((one) => id !== undefined && one.id === id)
  if (other !== undefined) return { _tag: "None", why: `, where ${id} is of type ${other.type}` }
  if (isComplete) return { _tag: "None", why: "" }
  if (id === undefined) return { _tag: "None", why: ", as far as its workflows show" }
  return looksLikeId(id)
    ? { _tag: "Unlisted", id }
    : { _tag: "None", why: `, as far as its workflows show, and ${id} is not the id of one` }
}

/** The credential that a node is to get: the keys by which it is looked up, and the problem where that is not exactly one. */
export interface Wanted {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly problem: (match: Extract<CredentialMatch, { readonly _tag: "None" | "Several" }>) => string
}

/** A node with credentials of an instance in place of those that `wanted` names; where there is a problem, its own stay. */
export const resolveCredentials = <Node extends JsonObject>(
  node: Node,
  { instance, credentials }: { readonly instance: string; readonly credentials: KnownCredentials },
  wanted: (type: string, given: JsonObject) => Wanted | undefined
): { readonly node: Node; readonly problems: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const warnings: Array<string> = []
  const resolve = (type: string, given: JsonObject): JsonObject => {
    const target = wanted(type, given)
    if (target === undefined) return given
    const match = findCredential(credentials, type, target)
    switch (match._tag) {
      case "Found":
        return { id: match.credential.id, name: match.credential.name }
      case "Unlisted":
        warnings.push(unchecked(instance, type, match.id))
        return unseen(match.id)
      default:
        problems.push(target.problem(match))
        return given
    }
  }
  if (!isJsonObject(node.credentials)) return { node, problems, warnings }
  const resolved = Object.entries(node.credentials).map(
    ([type, given]) => [type, isJsonObject(given) ? resolve(type, given) : given] as const
  )
  return { node: { ...node, credentials: Object.fromEntries(resolved) }, problems, warnings }
}

/** The warning about a credential that is given by its id, and that nobody can check beforehand. */
const unchecked = (to: string, type: string, id: string): string =>
  `Nobody has checked that ${to} has the credential ${id} (${type}): its engine lists none, and none of its workflows uses it yet. ` +
  "What needs it is refused by apply_plan where it is not there"

/** A credential that nobody has seen, as a node names it: engines put the name that belongs to the id, if there is one. */
const unseen = (id: string) => ({ id, name: id })

/** The credentials that were written without their names, and got none: there are none with these ids. */
export const unknownIn = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<string> => [
  ...new Set(
    nodes.flatMap(({ credentials }) =>
      Object.entries(objectOf(credentials)).flatMap(([type, given]) =>
        isJsonObject(given) && given.id === given.name && Predicate.isString(given.id) ? [`${given.id} (${type})`] : []
      )
    )
  )
]
