import { articlesOf, type Campaign, mayChange } from "../client/Campaign.ts"
import type { MinusPhrases } from "../client/Clusters.ts"
import type { Guards } from "../client/MarketplaceConfig.ts"
import { caps } from "../client/operations.ts"
import type { Phrases as PhraseChange } from "./Change.ts"
import { draft, type Finding } from "./draft.ts"
import * as Phrases from "./phrases.ts"
import type { Draft } from "./Plan.ts"

/** The fate of the current phrases: they are cleared, extended by, reduced by, or replaced by the given ones. */
export type PhraseMode = "clear" | "merge" | "remove" | "replace"

/** The input for planning minus-phrases; the current ones as they were read. */
export interface MinusPhrasesInput {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Only these articles; by default all. */
  readonly nm_ids?: ReadonlyArray<number>
  readonly current: ReadonlyArray<MinusPhrases>
  readonly phrases: ReadonlyArray<string>
  readonly mode: PhraseMode
  readonly guards: Guards
}

type Lists = (before: ReadonlyArray<string>, phrases: ReadonlyArray<string>) => ReadonlyArray<string>

const wanted: { readonly [mode in PhraseMode]: Lists } = {
  clear: () => [],
  merge: Phrases.merge,
  remove: Phrases.remove,
  replace: (_before, phrases) => Phrases.distinct(phrases)
}

/** One step per article, because phrases are set once per article. */
export const planMinusPhrases = (input: MinusPhrasesInput): Draft => {
  const present = Phrases.byPair(input.current)
  const problem = modeProblem(input)
  if (problem !== undefined) return draft("minus-phrases", input.guards, [{ what: "minus-phrases", reason: problem }])
  const findings = input.campaigns.flatMap((campaign): ReadonlyArray<Finding> => {
    const articles = articlesOf(campaign).map(({ nm_id }) => nm_id)
    if (!mayChange(campaign)) {
      return [{ what: `phrases ${campaign.id}`, reason: `phrases cannot change in status ${campaign.status}` }]
    }
    const missing = (input.nm_ids ?? []).filter((nm_id) => !articles.includes(nm_id))
    const chosen = articles.filter((nm_id) => input.nm_ids?.includes(nm_id) ?? true)
    return [
      ...missing.map((nm_id) => ({
        what: `phrases ${campaign.id}/${nm_id}`,
        reason: "the article is not in the campaign"
      })),
      ...chosen.flatMap((nm_id) => {
        const before = present(campaign.id, nm_id)
        const after = wanted[input.mode](before, input.phrases)
        return phraseFinding({ target: campaign.id, nm_id, before, after }, `mode ${input.mode}`)
      })
    ]
  })
  return draft("minus-phrases", input.guards, findings)
}

const modeProblem = ({ mode, phrases }: MinusPhrasesInput): string | undefined => {
  const isEmpty = Phrases.distinct(phrases).length === 0
  if (mode !== "clear") return isEmpty ? "no phrases are given; use mode clear to remove all" : undefined
  return isEmpty ? undefined : "mode clear removes all phrases; use mode remove to take out those that are given"
}

/** The step that sets phrases; none if the article already has them. */
export const phraseFinding = (change: Omit<PhraseChange, "kind">, reason: string): ReadonlyArray<Finding> => {
  const { after, before, nm_id } = change
  if (Phrases.same(before, after)) return []
  if (after.length > caps.phrases) {
    return [{ what: `phrases of article ${nm_id}`, reason: `${after.length} phrases are more than ${caps.phrases}` }]
  }
  return [{ change: { kind: "phrases", ...change }, reason }]
}
