import { randomBytes } from "node:crypto"
import { open } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import path from "node:path"

import { Effect, FileSystem } from "effect"

import { askOwner } from "./askOwner.ts"
import { isForeignAndUncertain, realFile, thisMachine } from "./claimedFile.ts"
import { inWords, LineFileError } from "./LineFileError.ts"

/** How often a claim looks again while others that began at the same time give way. */
const patience = 1000

/**
 * Makes a file this process's own for as long as the scope is open, and succeeds with the file behind all links.
 *
 * A claim is a socket beside the file that listens as long as its process lives: the kernel knows that, also of a
 * process in another container, and forgets it however the process ends. Every claim has a name of its own, so a dead
 * one can be taken away without ever hitting a living one. Who sees no other living claim after setting up its own
 * holds the file; of two that set theirs up at the same time, the one with the lower name gives way.
 */
export const claim = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* realFile(name)
  const folder = path.dirname(file)
  const prefix = `${path.basename(file)}.lock`
  const machine = yield* thisMachine
  const id = randomBytes(6).toString("hex")
  const own = `${prefix}-${machine}-${process.pid}-${id}`
  const unborn = `${prefix}-new-${id}`
  const refuse = (problem: string) => Effect.fail(new LineFileError({ message: `${name} ${problem}` }))
  const inUse = (by: string) => Effect.fail(new LineFileError({ message: `${name} is in use by ${by}.`, inUse: true }))
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new LineFileError({ message: inWords(name, error) })
  )
  const remove = (entry: string) => Effect.ignore(fileSystem.remove(path.join(folder, entry), { force: true }))

  const addressOf = yield* failed(addressesIn(folder))
  let isHeld = false
  const listening = listen(addressOf(unborn), () => (isHeld ? "held" : "waiting"))
  yield* failed(Effect.acquireRelease(listening, close))
  // Only now that it listens may it be seen: what does not listen counts as dead.
  const born = fileSystem.rename(path.join(folder, unborn), path.join(folder, own)).pipe(
    // The owner of the file clears away what does not listen yet.
    Effect.catchReason("PlatformError", "NotFound", () => inUse("another process")),
    Effect.catchTag("PlatformError", (error) => failed(Effect.fail(error)))
  )
  yield* Effect.acquireRelease(born, () => remove(own))

  const lookOnce = Effect.gen(function* () {
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

  for (let look = 0; look < patience; look += 1) {
    const entries = yield* lookOnce
    if (entries === undefined) continue
    isHeld = true
    // Born dead: their processes were killed between two steps. One that is about to be born is too late anyway.
    yield* Effect.forEach(
      entries.filter((entry) => entry.startsWith(`${prefix}-new-`)),
      (entry) =>
        Effect.flatMap(askOwner(addressOf(entry)), (answer) =>
          Effect.when(remove(entry), Effect.succeed(answer === "gone"))
        )
    )
    return file
  }
  return yield* inUse("other processes, which open it at the same time")
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
