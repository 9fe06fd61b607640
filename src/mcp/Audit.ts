import { Context, Effect } from "effect"

/** One call of a tool that may change something, after its end. It holds no arguments and nothing of the answer but ids. */
export interface AuditEntry {
  readonly tool: string
  /** Name of the instance that was called, where the tool works on one and came so far. */
  readonly instance: string | undefined
  /** Ids that the caller gave and that the answer named. */
  readonly ids: ReadonlyArray<string>
  /** An interrupted call may have changed something, or not. */
  readonly outcome: "succeeded" | "failed" | "interrupted"
  /** Kind of the failure, such as `API_ERROR`. */
  readonly error: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Name and version by which the client introduces itself with this request. */
  readonly client: string | undefined
  /** Id of the request, as log lines, traces and the caller have it. */
  readonly request: string | undefined
}

/** Keeps a record of who changed what. By default nobody does. */
export const Audit = Context.Reference<{
  /** The client of a connection says who it is, for all that follows on it. */
  readonly introduce: (client: string) => Effect.Effect<void>
  /** Who has introduced itself for the request under way, where the request does not say so itself. */
  readonly introduced: Effect.Effect<string | undefined>
  /** Never fails, and never keeps the caller waiting. */
  readonly record: (entry: AuditEntry) => Effect.Effect<void>
}>("workflow-tool-server/tools/Audit", {
  defaultValue: () => ({ introduce: () => Effect.void, introduced: Effect.undefined, record: () => Effect.void })
})

/** Tells whoever records the call under way which instance it works on. */
export const noteInstance = Context.Reference<(name: string) => Effect.Effect<void>>(
  "workflow-tool-server/tools/noteInstance",
  { defaultValue: () => () => Effect.void }
)
