import { randomBytes } from "node:crypto"
import { open, statfs } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { hostname } from "node:os"
import path from "node:path"

import { Effect, FileSystem, Option, Predicate } from "effect"

import { transportCode } from "../internal/http/transportCode.ts"
import { describe, FileError } from "./fileProblems.ts"

/** How often it is tried to get a lock while others that began at the same time give way. */
const maxAttempts = 1000

/** Milliseconds that an owner may take to answer; longer than a process takes that is at work. */
const answerTimeout = 2000

/**
 * Locks a file for this process as long as the scope is open, and succeeds with the file behind all links.
 *
 * A claim to the lock is a socket beside the file that listens as long as its process lives: the kernel knows that, also
 * of a process in another container, and forgets it however the process ends. Every claim has a name of its own, so a
 * dead one can be removed without ever hitting a living one. Who sees no other living claim after setting up its own
 * holds the lock; of two that set theirs up at the same time, the one with the lower name gives way.
 */
export const lock = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* realFile(name)
  const folder = path.dirname(file)
  const prefix = `${path.basename(file)}.lock`
  const machine = yield* thisMachine
  const id = randomBytes(6).toString("hex")
  const own = `${prefix}-${machine}-${process.pid}-${id}`
  const pending = `${prefix}-new-${id}`
  const refuse = (problem: string) => Effect.fail(new FileError({ message: `${name} ${problem}` }))
  const inUse = (by: string) => Effect.fail(new FileError({ message: `${name} is in use by ${by}.`, inUse: true }))
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new FileError({ message: describe(name, error) })
  )
  const remove = (entry: string) => Effect.ignore(fileSystem.remove(path.join(folder, entry), { force: true }))

  const addressOf = yield* failed(addressesIn(folder))
  let isHeld = false
  const listening = listen(addressOf(pending), () => (isHeld ? "held" : "waiting"))
  yield* failed(Effect.acquireRelease(listening, close))
  // Only now that it listens may it be seen: what does not listen counts as dead.
  const published = fileSystem.rename(path.join(folder, pending), path.join(folder, own)).pipe(
    // The owner of the file clears away what does not listen yet.
    Effect.catchReason("PlatformError", "NotFound", () => inUse("another process")),
    Effect.catchTag("PlatformError", (error) => failed(Effect.fail(error)))
  )
  yield* Effect.acquireRelease(published, () => remove(own))

  /** Every entry of the folder once no other claim is in the way; nothing while others give way. */
  const attempt = Effect.gen(function* () {
    const entries = yield* failed(fileSystem.readDirectory(folder))
    if (entries.includes(prefix)) {
      return yield* refuse(`is in use by an older version of this server. If none runs, delete ${file}.lock.`)
    }
    for (const other of claimsAmong(entries, prefix).filter(({ entry }) => entry !== own)) {
      if (yield* isForeignAndUncertain(folder, machine, other.machine)) {
        return yield* refuse(
          `is claimed by process ${other.pid} of another machine, or of this one before its last start. If that ` +
            `process is gone, delete ${path.join(folder, other.entry)}.`
        )
      }
      const answer = yield* askOwner(addressOf(other.entry))
      if (answer === "held") return yield* inUse(`process ${other.pid}`)
      if (answer === "waiting" && own < other.entry) {
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
  // Pending claims that nobody listens to: their processes were killed between two steps.
  yield* Effect.forEach(
    entries.filter((entry) => entry.startsWith(`${prefix}-new-`)),
    (entry) =>
      Effect.flatMap(askOwner(addressOf(entry)), (answer) =>
        Effect.when(remove(entry), Effect.succeed(answer === "gone"))
      )
  )
  return file
})

const listen = (address: string, state: () => "waiting" | "held") =>
  Effect.callback<Server, Error>((resume) => {
    const server = createServer((socket) => socket.on("error", () => {}).end(state()))
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(address, () => resume(Effect.succeed(server.unref())))
  })

const close = (server: Server) => Effect.sync(() => server.close())

/** What else lies beside the file is none of ours. */
const claimsAmong = (entries: ReadonlyArray<string>, prefix: string) =>
  entries.flatMap((entry) => {
    const text = entry.startsWith(prefix) ? entry.slice(prefix.length) : ""
    const [, machine, pid] = /^-([0-9a-z]+)-(\d+)-[0-9a-f]{12}$/.exec(text) ?? []
    return machine === undefined || pid === undefined ? [] : [{ entry, machine, pid }]
  })

/** The longest address of a socket that every system takes, in bytes. */
const longestAddress = 100

/** Addresses of sockets in a folder. Where a path may be too long for one, the folder is named by its descriptor. */
const addressesIn = Effect.fnUntraced(function* (folder: string) {
  const isShort = Buffer.byteLength(path.join(folder, "file.lock-")) + 64 < longestAddress
  if (process.platform !== "linux" || isShort) return (entry: string) => path.join(folder, entry)
  const { fd } = yield* Effect.acquireRelease(
    Effect.tryPromise(() => open(folder)),
    (handle) => Effect.promise(() => handle.close())
  )
  return (entry: string) => `/proc/self/fd/${fd}/${entry}`
})

/** Codes of a socket that nobody listens to; with any other, somebody may. */
const nobody = new Set(["ECONNREFUSED", "ENOENT"])

/** Asks at the socket of a claim how far it has come; one that lives but does not answer holds the lock. */
const askOwner = (address: string) =>
  Effect.callback<"held" | "waiting" | "gone">((resume) => {
    let said = ""
    const socket = connect({ path: address, timeout: answerTimeout })
      .setEncoding("utf8")
      .on("data", (text: string) => (said += text))
      .on("end", () => resume(Effect.succeed(said === "held" ? "held" : "waiting")))
      .on("timeout", () => resume(Effect.succeed("held")))
      .on("error", (error) => resume(Effect.succeed(nobody.has(transportCode(error) ?? "") ? "gone" : "held")))
    return Effect.sync(() => socket.destroy())
  })

/**
 * The file behind all links, there or not. Fails where a file has another name that nobody can know of: a claim under
 * one name would not be seen under the other.
 */
const realFile = (name: string, links = 0): Effect.Effect<string, FileError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const refuse = (problem: string) => Effect.fail(new FileError({ message: `${name} ${problem}` }))
    if (links > 40) return yield* refuse("is a link that leads to itself")
    const target = yield* Effect.option(fileSystem.readLink(name))
    if (Option.isSome(target)) return yield* realFile(path.resolve(path.dirname(name), target.value), links + 1)
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
  }).pipe(Effect.catchTag("PlatformError", (error) => Effect.fail(new FileError({ message: describe(name, error) }))))

/** This machine since its start, also for processes in containers; where the system does not tell, its name. */
const thisMachine = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const boot = yield* Effect.orElseSucceed(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"), () => "")
  const id = boot.replace(/[^0-9a-f]/g, "").slice(0, 12)
  return id === ""
    ? `host${hostname()
        .toLowerCase()
        .replace(/[^0-9a-z]/g, "")
        .slice(0, 40)}`
    : id
})

/** File systems of which no other machine can have a part: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs. */
const ofOneMachine = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e
])

/** Whether a claim is another machine's on a disk that machines share: nobody here knows whether that process lives. */
export const isForeignAndUncertain = (folder: string, here: string, there: string) =>
  here === there
    ? Effect.succeed(false)
    : Effect.tryPromise(() => statfs(folder)).pipe(
        Effect.map(({ type }) => !ofOneMachine.has(type)),
        Effect.orElseSucceed(() => true)
      )
