import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits for the first SIGINT or SIGTERM. From then on, a second one ends the process at once. */
const signalled = Effect.callback<void>((resume) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(130)
    stopping = true
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, onSignal)
})

/** Scripts that npm starts in a shell that lives as long as they do. Others may leave it in the background on purpose. */
const inForeground: ReadonlyArray<unknown> = ["start", "npx"]

/** From one look for the shell to the next: systems tell of no parent's end. */
const often = "500 millis"

/** The process that has started this one: it may end before anybody waits for that. */
const shell = process.ppid

const shellEnded = Effect.repeat(Effect.sleep(often), { while: () => process.ppid === shell })

/**
 * Waits until the process is told to stop, by a signal or by the end of npm's shell: npm sends a signal on to the shell that
 * runs its script, and most shells end without sending it any further, so that nobody else would ever stop this process.
 */
export const stopRequested: Effect.Effect<void> = inForeground.includes(process.env["npm_lifecycle_event"])
  ? Effect.raceFirst(signalled, shellEnded)
  : signalled
