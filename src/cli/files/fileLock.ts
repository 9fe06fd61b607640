import { randomBytes } from "node:crypto"
import path from "node:path"

import { Effect, FileSystem, Option, Predicate } from "effect"

import { describe, FileError, refuseLink } from "./fileProblems.ts"
import { type ClaimsIn, claimsIn, type State } from "./lockClaims.ts"
import { isForeignAndUncertain, thisMachine } from "./thisMachine.ts"

/** Most attempts to get a lock while others that began at the same time give way. */
const maxAttempts = 1000

/**
 * Locks a file for this process as long as the scope is open, and succeeds with its name in the folder behind all links.
 *
 * Every claim to the lock has a name of its own, so a dead one can be removed without ever hitting a living one. Who sees
 * no other living claim after making its own holds the lock; of two that make theirs at the same time, the one with the
 * lower name gives way.
 */
export const lock = Effect.fnUntraced(function* (name: string, claims: ClaimsIn = claimsIn) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* realFile(name)
  const folder = path.dirname(file)
  const prefix = `${path.basename(file)}.lock`
  const machine = yield* thisMachine
  const id = randomBytes(6).toString("hex")
  const claim = `${prefix}-${machine}-${process.pid}-${id}`
  const refuse = (problem: string) => Effect.fail(new FileError({ message: `${name} ${problem}` }))
  const inUse = (by: string) => Effect.fail(new FileError({ message: `${name} is in use by ${by}.`, inUse: true }))
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new FileError({ message: describe(name, error) })
  )
  const remove = (entry: string) => Effect.ignore(fileSystem.remove(path.join(folder, entry), { force: true }))

  const { ask, make } = yield* failed(claims(folder))
  let isHeld = false
  yield* Effect.catch(
    make(claim, (): State => (isHeld ? "held" : "waiting")),
    (error) => (error.isTaken === true ? inUse("another process") : failed(Effect.fail(error)))
  )

  /** Every entry of the folder once no other claim is in the way; undefined while others give way. */
  const attempt = Effect.gen(function* () {
    const entries = yield* failed(fileSystem.readDirectory(folder))
    if (entries.includes(prefix)) {
      return yield* refuse(`is in use by an older version of this server. If none runs, delete ${file}.lock.`)
    }
    for (const other of claimsAmong(entries, prefix).filter(({ entry }) => entry !== claim)) {
      if (yield* isForeignAndUncertain(folder, machine, other.machine)) {
        return yield* refuse(
          `is claimed by process ${other.pid} of another machine, or of this one before its last start. If that ` +
            `process is gone, delete ${path.join(folder, other.entry)}.`
        )
      }
      const answer = yield* ask(other.entry)
      if (answer === "held") return yield* inUse(`process ${other.pid}`)
      if (answer === "waiting" && claim < other.entry) {
        return yield* inUse(`process ${other.pid}, which opens it at the same time`)
      }
      if (answer === "waiting") return undefined
      yield* remove(other.entry)
    }
    return entries
  })

  const entries = yield* Effect.repeat(attempt, { until: Predicate.isNotUndefined, times: maxAttempts - 1 })
  if (entries === undefined) return yield* inUse("other processes, which open it at the same time")
  isHeld = true
  // Pending claims that nobody answers: their processes were killed between two steps.
  yield* Effect.forEach(
    entries.filter((entry) => entry.startsWith(`${prefix}-new-`)),
    (entry) => Effect.flatMap(ask(entry), (answer) => Effect.when(remove(entry), Effect.succeed(answer === "gone")))
  )
  return file
})

/** Other files next to it are not ours. */
const claimsAmong = (entries: ReadonlyArray<string>, prefix: string) =>
  entries.flatMap((entry) => {
    const text = entry.startsWith(prefix) ? entry.slice(prefix.length) : ""
    const [, machine, pid] = /^-([0-9a-z]+)-(\d+)-[0-9a-f]{12}$/.exec(text) ?? []
    return machine === undefined || pid === undefined ? [] : [{ entry, machine, pid }]
  })

/**
 * A file in the folder behind all links, existing or not. Fails if it is a link itself, or has further hard links: a claim under
 * one name would not be seen under another.
 */
const realFile = Effect.fnUntraced(
  function* (name: string) {
    const fileSystem = yield* FileSystem.FileSystem
    const refuse = (problem: string) => Effect.fail(new FileError({ message: `${name} ${problem}` }))
    yield* refuseLink(name)
    const file = path.join(yield* fileSystem.realPath(path.dirname(name)), path.basename(name))
    const info = yield* Effect.option(fileSystem.stat(file))
    if (Option.exists(info, ({ nlink }) => Option.getOrElse(nlink, () => 1) > 1)) {
      return yield* refuse("has a second name (a hard link), under which another process could write it. Copy it.")
    }
    const mounts = yield* Effect.orElseSucceed(fileSystem.readFileString("/proc/self/mountinfo"), () => "")
    if (mounts.split("\n").some((mount) => mount.split(" ")[4] === file.replaceAll(" ", "\\040"))) {
      return yield* refuse("is mounted by itself, and so cannot be locked against other containers. Mount its folder.")
    }
    return file
  },
  (self, name) =>
    Effect.catchTag(self, "PlatformError", (error) => Effect.fail(new FileError({ message: describe(name, error) })))
)
