import { Context, Data, Effect } from "effect"

import type { ToolFailure } from "./ToolError.ts"

/** The content blocks of answers and prompt messages; names and shapes are MCP's. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: ResourceContents }

/** The contents of one resource: text, or bytes as Base64. */
export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string }

/** A resource with a fixed address. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/** Addresses with a variable part, as an RFC 6570 template. */
export interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/** Completions of an argument; `total` if there are more than these. */
export interface Completion {
  readonly values: ReadonlyArray<string>
  readonly total?: number
  readonly hasMore?: boolean
}

/** There is no resource at this address. */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly uri: string
}> {
  override get message() {
    return `Resource not found: ${this.uri}`
  }
}

/** Resources of one kind. Another address or template is `ResourceNotFound`, or has no completions. */
export interface ResourceProvider<R = never> {
  readonly list: ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplate>
  /** Like that of a tool, by the address to read; without one, for completions. */
  readonly concurrencyGroup?: (uri: unknown) => string | undefined
  readonly read: (uri: string) => Effect.Effect<ResourceContents, ToolFailure | ResourceNotFound, R>
  /** Reads a text that changes with the resource at an address; `ResourceNotFound` also for one whose changes nobody is told of. */
  readonly version?: (uri: string) => Effect.Effect<string, ToolFailure | ResourceNotFound, R>
  /** Completes one variable of a template. */
  readonly complete: (
    uriTemplate: string,
    variable: string,
    value: string
  ) => Effect.Effect<Completion, ToolFailure | ResourceNotFound, R>
}

/** The resources this server offers. */
export class Resources extends Context.Service<Resources, ResourceProvider>()("workflow-tool-server/mcp/Resources") {}

/** Merges providers: the first that knows an address reads it. */
export const concat = (providers: ReadonlyArray<ResourceProvider>): ResourceProvider => ({
  list: providers.flatMap(({ list }) => list),
  templates: providers.flatMap(({ templates }) => templates),
  concurrencyGroup: (uri) =>
    providers.map(({ concurrencyGroup }) => concurrencyGroup?.(uri)).find((name) => name !== undefined),
  read: (uri) =>
    providers.reduce<ReturnType<ResourceProvider["read"]>>(
      (before, { read }) => Effect.catchTag(before, "ResourceNotFound", () => read(uri)),
      Effect.fail(new ResourceNotFound({ uri }))
    ),
  version: (uri) =>
    providers.reduce<Effect.Effect<string, ToolFailure | ResourceNotFound>>(
      (before, { version }) =>
        Effect.catchTag(before, "ResourceNotFound", (missing) => version?.(uri) ?? Effect.fail(missing)),
      Effect.fail(new ResourceNotFound({ uri }))
    ),
  complete: (uriTemplate, variable, value) => {
    const owner = providers.find(({ templates }) => templates.some((one) => one.uriTemplate === uriTemplate))
    return owner === undefined ? Effect.succeed({ values: [] }) : owner.complete(uriTemplate, variable, value)
  }
})
