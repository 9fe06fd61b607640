import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits for the first SIGINT or SIGTERM. From then on a second one ends the process at once. */
export const stopRequested: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const stop = () => {
    for (const signal of signals) process.off(signal, stop).on(signal, () => process.exit(130))
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, stop)
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, stop)
  })
})
