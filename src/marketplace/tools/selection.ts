import { Effect, Schema } from "effect"

import { InvalidArgument } from "../../mcp/ToolError.ts"
import { type Campaign, nameOf, PaymentType, paymentOf, status } from "../client/Campaign.ts"
import { id } from "./parameters.ts"

/** Ids that one selection may name: a longer list is better told by what its campaigns have in common. */
const mostIds = 3000

const Selection = Schema.Struct({
  ids: Schema.optionalKey(Schema.Array(id)),
  statuses: Schema.optionalKey(Schema.Array(Schema.Literals(Object.values(status)))),
  name: Schema.optionalKey(Schema.String),
  payment_type: Schema.optionalKey(PaymentType)
})
export type Selection = typeof Selection.Type

/** Campaigns by what they have in common: all that is given must hold. */
export const selection = (description: string) =>
  Selection.annotate({
    inputSchema: {
      type: "object",
      description,
      properties: {
        ids: { type: "array", items: { type: "integer" } },
        statuses: { type: "array", items: { type: "integer" }, description: "9 active, 11 paused" },
        name: { type: "string", description: "Part of it" },
        payment_type: { type: "string", enum: PaymentType.literals }
      }
    }
  })

/** The same where a list of tools has told its fields before. */
export const selectionLike = (description: string) =>
  Selection.annotate({
    inputSchema: { type: "object", description: `${description}: as in ads_report` }
  })

/** Refuses a selection that says nothing, or too much: what is empty never means all. */
export const checkSelection = (argument: string, chosen: Selection | undefined) => {
  if (chosen === undefined) return Effect.void
  const { ids, name, statuses } = chosen
  const wrong = (field: string, problem: string) =>
    Effect.fail(new InvalidArgument({ argument: field === "" ? argument : `${argument}.${field}`, problem }))
  if (Object.keys(chosen).length === 0) return wrong("", "must name campaigns by ids, statuses, name or payment_type")
  if (ids?.length === 0) return wrong("ids", "must not be empty: name campaigns")
  if (ids !== undefined && ids.length > mostIds) {
    return wrong("ids", `must be at most ${mostIds}, and are ${ids.length}: use statuses, name or payment_type`)
  }
  if (statuses?.length === 0) return wrong("statuses", "must not be empty: name statuses, such as 9")
  return name !== undefined && name.trim() === "" ? wrong("name", "must not be blank") : Effect.void
}

/** The warning about a selection that names no campaign: that nothing changes is no sign that all is well. */
export const nothingSelected = (
  argument: string,
  chosen: Selection | undefined,
  count: number
): ReadonlyArray<string> =>
  chosen === undefined || count > 0 ? [] : [`No campaign meets ${argument}: ${JSON.stringify(chosen).slice(0, 200)}`]

const key = (text: string): string => text.trim().toLowerCase().replaceAll("ё", "е")

/** The campaigns that a selection names. */
export const selected = (
  campaigns: ReadonlyArray<Campaign>,
  { ids, name, payment_type, statuses }: Selection
): ReadonlyArray<Campaign> => {
  const wanted = ids === undefined ? undefined : new Set(ids)
  return campaigns.filter(
    (campaign) =>
      (wanted?.has(campaign.id) ?? true) &&
      (statuses?.some((value) => value === campaign.status) ?? true) &&
      (name === undefined || key(nameOf(campaign)).includes(key(name))) &&
      (payment_type === undefined || paymentOf(campaign) === payment_type)
  )
}
