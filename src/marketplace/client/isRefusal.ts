const refusals = [
  "AdsBadRequest",
  "AdsConflict",
  "AdsInvalidRequest",
  "AdsNotFound",
  "BidOutOfRange",
  "CampaignStateRefused",
  "CampaignUnreadable",
  "LowBudget"
] as const

type Refusal<E> = Extract<E, { readonly _tag: (typeof refusals)[number] }>

/** Whether the marketplace does not take or show what was asked for: nothing was changed, and asking again would not help. */
export const isRefusal = <E extends { readonly _tag: string }>(error: E): error is Refusal<E> =>
  refusals.some((tag) => tag === error._tag)

type Some<E> = Extract<E, { readonly _tag: "AdsPartlyDone" }>

/** The same, or a call of which only some was taken, without a word on what. */
export const isRefusalOfSome = <E extends { readonly _tag: string }>(error: E): error is Refusal<E> | Some<E> =>
  isRefusal(error) || error._tag === "AdsPartlyDone"
