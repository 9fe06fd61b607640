import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits for the first SIGINT or SIGTERM. From then on, a second one ends the process at once. */
export const stopRequested: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(130)
    stopping = true
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, onSignal)
})
