import { Context, type Effect } from "effect"

import type { Content } from "./Resources.ts"
import type { InvalidArgument } from "./ToolError.ts"

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One message of a prompt, as the model reads it. */
export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly content: Content
}

/** One prompt as the protocol sees it. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: ReadonlyArray<PromptArgument>
  readonly get: (args: Readonly<Record<string, string>>) => Effect.Effect<ReadonlyArray<PromptMessage>, InvalidArgument>
  /** Completions of an argument, best first. */
  readonly complete: (argument: string, value: string) => Effect.Effect<ReadonlyArray<string>>
}

/** The prompts this server offers, in the order in which they are listed. */
export class Prompts extends Context.Service<Prompts, ReadonlyArray<Prompt>>()(
  "workflow-tool-server/prompts/Prompts"
) {}
