import { Context } from "effect"

/** The price of a model for a million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Of tokens that the provider had kept; that of the others, if left out. */
  readonly cachedInput?: number
}

/** The prices that the configuration gives; none is built in, as they change. */
export const ModelPrices = Context.Reference<Readonly<Record<string, ModelPrice>>>(
  "workflow-tool-server/engine/ModelPrices",
  { defaultValue: () => ({}) }
)
