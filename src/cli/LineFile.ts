import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Layer, Option, Path, Ref, type Scope } from "effect"

import { claim } from "./claim.ts"
import { exposure } from "./exposure.ts"
import { inWords, LineFileError } from "./LineFileError.ts"

/** A file of one-line texts. */
export interface LineFile {
  /** Every line in the order of writing, without one that was torn while it was written. */
  readonly lines: Effect.Effect<ReadonlyArray<string>, LineFileError>
  /** Adds one line; it is on the disk when this completes. */
  readonly append: (line: string) => Effect.Effect<void, LineFileError>
  /** Puts these lines in the place of all others, at once or not at all. */
  readonly replace: (lines: ReadonlyArray<string>) => Effect.Effect<void, LineFileError>
}

/**
 * Opens a file of lines, each of which is forced onto the disk before it counts. What a crash left half written does
 * not count, and is cut off by the next writing. One process at a time: fails when another one has the file.
 */
export const make = (file: string): Effect.Effect<LineFile, LineFileError, Scope.Scope> =>
  Effect.provide(open(file), Layer.merge(NodeFileSystem.layer, Path.layer))

/** Files whose exposure has been told: some are opened for every line. */
const warned = new Set<string>()

/** The same over any file system. */
export const open = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = yield* claim(path.resolve(name))
  const failed = Effect.mapError(
    (error: { readonly message: string }) => new LineFileError({ message: inWords(file, error) })
  )

  /** Writes a text to the end of a file, or to a new one, and waits until the disk has it. */
  const write = (target: string, flag: "a" | "wx", text: string) =>
    fileSystem.open(target, { flag, mode: 0o600 }).pipe(
      Effect.tap((handle) => handle.writeAll(new TextEncoder().encode(text))),
      Effect.flatMap((handle) => handle.sync),
      Effect.scoped
    )

  /** A file that was made or renamed is only there for good when its folder is on the disk as well. */
  const settleFolder = fileSystem.open(path.dirname(file), { flag: "r" }).pipe(
    Effect.flatMap((handle) => handle.sync),
    Effect.scoped
  )

  yield* Effect.when(
    Effect.andThen(write(file, "a", ""), settleFolder),
    Effect.map(fileSystem.exists(file), (is) => !is)
  ).pipe(failed)
  const { mode, uid } = yield* failed(fileSystem.stat(file))
  const exposed = exposure(file, { mode, uid: Option.getOrUndefined(uid) })
  if (exposed !== undefined && !warned.has(file)) {
    warned.add(file)
    yield* Effect.logWarning(exposed)
  }
  const bytes = yield* failed(fileSystem.readFile(file))
  /** Bytes of whole lines; unknown while nobody can tell whether lines were put in the place of others. */
  const length = yield* Ref.make<number | undefined>(wholeLines(bytes))
  // Nothing of ours begins with a torn line: whatever this is, it stays as it is.
  if (bytes.length > 0 && wholeLines(bytes) === 0) {
    return yield* new LineFileError({ message: `${file} is not a journal of this server` })
  }

  /** Cuts off what an interrupted or refused writing has left behind. */
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
      Effect.andThen(settleFolder),
      Effect.andThen(Ref.set(length, new TextEncoder().encode(text).byteLength))
    )
  }

  const opened: LineFile = {
    lines: failed(Effect.map(fileSystem.readFileString(file), linesOf)),
    append: Effect.fnUntraced(function* (line) {
      const good = (yield* Ref.get(length)) ?? wholeLines(yield* fileSystem.readFile(file))
      yield* good === 0 ? rewrite(`${line}\n`) : extend(good, `${line}\n`)
    }, failed),
    replace: (lines) => failed(rewrite(lines.map((line) => `${line}\n`).join("")))
  }
  return opened
})

/** How many bytes of a file are whole lines. */
const wholeLines = (bytes: Uint8Array): number => bytes.lastIndexOf("\n".charCodeAt(0)) + 1

/** The whole lines of a text. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "")
