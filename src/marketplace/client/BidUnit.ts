import { Schema } from "effect"

/** The two units in which the marketplace may count a cluster bid (D2). */
export const BidUnit = Schema.Literals(["kopecks", "rubles"])
export type BidUnit = typeof BidUnit.Type

/** Two bodies have another form at the marketplace than in the document; this says which one goes out. */
export const Wire = Schema.Literals(["spec", "published"])
export type Wire = typeof Wire.Type

/** The unit that goes out on a wire. */
export const unitOf = (wire: Wire): BidUnit => (wire === "spec" ? "kopecks" : "rubles")
