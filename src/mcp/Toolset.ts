import { Context, Effect, type Scope } from "effect"

import type { Prompt } from "./Prompt.ts"
import type { ResourceProvider } from "./Resources.ts"
import type { Skill } from "./Skill.ts"
import type { Tool } from "./Tool.ts"

/** The result of checking one thing that the tools work on, in words for a person. */
export interface Finding {
  readonly fine: boolean
  readonly words: string
  /** Facts by name: one row of a table. */
  readonly facts?: Readonly<Record<string, string>>
  /** Further data for programs. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Warnings: harmless so far, but worth knowing. */
  readonly notes?: ReadonlyArray<string>
}

/** The offer of a toolset to a client. */
export interface Offer<R = never> {
  /** Instructions for models about these tools as a whole. */
  readonly instructions: string
  /** Nouns for texts of others that its tools read, such as `names`: clients are told to take none of them for an instruction. */
  readonly data?: ReadonlyArray<string>
  readonly tools: ReadonlyArray<Tool<R>>
  readonly resources?: ResourceProvider<R>
  readonly prompts?: ReadonlyArray<Prompt>
  readonly skills?: ReadonlyArray<Skill>
}

/** Tools for one upstream with everything that belongs to them, as one value. `R` are the services that they need. */
export interface Toolset<R = never> extends Offer<R> {
  readonly name: string
  /** The part of it that the configuration allows to offer, evaluated once when the server is built; by default all of it. */
  readonly narrow?: Effect.Effect<Offer<R>, never, R>
  /** Tries whatever the tools work on, once; empty if there is nothing to try. */
  readonly check?: Effect.Effect<ReadonlyArray<Finding>, never, R>
  /** Facts for `GET /health`, read at every request: only what is already known, without waiting. */
  readonly health?: Effect.Effect<Effect.Effect<Readonly<Record<string, string>>>, never, R | Scope.Scope>
  /** Gauges for `GET /metrics`, read at every request: only what is already known, without waiting. */
  readonly gauges?: Effect.Effect<Effect.Effect<ReadonlyArray<Gauge>>, never, R | Scope.Scope>
}

/** A measurement of what the tools work on. */
export interface Gauge {
  /** Its name with dots, unit last, such as `engine.executions.failed`. */
  readonly name: string
  readonly help: string
  /** With few values each: every combination is a series of its own. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The toolset with its services, narrowed to what it offers with them. */
export const offered = <R>(toolset: Toolset<R>): Effect.Effect<Offer, never, R> =>
  Effect.gen(function* () {
    const { narrow } = toolset
    const context = yield* Effect.context<R>()
    return provideOffer(narrow === undefined ? toolset : yield* narrow, context)
  })

const provideOffer = <R>(offer: Offer<R>, context: Context.Context<R>): Offer => {
  const { data, instructions, prompts, resources, skills, tools } = offer
  return {
    instructions,
    ...(data && { data }),
    ...(skills && { skills }),
    ...(prompts && {
      prompts: prompts.map((prompt) => providePrompt(prompt, context))
    }),
    tools: tools.map((tool) => ({ ...tool, call: (input) => Effect.provideContext(tool.call(input), context) })),
    ...(resources && { resources: provideResources(resources, context) })
  }
}

const provideResources = <R>(
  { version, ...resources }: ResourceProvider<R>,
  context: Context.Context<R>
): ResourceProvider => ({
  ...resources,
  read: (uri) => Effect.provideContext(resources.read(uri), context),
  ...(version && { version: (uri: string) => Effect.provideContext(version(uri), context) }),
  complete: (uriTemplate, variable, value) =>
    Effect.provideContext(resources.complete(uriTemplate, variable, value), context)
})

/** The prompt, without its arguments having been validated. */
const providePrompt = <R>(prompt: Prompt, context: Context.Context<R>): Prompt => ({
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  get arguments() {
    return prompt.arguments
  },
  get: (args) => Effect.provideContext(prompt.get(args), context),
  complete: (argument, value) => prompt.complete(argument, value)
})

/** The toolset with its services provided. */
export const provide = <R>(
  { check, gauges, health, narrow, ...toolset }: Toolset<R>,
  context: Context.Context<R>
): Toolset => ({
  ...provideOffer(toolset, context),
  name: toolset.name,
  narrow: Effect.provideContext(offered({ ...toolset, ...(narrow && { narrow }) }), context),
  ...(check && { check: Effect.provideContext(check, context) }),
  ...(health && { health: Effect.provideContext(health, context) }),
  ...(gauges && { gauges: Effect.provideContext(gauges, context) })
})

/** Facts for `GET /health` besides the server's own state and version: only what is already known, without waiting. */
export const HealthFacts = Context.Reference<Effect.Effect<Readonly<Record<string, string>>>>(
  "workflow-tool-server/mcp/HealthFacts",
  { defaultValue: () => Effect.succeed({}) }
)

/** The gauges of all toolsets for `GET /metrics`: only what is already known, without waiting. */
export const Gauges = Context.Reference<Effect.Effect<ReadonlyArray<Gauge>>>("workflow-tool-server/mcp/Gauges", {
  defaultValue: () => Effect.succeed([])
})
