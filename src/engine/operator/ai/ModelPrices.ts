import { Context } from "effect"

/** The price of a model for a million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Of tokens that the provider had kept; that of the others, if left out. */
  readonly cachedInput?: number
}

type Prices = Readonly<Record<string, ModelPrice>>

/** The prices that the configuration gives; none is built in, as they change. */
export const ModelPrices = Context.Reference<Prices>("workflow-tool-server/engine/ModelPrices", {
  defaultValue: () => ({})
})

/** The tokens that a model took. */
export interface ModelTokens {
  /** `unknown` where the record does not say. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that the provider had kept, where it says so. */
  readonly cachedTokens: number
}

/** The price of a model: by its name, or by the longest beginning of it, as dates stand behind names. */
export const priceOf = (prices: Prices, model: string): ModelPrice | undefined => {
  const [name] = Object.keys(prices)
    .filter((one) => model === one || model.startsWith(`${one}-`))
    .toSorted((a, b) => b.length - a.length)
  return name === undefined ? undefined : prices[name]
}

export const costOf = ({ cachedTokens, inputTokens, model, outputTokens }: ModelTokens, prices: Prices): number => {
  const price = priceOf(prices, model)
  if (price === undefined) return 0
  const cached = Math.min(cachedTokens, inputTokens)
  const { cachedInput = price.input, input, output } = price
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000
}
