import type { Effect } from "effect"

import type { Edition } from "../store/Edition.ts"
import type { Store } from "../store/Store.ts"
import type { Parameters, Query } from "./query.ts"
import type { Refusal } from "./Refusal.ts"
import type { Shape } from "./shapes.ts"

/** A request that has passed every check that needs no records. */
export interface Call {
  /** What stands in the variable segments of the path. */
  readonly at: (name: string) => string
  readonly query: Query
  /** Has the shape that the endpoint asks for. */
  readonly body: unknown
}

export interface Reply {
  readonly status: number
  /** Sent as JSON; `undefined` sends nothing. */
  readonly body: unknown
}

/** A request body as it must be sent. */
export interface Body {
  readonly shape: Shape
  readonly isOptional?: boolean
}

/** One call that an engine offers. */
export interface Endpoint<R = never> {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** Below `/api/v1`; a segment with a colon is variable. */
  readonly path: `/${string}`
  readonly query: Parameters
  readonly body?: Body
  /** Whether it goes to the store by itself, for a moment at a time, because it may take long. */
  readonly takesTurns?: boolean
  readonly run: (call: Call) => Effect.Effect<Reply, Refusal, Edition | R | Store>
}

export const ok = (body: unknown): Reply => ({ status: 200, body })
