import type { Effect } from "effect"

import type { Method } from "./Method.ts"
import type { ProtocolError } from "./ProtocolError.ts"
import type { Result } from "./Response.ts"

/** One way of speaking MCP: which requests are let in, what they can ask for, and what stands around results. */
export interface Era {
  /** Whether the params of a request say all that the era wants said. */
  readonly admit: (params: unknown) => Effect.Effect<void, ProtocolError>
  readonly methods: ReadonlyMap<string, Method>
  readonly result: (result: Result, method: Method) => Result
}
