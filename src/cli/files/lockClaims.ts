import { randomBytes } from "node:crypto"
import { open, symlink } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"

import { Data, Effect, FileSystem, Predicate, type Scope } from "effect"

import { transportCode } from "../../internal/http/transportCode.ts"

/** The state of a claim: it is dead if nobody answers for it. */
export type State = "held" | "waiting" | "gone"

/** A claim cannot be made. */
class ClaimFailed extends Data.TaggedError("ClaimFailed")<{
  /** The system's message. */
  readonly message: string
  readonly cause?: unknown
  /** Whether somebody holds the lock, and removed this claim before it was visible. */
  readonly isTaken?: boolean
}> {}

/**
 * Claims in a folder, to be made and asked. A claim is an entry of the folder that answers as long as its process lives: the
 * kernel knows that, also for a process in another container, and forgets it however the process ends.
 */
export interface Claims {
  /** Makes a claim that answers, and only then makes it visible; both until the scope closes. */
  readonly make: (
    entry: string,
    state: () => State
  ) => Effect.Effect<void, ClaimFailed, FileSystem.FileSystem | Scope.Scope>
  /** The state of the claim with this entry; one that lives but does not answer counts as held. */
  readonly ask: (entry: string) => Effect.Effect<State>
}

/** The name of a claim until it may be visible. */
const pendingName = (entry: string) => entry.replace(/-[0-9a-z]+-\d+-([0-9a-f]+)$/, "-new-$1")

/** Claims that are sockets beside the file; if the folder's path is too long for a socket address, a shorter one is used. */
export const sockets = (
  folder: string,
  shorten = process.platform === "linux" ? byDescriptor : byLink
): Effect.Effect<Claims, ClaimFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const isShort = Buffer.byteLength(path.join(folder, "file.lock-")) + 64 < longestAddress
    const short = isShort ? folder : yield* shorten(folder)
    const addressOf = (entry: string) => path.join(short, entry)
    return {
      make: Effect.fnUntraced(function* (entry, state) {
        const pending = pendingName(entry)
        yield* listening(yield* fitting(addressOf(pending)), state)
        yield* Effect.acquireRelease(
          Effect.mapError(
            fileSystem.rename(path.join(folder, pending), path.join(folder, entry)),
            (error) =>
              new ClaimFailed({ message: error.message, cause: error, isTaken: error.reason._tag === "NotFound" })
          ),
          () => Effect.ignore(fileSystem.remove(path.join(folder, entry), { force: true }))
        )
      }),
      ask: (entry) => askAt(addressOf(entry))
    }
  })

/** Claims on a system whose sockets have their own namespace, such as the pipes of Windows: a file shows each of them. */
export const pipes = (folder: string, root = "\\\\.\\pipe\\"): Effect.Effect<Claims> =>
  Effect.succeed({
    make: Effect.fnUntraced(function* (entry, state) {
      const fileSystem = yield* FileSystem.FileSystem
      const file = path.join(folder, entry)
      yield* listening(root + entry, state)
      yield* Effect.acquireRelease(
        Effect.mapError(fileSystem.writeFileString(file, "", { flag: "wx" }), failedWith),
        () => Effect.ignore(fileSystem.remove(file, { force: true }))
      )
    }),
    ask: (entry) => askAt(root + entry)
  })

/** The claims in a folder, on a system with this kind of claims. */
export type ClaimsIn = (folder: string) => Effect.Effect<Claims, ClaimFailed, FileSystem.FileSystem | Scope.Scope>

/** The claims of this system. */
export const claimsIn: ClaimsIn = process.platform === "win32" ? pipes : sockets

/** The longest address of a socket that every system accepts, in bytes. */
const longestAddress = 100

const fitting = (address: string): Effect.Effect<string, ClaimFailed> => {
  const bytes = Buffer.byteLength(address)
  const message = `its lock would need an address of ${bytes} bytes, and ${longestAddress} are possible`
  return bytes > longestAddress ? Effect.fail(new ClaimFailed({ message })) : Effect.succeed(address)
}

/** Linux can access an open folder by its descriptor. */
const byDescriptor = (folder: string) =>
  Effect.map(
    Effect.acquireRelease(Effect.tryPromise({ try: () => open(folder), catch: failedWith }), (handle) =>
      Effect.promise(() => handle.close())
    ),
    ({ fd }) => `/proc/self/fd/${fd}`
  )

/** Elsewhere, a link with a short name leads to the folder. */
export const byLink = (folder: string) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const where = Buffer.byteLength(tmpdir()) < 20 ? tmpdir() : "/tmp"
    const link = path.join(where, `lock-${randomBytes(6).toString("hex")}`)
    return yield* Effect.acquireRelease(
      Effect.as(Effect.tryPromise({ try: () => symlink(folder, link), catch: failedWith }), link),
      () => Effect.ignore(fileSystem.remove(link))
    )
  })

const failedWith = (cause: unknown) =>
  new ClaimFailed({ message: cause instanceof Error ? cause.message : String(cause), cause })

const listening = (address: string, state: () => State) =>
  Effect.acquireRelease(
    Effect.callback<Server, ClaimFailed>((resume) => {
      const server = createServer((socket) => socket.on("error", () => {}).end(state()))
      server.once("error", (error) => resume(Effect.fail(failedWith(error))))
      server.listen(address, () => resume(Effect.succeed(server.unref())))
    }),
    (server) => Effect.sync(() => server.close())
  )

/** Milliseconds in which an owner must answer; longer than a busy process takes. */
const answerTimeout = 2000

/** Error codes of a socket without a listener; with any other, there may be one. */
const nobody = new Set(["ECONNREFUSED", "ENOENT"])

/** Repeats the question if the answer was cut off: the owner may just be leaving, or be asked by too many. */
const askAt = (address: string) =>
  Effect.map(
    Effect.repeat(askOnce(address), { until: Predicate.isNotUndefined, times: 10 }),
    (state): State => state ?? "held"
  )

const askOnce = (address: string) =>
  Effect.callback<State | undefined>((resume) => {
    let said = ""
    const answer = (state: State | undefined) => resume(Effect.succeed(state))
    const socket = connect({ path: address, timeout: answerTimeout })
      .setEncoding("utf8")
      .on("data", (text: string) => (said += text))
      .on("end", () => answer(said === "held" || said === "waiting" ? said : undefined))
      .on("timeout", () => answer("held"))
      .on("error", (error) => answer(nobody.has(transportCode(error) ?? "") ? "gone" : undefined))
    return Effect.sync(() => socket.destroy())
  })
