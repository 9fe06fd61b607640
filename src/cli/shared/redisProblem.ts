import { Predicate } from "effect"
import type { RedisError } from "effect/persistence/Redis"

/** Refusals of a Redis by the word that they begin with, in plain words with the remedy. */
const refusals: Readonly<Record<string, string>> = {
  READONLY: "is a replica that takes no writes (READONLY): name the primary in shared.redis",
  OOM: "has no memory left for writes (OOM): raise its maxmemory",
  MISCONF: "takes no writes, as it cannot save to its disk (MISCONF): give the disk room",
  NOREPLICAS: "takes no writes, as too few replicas follow it (NOREPLICAS)",
  NOPERM: "does not allow its user these commands (NOPERM): see its access list",
  NOAUTH: "asks for a password (NOAUTH): give it in shared.redis",
  LOADING: "is still starting (LOADING)"
}

const word = new RegExp(`\\b(${Object.keys(refusals).join("|")})\\b`)

/** The refusal that a Redis answered with, in plain words; undefined where it did not answer. */
export const redisRefusal = ({ cause }: RedisError): string | undefined => {
  const [, code = ""] = Predicate.isError(cause) ? (word.exec(cause.message.slice(0, 500)) ?? []) : []
  return refusals[code]
}

/** What keeps a Redis from being used, to stand behind its name. */
export const redisProblem = (error: RedisError): string => redisRefusal(error) ?? "does not answer"
