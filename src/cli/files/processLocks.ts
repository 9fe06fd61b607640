import { createHash } from "node:crypto"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Duration, Effect, Exit, FileSystem, type PlatformError, Random, Scope } from "effect"

import type { Coordination } from "../../internal/http/Coordination.ts"
import { monotonicMillis } from "../../internal/time.ts"
import { lock } from "./fileLock.ts"
import { describe, FileError } from "./fileProblems.ts"
import { homeless, stateFolder } from "./homeFolders.ts"
import { claimFor, type ProcessClaim, processIn } from "./processClaim.ts"

/** Milliseconds between two attempts to take a lock that somebody holds. */
const pause = { atLeast: 5, atMost: 20 } as const

/** Whatever is tried of a lock is tried again while others change the folder, at most so often. */
const maxRepairs = 10

/** This process among those that use the folder. */
interface Holder extends ProcessClaim {
  /** Its text is the claim's name; a hard link to it is a lock, which is there at once with all that it says. */
  readonly file: string
  /** Whether another process has asked for it since it took a lock, and so waits for one. */
  readonly demand: { isThere: boolean }
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Locks by name among all processes that use a folder. A lock is a file that names the claim of its holder; one whose holder is
 * gone is taken over. Where the folder cannot be used, `unprotected` tells why, and the work is done without the lock.
 */
export const processLocks = Effect.fnUntraced(function* (
  folder: string,
  unprotected: (error: FileError) => Effect.Effect<void>
) {
  const scope = yield* Effect.scope
  const fileSystem = yield* FileSystem.FileSystem
  const onDisk = Effect.provideService(FileSystem.FileSystem, fileSystem)
  const removed = (file: string) => Effect.ignore(fileSystem.remove(file))

  /** Removes what dead processes have left. No claim's name comes again: what is dead now stays so until it is removed. */
  const removeDead = ({ stateOf }: ProcessClaim) =>
    Effect.gen(function* () {
      yield* lock(path.join(folder, "removing"))
      for (const name of yield* fileSystem.readDirectory(folder)) {
        if (!/\.(?:holder|lock)$/.test(name)) continue
        const file = path.join(folder, name)
        const entry = yield* Effect.option(fileSystem.readFileString(file))
        if (entry._tag === "Some" && (yield* stateOf(entry.value)) === "gone") yield* removed(file)
      }
    }).pipe(Effect.scoped, Effect.ignore, onDisk)

  const claimed = Effect.gen(function* () {
    const demand = { isThere: false }
    const claim = yield* claimFor(folder, () => {
      demand.isThere = true
    })
    const file = path.join(folder, `${claim.entry}.holder`)
    const holder: Holder = { ...claim, file, demand }
    yield* Effect.acquireRelease(fileSystem.writeFileString(file, claim.entry, { flag: "wx", mode: 0o600 }), () =>
      removed(file)
    )
    yield* removeDead(claim)
    return holder
  }).pipe(onDisk)
  const [current, forget] = yield* Effect.cachedInvalidateWithTTL(
    Effect.flatMap(Scope.fork(scope), (claimScope) =>
      Effect.onError(Scope.provide(claimed, claimScope), (cause) => Scope.close(claimScope, Exit.failCause(cause)))
    ),
    Duration.infinity
  )

  /** Takes a lock; answers the process that holds it if that is another one. */
  const attempt = Effect.fnUntraced(function* ({ file, stateOf, ...claim }: Holder, lockFile: string) {
    const made = yield* Effect.result(fileSystem.link(file, lockFile))
    if (made._tag === "Success") return undefined
    if (!isReason(made.failure, "AlreadyExists")) return yield* made.failure
    const entry = yield* Effect.option(fileSystem.readFileString(lockFile))
    if (entry._tag === "None") return "that has just ended it"
    if ((yield* onDisk(stateOf(entry.value))) === "gone") yield* removeDead({ ...claim, stateOf })
    return processIn(entry.value)
  })

  const take = Effect.fnUntraced(function* (name: string, restore: Restore, until: number) {
    const waiting = (millis: number) => restore(Effect.sleep(millis))
    let holder = yield* current
    if (holder.demand.isThere) {
      // Those who wait look at intervals, and would never find it free between two changes of ours.
      holder.demand.isThere = false
      yield* waiting(pause.atMost + pause.atLeast)
    }
    const digest = createHash("sha256").update(name).digest("hex").slice(0, 32)
    const file = path.join(folder, `${holder.machine}-${digest}.lock`)
    for (let repairs = 0; ;) {
      const tried = yield* Effect.result(attempt(holder, file))
      if (tried._tag === "Failure") {
        if (!isReason(tried.failure, "NotFound") || repairs++ === maxRepairs) return yield* tried.failure
        // Somebody has removed the folder, or what was in it.
        yield* forget
        holder = yield* current
        continue
      }
      const heldBy = tried.success
      if (heldBy === undefined || (yield* monotonicMillis) >= until) return { file, heldBy }
      yield* waiting(yield* Random.nextIntBetween(pause.atLeast, pause.atMost))
    }
  })

  const withLock: (typeof Coordination)["Service"]["withLock"] = (name, self, { atMost, busy }) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const until = (yield* monotonicMillis) + Duration.toMillis(atMost)
        const taken = yield* Effect.result(take(name, restore, until))
        if (taken._tag === "Failure") {
          yield* forget
          yield* unprotected(asFileError(folder, taken.failure))
          return yield* restore(self)
        }
        const { file, heldBy } = taken.success
        return heldBy === undefined
          ? yield* Effect.ensuring(restore(self), removed(file))
          : yield* busy(`Process ${heldBy} on this machine, another server of this user, is changing it`)
      })
    )

  return withLock
})

const isReason = (error: FileError | PlatformError.PlatformError, reason: "AlreadyExists" | "NotFound") =>
  error._tag === "PlatformError" && error.reason._tag === reason

const asFileError = (folder: string, error: FileError | PlatformError.PlatformError) =>
  error._tag === "FileError" ? error : new FileError({ message: describe(folder, error) })

/**
 * Locks of workflows against the other servers of this user on this machine. Without a folder for them changes go on, and it is
 * logged once that nothing keeps them apart, unless a shared Redis does.
 */
export const workflowLocks = Effect.fnUntraced(function* ({ isShared }: { readonly isShared: boolean }) {
  let isTold = isShared
  const unprotected = ({ message }: Pick<FileError, "message">) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Effect.logWarning(`${unlocked}: ${message}`)
    })
  const state = stateFolder()
  if (state !== undefined) return yield* processLocks(path.join(state, `locks${user()}`), unprotected)
  yield* unprotected({ message: `${homeless("XDG_STATE_HOME")}.` })
  const withoutLock: (typeof Coordination)["Service"]["withLock"] = (_, self) => self
  return withoutLock
}, Effect.provide(NodeFileSystem.layer))

const unlocked =
  "Changes of workflows are not locked against other servers of this user on this machine, which may overwrite each other's"

/** Whoever works in another user's home has claims that this user cannot ask. */
const user = () => (process.getuid === undefined ? "" : `-${process.getuid()}`)
