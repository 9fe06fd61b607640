import { DateTime } from "effect"

import { readKey } from "./ApiKey.ts"
import { keyEnd, keyKind, readOnlyReason } from "./keyRules.ts"
import type { MarketplaceSettings } from "./MarketplaceConfig.ts"
import { hosts } from "./naming.ts"

const dayMs = 86_400_000

const day = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms))

/** What can be told of the configured key without asking the marketplace; `now` is in milliseconds. */
export const keyReport = (settings: MarketplaceSettings, now: number) => {
  const { promotion } = readKey(settings.apiKey)
  const kind = keyKind(settings)
  const ends = keyEnd(settings)
  return {
    kind,
    promotion,
    /** Negative for a key that has run out. */
    daysLeft: ends === undefined ? undefined : Math.floor((ends - now) / dayMs),
    mayNotWrite: readOnlyReason(settings, now),
    /** What to do about it, in whole sentences. */
    advice: [
      ...(ends !== undefined && ends <= now ? [`The key ran out on ${day(ends)}: make a new one.`] : []),
      ...(kind === "test" && settings.baseUrl === hosts.production
        ? ["A test key belongs to the sandbox, not to the real marketplace."]
        : []),
      ...(promotion === false ? ["The key has no promotion right: make one that has it."] : []),
      ...(kind === "base" || kind === "test"
        ? [`A ${kind} key may read the campaigns once an hour: a personal key is needed to plan and apply.`]
        : [])
    ]
  }
}
