import { Effect } from "effect"

/** Logs a problem once, when it begins or changes, and once when it is over. */
export const logTransition = (
  { before, now }: { readonly before: string | undefined; readonly now: string | undefined },
  problem: string,
  over: string
): Effect.Effect<void> => {
  if (now !== undefined && now !== before) return Effect.logError(`${problem}: ${now}`)
  return now === undefined && before !== undefined ? Effect.logWarning(over) : Effect.void
}
