import { Result, Schema } from "effect"

import { objectOf } from "../../internal/schema/JsonObject.ts"
import { BidUnit, type ClusterWire, unitOf, type Wire } from "../client/Bids.ts"

/** The unit in which the cluster bids of a plan are sent, and whether existing bids prove it. `minor` is certain by itself. */
export interface ClusterUnit {
  readonly unit: BidUnit | "minor"
  readonly isProven: boolean
}

const isBidUnit = Schema.is(BidUnit)

/** The proof recorded with a plan, if there is one. */
export const provenBy = (premise: unknown): ReadonlyArray<BidUnit> => {
  const { unit } = objectOf(premise)
  return isBidUnit(unit) ? [unit] : []
}

/** The unit by setting and proofs; or why a number could be read a hundredfold, and what to do about it. */
export const clusterUnit = (
  wire: ClusterWire | undefined,
  proofs: ReadonlyArray<BidUnit>
): Result.Result<ClusterUnit, string> => {
  if (wire === "minor") return Result.succeed({ unit: "minor", isProven: false })
  const [proven, other] = new Set(proofs)
  const chosen = wire === undefined ? undefined : unitOf(wire)
  const unit = proven ?? chosen
  if (unit === undefined) return Result.fail(unproven)
  if (other !== undefined) return Result.fail(contradiction)
  return chosen === undefined || chosen === unit
    ? Result.succeed({ unit, isProven: proven !== undefined })
    : Result.fail(wrongWire(unit))
}

const unproven =
  "nothing that the marketplace shows proves whether it counts cluster bids in rubles, as it publishes, or in kopecks, as the " +
  'document says (D2), and a wrong guess is a hundredfold: set marketplace.wire to "published" for whole rubles or to "spec" ' +
  "for kopecks, and restart"

const contradiction =
  "the marketplace shows some cluster bids in rubles and others in kopecks (D2), and a wrong guess is a hundredfold: set them " +
  "in the seller's cabinet"

const wrongWire = (unit: BidUnit): string => {
  const right: Wire = unit === "rubles" ? "published" : "spec"
  return `the marketplace shows its cluster bids in ${unit} (D2): set marketplace.wire to "${right}" and restart`
}
