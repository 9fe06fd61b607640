import { Effect } from "effect"

/**
 * How V8 is told to make fast code of a function sooner, by V8's major version: of Node 22 and 24. They wait for the
 * three-thousandth call of each; for this server to be warm that meant twelve thousand calls of a tool, of which those before
 * took half as long again. Fast code is made of what has been seen until then, on another thread, and is taken back where it
 * was wrong, so that nothing but time depends on it. Others go by what they think best: Node 20 does so by the size of a
 * function, and was no faster with any of its flags.
 */
const flags: Readonly<Record<string, string>> = {
  "12": "--invocation-count-for-turbofan=1500",
  "13": "--invocation-count-for-turbofan=1500"
}

/** For a process that is going to serve calls, and has kept its code: V8 takes none that was kept under other flags. */
export const compileSooner = Effect.suspend(() => {
  const flag = flags[process.versions.v8.split(".")[0] ?? ""]
  if (flag === undefined) return Effect.void
  return Effect.map(
    Effect.promise(() => import("node:v8")),
    ({ setFlagsFromString }) => setFlagsFromString(flag)
  )
})
