import { Context, Effect } from "effect"

/** A call of a tool that may change something, recorded at its end. It contains no arguments, and of the answer only ids. */
export interface AuditEntry {
  readonly tool: string
  /** The instance that was called, if the tool works on one and got that far. */
  readonly instance: string | undefined
  /** Ids in the arguments and in the answer. */
  readonly ids: ReadonlyArray<string>
  /** An interrupted call may or may not have changed something. */
  readonly outcome: "succeeded" | "failed" | "interrupted"
  /** Kind of the failure, such as `API_ERROR`. */
  readonly error: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Name and version that the client states with this request. */
  readonly client: string | undefined
  /** Id of the request, also in log lines, traces and the answer. */
  readonly request: string | undefined
}

/** Records who changed what. By default nothing is recorded. */
export const Audit = Context.Reference<{
  /** A client has introduced itself, for everything that follows on its connection. */
  readonly introduce: (client: string) => Effect.Effect<void>
  /** The client of the current request, if the request itself does not say. */
  readonly introduced: Effect.Effect<string | undefined>
  /** Never fails, and never makes the caller wait. */
  readonly record: (entry: AuditEntry) => Effect.Effect<void>
}>("workflow-tool-server/tools/Audit", {
  defaultValue: () => ({ introduce: () => Effect.void, introduced: Effect.undefined, record: () => Effect.void })
})

/** Tells the recorder of the current call which instance it works on. */
export const noteInstance = Context.Reference<(name: string) => Effect.Effect<void>>(
  "workflow-tool-server/tools/noteInstance",
  { defaultValue: () => () => Effect.void }
)
