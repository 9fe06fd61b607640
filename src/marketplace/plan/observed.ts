import { Option, Schema } from "effect"

/** What stands, or may stand, in the place of a bid that was sent; kopecks. */
const Observed = Schema.Struct({
  /** The bid that the marketplace has rounded it to. */
  rounded: Schema.optionalKey(Schema.Int),
  /** The bid as it shows where it was read in another unit. */
  misread: Schema.optionalKey(Schema.Int),
  /** The low bid that an earlier version has sent first, to see in which unit it is read. */
  probe: Schema.optionalKey(Schema.Int)
})
export type Observed = typeof Observed.Type

const decode = Schema.decodeUnknownOption(Observed)

/** The detail of a step of the journal; empty where there is none. */
export const observedIn = (detail: unknown): Observed => Option.getOrElse(decode(detail), () => ({}))
