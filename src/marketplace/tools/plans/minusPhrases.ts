import { Effect, Schema } from "effect"

import { reads } from "../../../mcp/annotations.ts"
import { optional } from "../../../mcp/parameters.ts"
import * as Tool from "../../../mcp/Tool.ts"
import { pairsOf } from "../../client/Campaign.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { planMinusPhrases } from "../../plan/planMinusPhrases.ts"
import { readCampaign } from "../campaigns.ts"
import { orRefuse } from "../errors.ts"
import { advertId, nmIds } from "../parameters.ts"
import { phrasesOf } from "./gather.ts"
import { keep, withWarnings } from "./keep.ts"
import * as results from "./results.ts"

const mode = Schema.Literals(["merge", "replace", "remove", "clear"]).annotate({
  description: "merge adds to what is there, replace sets exactly these, remove takes these out, clear takes all out"
})

export const planMinusPhrasesTool = Tool.make("ads_plan_minus_phrases", {
  title: "Plan minus-phrases",
  description: "Plan minus-phrases for all or some articles of a campaign, one step per article. Changes nothing",
  annotations: reads,
  arguments: {
    advert_id: advertId,
    nm_ids: optional(nmIds),
    phrases: optional(Schema.Array(Schema.String).annotate({ description: "Phrases; none with mode clear" })),
    mode
  },
  result: results.phrasesPlan,
  run: Effect.fn("ads_plan_minus_phrases")(function* ({ advert_id, mode, nm_ids, phrases = [] }) {
    const { guards } = yield* MarketplaceConfig
    const campaign = yield* readCampaign(advert_id)
    const { items, warnings } = yield* phrasesOf(pairsOf([campaign]))
    const only = nm_ids === undefined ? {} : { nm_ids }
    const draft = planMinusPhrases({ campaigns: [campaign], ...only, current: items, phrases, mode, guards })
    return yield* keep(withWarnings(draft, warnings))
  }, orRefuse)
})
