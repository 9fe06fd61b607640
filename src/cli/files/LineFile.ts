import { dirname } from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Layer, Option, Path, Ref, type Scope, Stream } from "effect"

import { describe, exposureOf, FileError, noFollow, refuseLink } from "./fileProblems.ts"

/** A file of single-line texts. */
export interface LineFile {
  /** Bytes that it had when it was opened. */
  readonly length: number
  /** Every line in order, without one that was cut off while it was written. */
  readonly lines: Effect.Effect<ReadonlyArray<string>, FileError>
  /** Adds one line; it is on the disk when this completes. */
  readonly append: (line: string) => Effect.Effect<void, FileError>
  /** Replaces all lines by these, atomically. */
  readonly replace: (lines: ReadonlyArray<string>) => Effect.Effect<void, FileError>
}

/**
 * Opens a file of lines, each of which is synced to the disk before it counts. A line cut off by a crash does not count, and is
 * removed by the next write. For one process at a time: fails if another one uses the file.
 */
export const make = (file: string): Effect.Effect<LineFile, FileError, Scope.Scope> =>
  Effect.provide(open(file), Layer.merge(NodeFileSystem.layer, Path.layer))

/** Bytes of a file that are read at once. */
const chunkSize = 256 * 1024

/** Files whose permissions have been reported: some are opened for every line. */
const warned = new Set<string>()

/** The same over any file system. */
export const open = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { lock } = yield* Effect.promise(() => import("./fileLock.ts"))
  const file = yield* lock(path.resolve(name))
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new FileError({ message: describe(file, error) })
  )

  /** Appends a text to a file, or creates it, and waits until it is on the disk. */
  const write = (target: string, flag: "a" | "wx", text: string) =>
    fileSystem.open(target, { flag, mode: 0o600, noFollow }).pipe(
      Effect.tap((handle) => handle.writeAll(new TextEncoder().encode(text))),
      Effect.flatMap((handle) => handle.sync),
      Effect.scoped
    )

  /** A new or renamed file is durable only when its folder is synced as well. */
  const syncFolder = fileSystem.open(path.dirname(file), { flag: "r" }).pipe(
    Effect.flatMap((handle) => handle.sync),
    Effect.scoped
  )

  yield* Effect.when(
    Effect.andThen(write(file, "a", ""), syncFolder),
    Effect.map(fileSystem.exists(file), (is) => !is)
  ).pipe(failed)
  if (!warned.has(file) && (yield* failed(warnOfExposure(file)))) warned.add(file)
  const measured = fileSystem.stream(file, { chunkSize }).pipe(
    Stream.runFold(
      () => ({ bytes: 0, ofWholeLines: 0 }),
      ({ bytes, ofWholeLines }, chunk) => {
        const end = chunk.lastIndexOf("\n".charCodeAt(0))
        return { bytes: bytes + chunk.length, ofWholeLines: end === -1 ? ofWholeLines : bytes + end + 1 }
      }
    )
  )
  const { bytes, ofWholeLines } = yield* failed(measured)
  /** Bytes of whole lines; unknown while it is unclear whether lines were replaced. */
  const length = yield* Ref.make<number | undefined>(ofWholeLines)
  // No file of ours begins with a torn line: whatever this is, it stays as it is.
  if (bytes > 0 && ofWholeLines === 0) {
    return yield* new FileError({ message: `${file} is not a journal of this server` })
  }

  /** Removes what an interrupted or failed write has left behind. */
  const repair = (good: number) =>
    Effect.when(
      fileSystem.truncate(file, good),
      Effect.map(fileSystem.stat(file), ({ size }) => Number(size) > good)
    )

  const extend = (good: number, line: string) =>
    repair(good).pipe(
      Effect.andThen(write(file, "a", line)),
      Effect.andThen(Ref.set(length, good + new TextEncoder().encode(line).byteLength))
    )

  const rewrite = (text: string) => {
    const temporary = `${file}.new`
    const discard = fileSystem.remove(temporary, { force: true })
    return discard.pipe(
      Effect.andThen(write(temporary, "wx", text)),
      Effect.andThen(Ref.set(length, undefined)),
      Effect.andThen(fileSystem.rename(temporary, file)),
      Effect.onError(() => Effect.ignore(discard)),
      Effect.andThen(syncFolder),
      Effect.andThen(Ref.set(length, new TextEncoder().encode(text).byteLength))
    )
  }

  const opened: LineFile = {
    length: bytes,
    lines: failed(Effect.map(fileSystem.readFileString(file), linesOf)),
    append: Effect.fnUntraced(function* (line) {
      const good = (yield* Ref.get(length)) ?? (yield* measured).ofWholeLines
      yield* good === 0 ? rewrite(`${line}\n`) : extend(good, `${line}\n`)
    }, failed),
    replace: (lines) => failed(rewrite(lines.map((line) => `${line}\n`).join("")))
  }
  return opened
})

/** Warns if other users of this machine can read or change an existing file; returns whether they can. */
export const warnOfExposure = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const accessTo = (name: string) =>
    Effect.map(fileSystem.stat(name), ({ gid, mode, uid }) => ({
      mode,
      uid: Option.getOrUndefined(uid),
      gid: Option.getOrUndefined(gid)
    }))
  const warnings = exposureOf(file, yield* accessTo(file), yield* accessTo(dirname(file)))
  yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning))
  return warnings.length > 0
})

/** The whole lines of a text. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "")

/**
 * Takes the whole lines of a file one by one, including empty ones, as it is at this moment; none if it does not exist. Takes
 * no lock: another process may be writing, and a half-written line does not count. Where a line is `enough`, no more are read.
 */
export const eachLine = <A>(file: string, take: (line: string) => Effect.Effect<A>): Effect.Effect<void, FileError> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    yield* refuseLink(file)
    if (!(yield* fileSystem.exists(file))) return
    let begun: Array<string> = []
    const takeText = Effect.fnUntraced(function* (text: string) {
      const [first = "", ...more] = text.split("\n")
      begun.push(first)
      for (const next of more) {
        const line = begun.join("")
        begun = [next]
        if ((yield* take(line)) === "enough") return false
      }
      return true
    })
    yield* fileSystem.stream(file, { chunkSize }).pipe(
      Stream.decodeText(),
      Stream.mapEffect(takeText),
      Stream.takeWhile((isOpen) => isOpen),
      Stream.runDrain
    )
  }).pipe(
    Effect.catchTag("PlatformError", ({ message }) =>
      Effect.fail(new FileError({ message: `${file}: ${message}. May this process read it?` }))
    ),
    Effect.provide(NodeFileSystem.layer)
  )
