import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { agentType, nodeType } from "../../workflow/naming.ts"
import { baseKinds, languageKinds } from "../run/knownTypes.ts"
import { base, type Described } from "./base.ts"
import { language } from "./language.ts"

/**
 * The descriptions of node types as an engine of this generation serves them, or its packages contain them. Of most types only
 * the name is known here: those come without properties.
 */
export const nodeTypes = (generation: 1 | 2): ReadonlyArray<JsonObject> => [
  ...typesOf(baseKinds, base, nodeType, generation),
  ...typesOf(languageKinds, language, agentType, generation)
]

const typesOf = (
  kinds: ReadonlySet<string>,
  described: Readonly<Record<string, Described>>,
  named: (kind: string) => string,
  generation: 1 | 2
): ReadonlyArray<JsonObject> =>
  [...kinds].map((kind) => {
    const known = Object.hasOwn(described, kind) ? described[kind] : undefined
    return { name: named(kind), ...(known === undefined ? bare(kind) : whole(known, generation)) }
  })

const bare = (kind: string): JsonObject => ({
  displayName: kind,
  description: "",
  group: [kind.endsWith("Trigger") ? "trigger" : "transform"],
  version: 1
})

const whole = (
  {
    alias = [],
    asTool,
    credentials = [],
    group,
    inputs,
    later = [],
    outputs,
    properties = [],
    title,
    versions,
    what
  }: Described,
  generation: 1 | 2
): JsonObject => ({
  displayName: title,
  description: what,
  group: [group ?? "transform"],
  version: generation === 1 ? versions : [...versions, ...later],
  inputs: inputs ?? ["main"],
  outputs: outputs ?? ["main"],
  codex: { alias },
  ...(asTool === true ? { usableAsTool: true } : {}),
  credentials,
  properties
})
