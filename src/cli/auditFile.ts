import { Effect, FileSystem, Option, Ref } from "effect"

import { claim } from "./claim.ts"
import { exposure } from "./exposure.ts"
import { inWords } from "./LineFileError.ts"

interface Settings {
  readonly file: string
  /** Size that a file does not outgrow, unless by one batch of lines. */
  readonly maxBytes: number
  /** How many former files are kept, as `FILE.1` (the newest) and so on. */
  readonly keep: number
}

/** Lines that are kept for the next attempt where the file takes none. */
const patience = 10_000

/**
 * Adds lines to a file that several processes may share, and makes room by renaming it. What it does not take is said
 * as an error, once until it takes lines again, and tried again with the next lines.
 */
export const auditFile = Effect.fnUntraced(function* ({ file, keep, maxBytes }: Settings) {
  const fileSystem = yield* FileSystem.FileSystem
  const waiting = yield* Ref.make<ReadonlyArray<string>>([])
  const isFailing = yield* Ref.make(false)

  const info = yield* Effect.option(fileSystem.stat(file))
  if (Option.isSome(info)) {
    const exposed = exposure(file, { mode: info.value.mode, uid: Option.getOrUndefined(info.value.uid) })
    if (exposed !== undefined) yield* Effect.logWarning(exposed)
  }

  const isFullWith = (bytes: Uint8Array) =>
    Effect.map(Effect.option(fileSystem.stat(file)), (found) => {
      const size = Option.isSome(found) ? Number(found.value.size) : 0
      return size > 0 && size + bytes.length > maxBytes
    })

  /** Two processes must not both rename: who comes second finds the new file small, or the old one claimed. */
  const rotate = Effect.fnUntraced(
    function* (bytes: Uint8Array) {
      yield* claim(file)
      if (!(yield* isFullWith(bytes))) return
      for (let number = keep - 1; number >= 1; number -= 1) {
        yield* Effect.ignore(fileSystem.rename(`${file}.${number}`, `${file}.${number + 1}`))
      }
      yield* keep === 0 ? fileSystem.remove(file) : fileSystem.rename(file, `${file}.1`)
    },
    Effect.scoped,
    Effect.catch(({ message }) => Effect.logWarning(`The audit log could not be rotated: ${message}`))
  )

  const isTorn = Effect.gen(function* () {
    const handle = yield* fileSystem.open(file, { flag: "r" })
    const length = Number((yield* handle.stat).size)
    if (length === 0) return false
    yield* handle.seek(BigInt(length - 1), "start")
    const last = new Uint8Array(1)
    yield* handle.read(last)
    return last[0] !== "\n".charCodeAt(0)
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false)
  )

  const write = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const bytes = new TextEncoder().encode(lines.join(""))
    if (yield* isFullWith(bytes)) yield* rotate(bytes)
    const isBroken = yield* isTorn
    const handle = yield* fileSystem.open(file, { flag: "a", mode: 0o600 })
    if (isBroken) yield* handle.writeAll(new TextEncoder().encode("\n"))
    yield* handle.writeAll(bytes)
    yield* handle.sync
  }, Effect.scoped)

  return Effect.fnUntraced(function* (more: ReadonlyArray<string>) {
    const lines = [...(yield* Ref.get(waiting)), ...more].slice(-patience)
    yield* Ref.set(waiting, lines)
    yield* Effect.matchEffect(write(lines), {
      onSuccess: () => Effect.andThen(Ref.set(waiting, []), Ref.set(isFailing, false)),
      onFailure: (error) =>
        Effect.flatMap(Ref.getAndSet(isFailing, true), (before) =>
          before
            ? Effect.void
            : Effect.logError(
                `The audit log cannot be written, calls go on without it: ${inWords(file, error)} ` +
                  "What is called meanwhile is written as soon as it takes lines again."
              )
        )
    })
  }, Effect.uninterruptible)
})
