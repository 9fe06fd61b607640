import { Context, Effect } from "effect"

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
