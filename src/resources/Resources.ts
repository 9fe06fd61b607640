import { Context, Schema } from "effect"
import type { Effect } from "effect"

import type { ResourceContents } from "../tools/Content.ts"
import type { ToolError } from "../tools/ToolError.ts"

/** A thing with a fixed address. */
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

/** Values that would complete an argument; `total` where more exist than are given. */
export interface Completion {
  readonly values: ReadonlyArray<string>
  readonly total?: number
  readonly hasMore?: boolean
}

/** There is nothing at this address. */
export class ResourceNotFound extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", {
  uri: Schema.String
}) {
  override get message() {
    return `Resource not found: ${this.uri}`
  }
}

/** The resources this server offers. */
export class Resources extends Context.Service<
  Resources,
  {
    readonly list: ReadonlyArray<Resource>
    readonly templates: ReadonlyArray<ResourceTemplate>
    /** What reading an address works on, as a tool's lane; of anything else, where completions are looked up. */
    readonly lane?: (uri: unknown) => string
    readonly read: (uri: string) => Effect.Effect<ResourceContents, ToolError | ResourceNotFound>
    /** Completes one variable of a template; an unknown template or variable has no completions. */
    readonly complete: (
      uriTemplate: string,
      variable: string,
      value: string
    ) => Effect.Effect<Completion, ToolError | ResourceNotFound>
  }
>()("workflow-tool-server/resources/Resources") {}
