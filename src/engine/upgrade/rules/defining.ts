import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { agentType, neutralType, nodeType, toEngineType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import type { Facts, Finding, Rule, Sample, Subject } from "../Rule.ts"

/** A rule without what the table of rules adds. */
export interface Definition extends Omit<Rule, "find" | "id"> {
  readonly find: (workflow: Subject, facts: Facts) => ReadonlyArray<Omit<Finding, "rule">>
}

const basePrefix = nodeType("")
const agentPrefix = agentType("")
/** Workflows also name the package of AI nodes without its owner. */
const agentPrefixes = [agentPrefix, agentPrefix.slice(agentPrefix.indexOf("/") + 1)]

/** The type of a node in the short form of rules: `code`, `lc.code` for the AI package, else the type as it is. */
export const shortTypeOf = ({ type }: JsonObject): string => {
  if (typeof type !== "string") return ""
  const whole = toEngineType(type)
  if (whole.startsWith(basePrefix)) return whole.slice(basePrefix.length)
  const agent = agentPrefixes.find((prefix) => whole.startsWith(prefix))
  return agent === undefined ? whole : `lc.${whole.slice(agent.length)}`
}

/** A type in the short form of rules, as engines name it. */
export const wholeType = (short: string): string =>
  short.startsWith("lc.") ? agentType(short.slice(3)) : nodeType(short)

/** A type in the short form of rules, in every form in which workflows name it. */
const spellingsOf = (short: string): ReadonlyArray<string> =>
  short.startsWith("lc.")
    ? agentPrefixes.map((prefix) => prefix + short.slice(3))
    : [nodeType(short), neutralType(short)]

/** A finding of a rule in a node: without the node, and without the effect of its being disabled. */
export type InNode = Omit<Finding, "node" | "rule">

/** The finding of a rule in each node of these types; `inNode` says what it finds, once for every node where it is left out. */
export const inNodes = (
  types: ReadonlyArray<string> | undefined,
  inNode: (
    node: JsonObject,
    parameters: JsonObject,
    context: { readonly facts: Facts; readonly workflow: Subject }
  ) => ReadonlyArray<InNode>
): Definition["find"] => {
  const spellings = types === undefined ? undefined : new Set(types.flatMap(spellingsOf))
  const isMeant = ({ type }: JsonObject) => typeof type === "string" && spellings?.has(type) === true
  return (workflow, facts) => {
    const context = { facts, workflow }
    const nodes = spellings === undefined ? workflow.nodes : workflow.nodes.filter(isMeant)
    return nodes.flatMap((node) =>
      inNode(node, objectOf(node.parameters), context).map((finding) => ({
        node: nameOf(node),
        ...finding,
        ...(isEnabled(node) ? {} : { severity: "cosmetic" as const, message: `${finding.message} (it is disabled)` })
      }))
    )
  }
}

/** Finds every node of these types, whose field is the type. */
export const ofTypes = (types: ReadonlyArray<string>, message: (type: string) => string): Definition["find"] =>
  inNodes(types, (one) => [{ field: "type", message: message(shortTypeOf(one)) }])

/** The values of a node beside its type and parameters, in a sample. */
interface Beside extends JsonObject {
  readonly typeVersion?: number
}

/** A sample of one node. */
export const node = (type: string, parameters: JsonObject = {}, beside: Beside = {}): Sample => ({
  nodes: [{ name: "Step", type: wholeType(type), typeVersion: 1, position: [0, 0], parameters, ...beside }]
})

/** The text that a value holds without being worked out at run time. */
export const fixedText = (value: unknown): string | undefined => {
  const text = isJsonObject(value) ? value.value : value
  if (typeof text !== "string" || (text.startsWith("=") && text.includes("{{"))) return undefined
  return text.startsWith("=") ? text.slice(1) : text
}
