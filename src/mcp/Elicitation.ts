import { Context, Effect } from "effect"

/** A question that only a person can decide, as a form that the client shows. */
export interface Question {
  /** Distinguishes it from other questions of the same call. */
  readonly key: string
  readonly message: string
  /** The form's fields: each has the JSON Schema of a string, a number, a boolean, or a choice. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Required fields. Default: none. */
  readonly required?: ReadonlyArray<string>
  /** Everything that an answer is for, beyond the message: where this is another, the answer counts no more. */
  readonly covers?: unknown
}

/**
 * Values that only a person knows, such as those of a credential. They enter them on a page of this server: neither the client
 * nor a model sees them.
 */
export interface SecretForm {
  /** Distinguishes it from other questions of the same call. */
  readonly key: string
  readonly message: string
  /** The JSON Schema of the values. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** The outcome of a question. The content is what the form returned; only the client has validated it. */
export type Reply =
  | { readonly _tag: "Accepted"; readonly content: Readonly<Record<string, unknown>> }
  /** The person said no. */
  | { readonly _tag: "Declined" }
  /** The person closed the form without a choice. */
  | { readonly _tag: "Cancelled" }
  /** Nobody has answered, with the reason. */
  | { readonly _tag: "Unanswered"; readonly problem: string }

/**
 * Asks the person behind the current call; undefined if that is not possible. A tool asks before it changes anything: in some
 * revisions the whole call is repeated with the answer, and the tool runs from the beginning again.
 */
export const Elicitation = Context.Reference<{
  readonly ask: ((question: Question) => Effect.Effect<Reply>) | undefined
  /** Lets the person enter secrets; the content of the reply are the values. Undefined where the client opens no addresses, or no page is served. */
  readonly enter?: ((form: SecretForm) => Effect.Effect<Reply>) | undefined
}>("workflow-tool-server/mcp/Elicitation", { defaultValue: () => ({ ask: undefined }) })

/** An answer as the client sent it: either a result or an error. */
export interface ClientAnswer {
  readonly result?: unknown
  readonly error?: unknown
}

/** Whether an answer counts: it is used for the first time, it was used before, or nobody can tell. */
export type Use = "first" | "again" | "unknown"

/** The questions that copies of this server behind one address share. A single one shares nothing. */
export const Copies = Context.Reference<{
  /** The key with which all of them seal. */
  readonly secret: Effect.Effect<Uint8Array>
  /** Passes an answer to the copy that has asked. */
  readonly handOn: (question: string, answered: ClientAnswer) => Effect.Effect<void>
  /** Waits until another copy passes on the answer to a question. */
  readonly handedOn: (question: string) => Effect.Effect<ClientAnswer>
  /** Uses up the answers that came with a state, which is valid until that moment (milliseconds since 1970). */
  readonly use: (state: string, until: number) => Effect.Effect<Use>
}>("workflow-tool-server/mcp/Copies", {
  defaultValue: () => ({
    secret: Effect.sync(() => crypto.getRandomValues(new Uint8Array(32))),
    handOn: () => Effect.void,
    handedOn: () => Effect.never,
    use: makeUses()
  })
})

/** Used states that a process remembers, none of which it forgets by a clock that may go back. */
const most = 10_000

/** Remembers used states. Where they become too many, what is as old as those that were forgotten counts as used. */
export const makeUses = () => {
  const used = new Map<string, number>()
  let forgotten = -Infinity
  return (state: string, until: number): Effect.Effect<Use> =>
    Effect.sync(() => {
      if (used.has(state) || until <= forgotten) return "again"
      const [oldest] = used.size < most ? [] : used
      if (oldest !== undefined) {
        forgotten = Math.max(forgotten, oldest[1])
        used.delete(oldest[0])
      }
      used.set(state, until)
      return "first"
    })
}
