import { Schema } from "effect"

import { meaning } from "../../internal/config/fields.ts"

/** The facts about a toolset that are there before it is loaded. */
interface Facts {
  /** Whether it is useful without a configured instance. */
  readonly isUsefulAlone?: boolean
  /** Variables that it reads by itself; they count in the environment alone. */
  readonly variables?: ReadonlyArray<string>
}

const facts = {
  engine: {},
  operator: {},
  api: {},
  marketplace: { isUsefulAlone: true, variables: ["MARKETPLACE_API_KEY", "MARKETPLACE_HOST"] }
} as const satisfies Readonly<Record<string, Facts>>

const section = (description: string) => Schema.optionalKey(Schema.Unknown).pipe(meaning(description))

/** Parts of the configuration file that toolsets read by themselves, each under the name of its toolset. */
export const sections = {
  marketplace: section("the marketplace: see [marketplace.md](marketplace.md)")
}

export type ToolsetName = keyof typeof facts

/** Toolsets that can be offered; `engine` always is, if there is an instance. */
export const toolsets = Object.keys(facts).filter((name): name is ToolsetName => Object.hasOwn(facts, name))

const factsOf = (name: ToolsetName): Facts => facts[name]

/** Those that are useful without a configured instance. */
export const usefulAlone: ReadonlySet<ToolsetName> = new Set(
  toolsets.filter((name) => factsOf(name).isUsefulAlone === true)
)

/** Variables that toolsets read by themselves. */
export const toolsetVariables: ReadonlyArray<string> = toolsets.flatMap((name) => factsOf(name).variables ?? [])
