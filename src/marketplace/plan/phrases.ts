import { listed, quotedName } from "../../internal/foreignText.ts"
import type { MinusPhrases } from "../client/Clusters.ts"
import { pairKey } from "../client/ids.ts"

/** The form in which phrases are compared, without case and extra spaces. */
export const key = (phrase: string): string => phrase.trim().replace(/\s+/g, " ").toLowerCase()

const clean = (phrase: string): string => phrase.trim().replace(/\s+/g, " ")

/** Distinct phrases, normalised, in alphabetical order. */
export const distinct = (phrases: ReadonlyArray<string>): ReadonlyArray<string> => {
  const byKey = new Map<string, string>()
  for (const phrase of phrases.toSorted()) {
    if (key(phrase) !== "" && !byKey.has(key(phrase))) byKey.set(key(phrase), clean(phrase))
  }
  return [...byKey.values()].toSorted()
}

/** The current phrases in their order, then the new ones. */
export const merge = (current: ReadonlyArray<string>, more: ReadonlyArray<string>): ReadonlyArray<string> => {
  const keys = new Set(current.map(key))
  return [...current, ...distinct(more).filter((phrase) => !keys.has(key(phrase)))]
}

export const remove = (current: ReadonlyArray<string>, gone: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unwanted = new Set(gone.map(key))
  return current.filter((phrase) => !unwanted.has(key(phrase)))
}

/** Whether two lists contain the same phrases, in any order. */
export const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  const keys = new Set(a.map(key))
  const others = new Set(b.map(key))
  return keys.size === others.size && [...keys].every((phrase) => others.has(phrase))
}

/** Phrases that a text lists, of those added and of those removed. */
const mostListed = 5

const listedPhrases = (phrases: ReadonlyArray<string>) => listed(phrases.map(quotedName), mostListed)

/** The minus-phrases that are added and removed, in words. */
export const differenceText = ({
  after,
  before
}: {
  readonly after: ReadonlyArray<string>
  readonly before: ReadonlyArray<string>
}): string => {
  const [added, removed] = [remove(after, before), remove(before, after)]
  return [
    ...(added.length === 0 ? [] : [`no longer shown for ${listedPhrases(added)}`]),
    ...(removed.length === 0 ? [] : [`shown again for ${listedPhrases(removed)}`])
  ].join("; ")
}

/** Looks up the phrases of an article; empty if none are known. */
export const byPair = (current: ReadonlyArray<MinusPhrases>) => {
  const lists = new Map(current.map((item) => [pairKey(item), item.norm_queries]))
  return (advert_id: number, nm_id: number): ReadonlyArray<string> => lists.get(pairKey({ advert_id, nm_id })) ?? []
}
