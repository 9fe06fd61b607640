import { Context, Effect } from "effect"

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

/** An answer of a client as it came: one of both. */
export interface Answered {
  readonly result?: unknown
  readonly error?: unknown
}

/** What copies of this server behind one address tell each other of their questions. One that is alone has nobody to tell. */
export const Copies = Context.Reference<{
  /** What all of them seal with. */
  readonly secret: Effect.Effect<Uint8Array>
  /** Hands on an answer to whichever copy has asked. */
  readonly handOn: (question: string, answered: Answered) => Effect.Effect<void>
  /** Waits until another copy hands on the answer to a question. */
  readonly handedOn: (question: string) => Effect.Effect<Answered>
}>("workflow-tool-server/mcp/Copies", {
  defaultValue: () => ({
    secret: Effect.sync(() => crypto.getRandomValues(new Uint8Array(32))),
    handOn: () => Effect.void,
    handedOn: () => Effect.never
  })
})
