import { DateTime } from "effect"

import { type KeyKind, readKey } from "./ApiKey.ts"
import type { ClusterWire } from "./Bids.ts"
import { hosts, type MarketplaceSettings } from "./MarketplaceConfig.ts"
import { type Limit, type OperationName, operations } from "./operations.ts"

/** The kind of key, which determines the limits: as configured, otherwise as the key says. */
const keyKind = ({ apiKey, tokenKind }: MarketplaceSettings): KeyKind => tokenKind ?? readKey(apiKey).kind

/** The limit of an operation for this key, or as configured. */
export const limitOf = (settings: MarketplaceSettings, name: OperationName): Limit => {
  const kind = keyKind(settings)
  return settings.limits[name] ?? operations[name].limits[kind === "base" || kind === "test" ? "base" : "full"]
}

/** Whether the operations that the marketplace opens to personal and service keys alone are open to this one. */
export const isFullKey = (settings: MarketplaceSettings): boolean => {
  const kind = keyKind(settings)
  return kind === "personal" || kind === "service"
}

/** The form in which cluster bids go out; undefined where it is not chosen, and their own unit has to prove it. */
export const clusterWire = (settings: MarketplaceSettings): ClusterWire | undefined =>
  settings.wire === "published" && isFullKey(settings) ? "minor" : settings.wire

/** The end of a key, in milliseconds since 1970; undefined if it does not say. */
const keyEnd = ({ apiKey }: MarketplaceSettings): number | undefined => {
  const { expires } = readKey(apiKey)
  return expires === undefined ? undefined : expires * 1000
}

/** The reason why writes are refused at a given time, with everything that would have to change; undefined if they are allowed. */
export const readOnlyReason = (settings: MarketplaceSettings, now: number): string | undefined => {
  const { apiKey, journalProblem, readOnly, serverReadOnly } = settings
  const reasons = [
    ...(serverReadOnly === true ? ["the whole server is read-only, by --read-only or its configuration"] : []),
    ...(readOnly ? ["marketplace.readOnly is not false in the configuration"] : []),
    ...(journalProblem === undefined
      ? []
      : [`${journalProblem.replace(/\.$/, "")}; when that is settled, start this server anew`]),
    ...((keyEnd(settings) ?? Infinity) <= now ? ["the key has run out, and a new one is needed"] : []),
    ...(readKey(apiKey).readOnly ? ["the key is a read-only one, and another one would be needed"] : [])
  ]
  return reasons.length === 0 ? undefined : reasons.join("; ")
}

const dayMs = 86_400_000

const day = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms))

/** Facts about the configured key that need no call; `now` is in milliseconds. */
export const keyReport = (settings: MarketplaceSettings, now: number) => {
  const { promotion } = readKey(settings.apiKey)
  const kind = keyKind(settings)
  const ends = keyEnd(settings)
  return {
    kind,
    promotion,
    /** Negative for an expired key. */
    daysLeft: ends === undefined ? undefined : Math.floor((ends - now) / dayMs),
    mayNotWrite: readOnlyReason(settings, now),
    /** Advice on it, in whole sentences. */
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
