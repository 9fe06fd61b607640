import { Effect, type JsonSchema } from "effect"

import type { Prompt, PromptArgument } from "./Prompt.ts"
import { ResourceNotFound, type ResourceProvider } from "./Resources.ts"
import type { Annotations, Tool } from "./Tool.ts"
import { inputJson } from "./Tools.ts"
import type { Offer } from "./Toolset.ts"

/** The outline of an offer for lists, as plain data that is available before its programs are loaded. */
export interface Outline {
  readonly instructions: string
  readonly data: ReadonlyArray<string>
  readonly tools: ReadonlyArray<ToolOutline>
  readonly resources: Pick<ResourceProvider, "list" | "templates"> | null
  readonly prompts: ReadonlyArray<PromptOutline> | null
}

interface ToolOutline {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** As JSON: lists pass it on unread. */
  readonly inputSchema: string
  /** As much as lists show: which fields an answer always has. */
  readonly outputSchema: Pick<JsonSchema.JsonSchema, "required"> | null
  readonly meta: Readonly<Record<string, unknown>> | null
  readonly isListed: boolean | null
}

interface PromptOutline {
  readonly name: string
  readonly title: string
  readonly description: string
  /** As JSON. */
  readonly arguments: string
}

/** The outline of an offer; it can be written as JSON. */
export const make = <R>({ data = [], instructions, prompts, resources, tools }: Offer<R>): Outline => ({
  instructions,
  data,
  tools: tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: tool.annotations,
    inputSchema: inputJson(tool),
    outputSchema: tool.outputSchema === undefined ? null : { required: tool.outputSchema().required },
    meta: tool.meta ?? null,
    isListed: tool.isListed ?? null
  })),
  resources: resources === undefined ? null : { list: resources.list, templates: resources.templates },
  prompts:
    prompts?.map(({ arguments: args, description, name, title }) => ({
      name,
      title,
      description,
      arguments: JSON.stringify(args)
    })) ?? null
})

/**
 * An offer that answers lists from an outline, and everything else from the offer that `load` returns. `onList` is called when
 * tools are listed.
 */
export const toOffer = (outline: Outline, load: Effect.Effect<Offer>, onList: () => void): Offer => ({
  instructions: outline.instructions,
  data: outline.data,
  tools: outline.tools.map((tool) => toTool(tool, load, onList)),
  ...(outline.resources === null ? {} : { resources: { ...outline.resources, ...reading(load) } }),
  ...(outline.prompts === null ? {} : { prompts: outline.prompts.map((prompt) => toPrompt(prompt, load)) })
})

const toTool = (
  { annotations, description, inputSchema, isListed, meta, name, outputSchema, title }: ToolOutline,
  load: Effect.Effect<Offer>,
  onList: () => void
): Tool => ({
  name,
  title,
  description,
  annotations,
  inputSchema: (): JsonSchema.JsonSchema => JSON.parse(inputSchema),
  inputJson: () => {
    onList()
    return inputSchema
  },
  outputSchema: outputSchema === null ? undefined : () => outputSchema,
  meta: meta ?? undefined,
  isListed: isListed ?? undefined,
  call: (input) =>
    Effect.flatMap(
      one(load, ({ tools }) => tools, name),
      ({ call }) => call(input)
    )
})

const toPrompt = (prompt: PromptOutline, load: Effect.Effect<Offer>): Prompt => ({
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  get arguments(): ReadonlyArray<PromptArgument> {
    return JSON.parse(prompt.arguments)
  },
  get: (args) =>
    Effect.flatMap(
      one(load, ({ prompts }) => prompts, prompt.name),
      ({ get }) => get(args)
    ),
  complete: (argument, value) =>
    Effect.flatMap(
      one(load, ({ prompts }) => prompts, prompt.name),
      ({ complete }) => complete(argument, value)
    )
})

const reading = (load: Effect.Effect<Offer>): Pick<ResourceProvider, "complete" | "read" | "version"> => {
  const provider = Effect.flatMap(load, ({ resources }) =>
    resources === undefined
      ? Effect.die(new Error("The outline tells of resources that are not there"))
      : Effect.succeed(resources)
  )
  return {
    read: (uri) => Effect.flatMap(provider, ({ read }) => read(uri)),
    version: (uri) =>
      Effect.flatMap(provider, ({ version }) => version?.(uri) ?? Effect.fail(new ResourceNotFound({ uri }))),
    complete: (uriTemplate, variable, value) =>
      Effect.flatMap(provider, ({ complete }) => complete(uriTemplate, variable, value))
  }
}

/** The part of an offer that has this name. Outlines are made from the same sources, so nothing can be missing but by mistake. */
const one = <A extends { readonly name: string }>(
  load: Effect.Effect<Offer>,
  among: (offer: Offer) => ReadonlyArray<A> | undefined,
  name: string
): Effect.Effect<A> =>
  Effect.flatMap(load, (offer) => {
    const match = among(offer)?.find((it) => it.name === name)
    return match === undefined
      ? Effect.die(new Error(`The outline tells of ${name}, which is not there`))
      : Effect.succeed(match)
  })
