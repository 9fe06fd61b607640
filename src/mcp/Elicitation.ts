import { Context, type Effect } from "effect"

/** What only a person can decide, as a form that the client shows. */
export interface Question {
  /** Tells it from other questions of the same call. */
  readonly key: string
  readonly message: string
  /** The form's fields: for each the JSON Schema of a text, a number, yes or no, or a choice. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Those that cannot be left out. Default: none. */
  readonly required?: ReadonlyArray<string>
}

/** What became of a question. Content is what the form came back with; nobody but the client has checked it. */
export type Reply =
  | { readonly _tag: "Accepted"; readonly content: Readonly<Record<string, unknown>> }
  /** The person said no. */
  | { readonly _tag: "Declined" }
  /** The person closed the form without a choice. */
  | { readonly _tag: "Cancelled" }
  /** No person has answered: why. */
  | { readonly _tag: "Unanswered"; readonly problem: string }

/**
 * Asks the person behind the call that is under way; nothing where there is no way to. A tool asks before it changes
 * anything: where a revision wants the whole call again with the answer, the tool runs from its beginning a second time.
 */
export const Elicitation = Context.Reference<{
  readonly ask: ((question: Question) => Effect.Effect<Reply>) | undefined
}>("workflow-tool-server/mcp/Elicitation", { defaultValue: () => ({ ask: undefined }) })
