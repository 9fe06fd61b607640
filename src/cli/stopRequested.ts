import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Milliseconds from one look for the shell of npm to the next. */
const often = 500

/**
 * Waits for the first SIGINT or SIGTERM, or the end of the shell in which npm has started this. From then on, a second
 * signal ends the process at once.
 */
export const stopRequested: Effect.Effect<void> = Effect.callback<void>((resume) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(130)
    stopping = true
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, onSignal)
  onceShellEnds(() => {
    stopping = true
    resume(Effect.void)
  })
})

/** What npm starts in a shell that lives as long as what it runs. Other scripts may leave it in the background on purpose. */
const inForeground: ReadonlyArray<unknown> = ["start", "npx"]

/**
 * npm sends a signal on to the shell that runs its script, and most shells end without sending it any further: nobody else
 * would ever stop this process. Systems tell of no parent's end, so it is looked for.
 */
const onceShellEnds = (then: () => void) => {
  if (!inForeground.includes(process.env["npm_lifecycle_event"])) return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    then()
  }, often)
  timer.unref()
}
