import { Effect } from "effect"

/** V8 flags for each phase of a process. */
interface Times {
  /** In its first minute, up to five hundred calls: most clients make fewer. */
  readonly young: ReadonlyArray<string>
  /** V8's defaults. */
  readonly usual: ReadonlyArray<string>
  /** Once it is known to make many calls. */
  readonly busy: ReadonlyArray<string>
}

/**
 * What V8 is told by its major version: of Node 20, and of 22 and 24. Nothing but time depends on it.
 *
 * Young: a third of what first calls take beyond a bare server is V8 making faster code, part of it of functions that it makes
 * code of once more when more is known of them, and looking through all of the heap, which has just been filled with what
 * stays. Both can wait.
 *
 * Busy: V8 of Node 22 and 24 makes fast code of a function after its three-thousandth call, so that this server would be warm
 * after twelve thousand calls of a tool, of which those before take half as long again. Node 20 goes by the size of functions,
 * and no flag makes it warm sooner.
 */
const compilers: Readonly<Record<string, Times>> = {
  "11": {
    young: ["--no-incremental-marking", "--interrupt-budget=135168"],
    usual: ["--incremental-marking", "--interrupt-budget=67584"],
    busy: []
  },
  ...Object.fromEntries(
    ["12", "13"].map((major): [string, Times] => [
      major,
      {
        young: ["--no-incremental-marking", "--invocation-count-for-maglev=1000"],
        usual: ["--incremental-marking", "--invocation-count-for-maglev=400"],
        busy: ["--invocation-count-for-turbofan=1500"]
      }
    ])
  )
}

const times = compilers[process.versions.v8.split(".")[0] ?? ""]

const told = (flags: ReadonlyArray<string> = []) =>
  flags.length === 0
    ? Effect.void
    : Effect.map(
        Effect.promise(() => import("node:v8")),
        ({ setFlagsFromString }) => flags.forEach((flag) => setFlagsFromString(flag))
      )

/** For a process that will serve calls, after it has stored its code: V8 rejects code stored under other flags. */
export const compileSooner = Effect.suspend(() => told(times?.busy))

/** The same for one whose client may make few calls, until it is `busy`. */
export const compileInTime = (busy: Effect.Effect<void>) =>
  Effect.suspend(() =>
    Effect.all(
      [told(times?.young), Effect.raceFirst(busy, Effect.sleep("1 minute")), told(times?.usual), busy, compileSooner],
      { discard: true }
    )
  )
