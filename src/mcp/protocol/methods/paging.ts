import { Effect, Predicate } from "effect"

import { invalidParams } from "../ProtocolError.ts"
import type { Result } from "../Response.ts"

/** Milliseconds for which a list may be kept: it changes only with the configuration. */
export const shelfLife = 300_000

interface Page {
  readonly cursor?: string
}

/** Of a list that is asked for from its beginning, as nearly all are. */
export const listed = {
  ttlMs: shelfLife,
  fits: (params: unknown): params is Page => Predicate.isObject(params) && !("cursor" in params)
}

/** Our lists are whole on their first page, so no cursor can be one of ours. */
export const onePage = (params: Page, page: Result) =>
  params.cursor === undefined ? Effect.succeed(page) : Effect.fail(invalidParams("cursor: is not one of this server's"))
