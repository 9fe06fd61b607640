import { Effect, Result } from "effect"

import { isRefusal, type MarketplaceError } from "./MarketplaceError.ts"

/** What a read has found, by the items that were asked for at once, and the items that the marketplace does not show. */
export interface ReadApart<A, B> {
  readonly found: ReadonlyArray<{ readonly items: ReadonlyArray<A>; readonly answer: B }>
  readonly refused: ReadonlyArray<{ readonly item: A; readonly error: MarketplaceError }>
}

/** So many items refused without one that is shown are no accident of single items. */
const mostRefused = 20

/** Reads many items at once. One that the marketplace refuses to show does not hide the others. */
export const readApart = Effect.fnUntraced(function* <A, B>(
  all: ReadonlyArray<A>,
  read: (items: ReadonlyArray<A>) => Effect.Effect<B, MarketplaceError>
): Effect.fn.Return<ReadApart<A, B>, MarketplaceError> {
  const found: Array<ReadApart<A, B>["found"][number]> = []
  const refused: Array<ReadApart<A, B>["refused"][number]> = []
  const open = all.length === 0 ? [] : [all]
  for (let items = open.pop(); items !== undefined; items = open.pop()) {
    const outcome = yield* Effect.result(read(items))
    if (Result.isSuccess(outcome)) {
      found.push({ items, answer: outcome.success })
      continue
    }
    const { failure } = outcome
    const [item] = items
    const isHopeless = found.length === 0 && refused.length >= mostRefused
    if (isHopeless || item === undefined || !isRefusal(failure)) return yield* failure
    if (items.length === 1) refused.push({ item, error: failure })
    else {
      const middle = Math.ceil(items.length / 2)
      open.push(items.slice(middle), items.slice(0, middle))
    }
  }
  return { found, refused }
})
