import { Effect, Schema } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { Kopecks, type Rubles, RublesGiven, rublesToKopecks } from "../../client/money.ts"
import { whole } from "../parameters.ts"

/** A bid inside the items of a list, in either unit. */
export const amountFields = {
  bid_rubles: Schema.optionalKey(RublesGiven),
  bid_kopecks: Schema.optionalKey(
    whole(0, "must be a whole number of kopecks, not negative").pipe(Schema.decodeTo(Kopecks))
  )
}

/** The same as it is shown to callers. */
export const amountShown = {
  bid_rubles: { type: "number", description: "New bid in rubles, or" },
  bid_kopecks: { type: "integer", description: "new bid in kopecks" }
}

interface Amount {
  readonly bid_rubles?: Rubles
  readonly bid_kopecks?: Kopecks
}

/** Nothing where neither unit is given. */
export const kopecksOf = ({ bid_kopecks, bid_rubles }: Amount): Kopecks | undefined =>
  bid_kopecks ?? (bid_rubles === undefined ? undefined : rublesToKopecks(bid_rubles))

/** Exactly one way of saying it, or the caller did not mean what we would read. */
export const exactlyOne = (index: number, given: ReadonlyArray<unknown>, words: string) =>
  given.filter((value) => value !== undefined).length === 1
    ? Effect.void
    : Effect.fail(new InvalidArgument({ argument: `changes.${index}`, problem: `must have exactly one of ${words}` }))
