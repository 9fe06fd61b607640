import { Schema } from "effect"

/** One page of a list as engines send it; the last page has no cursor. */
export const page = <S extends Schema.Constraint>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String))
  })

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor?: string | null | undefined
}

/** Where a page begins, and how long it may be. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}
