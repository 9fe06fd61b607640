import { Effect, Predicate } from "effect"

import { invalidParams } from "../ProtocolError.ts"
import type { Result } from "../Response.ts"

/** Milliseconds for which a list may be cached: it changes only with the configuration. */
export const shelfLife = 300_000

interface Page {
  readonly cursor?: string
}

/** Params for a list from its beginning, as nearly always. */
export const listed = {
  ttlMs: shelfLife,
  fits: (params: unknown): params is Page => Predicate.isObject(params) && !("cursor" in params)
}

/** Our lists have a single page, so no cursor can be ours. */
export const onePage = (params: Page, page: Result) =>
  params.cursor === undefined ? Effect.succeed(page) : Effect.fail(invalidParams("cursor: is not one of this server's"))
