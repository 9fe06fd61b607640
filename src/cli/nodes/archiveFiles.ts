import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises"
import path from "node:path"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"

import { Clock, Effect, Option, Result, Schema } from "effect"

import { type Archive, ArchiveError, type Archives } from "../../engine/nodes/NodePackages.ts"
import { transportCode } from "../../internal/http/transportCode.ts"

/** The first line of a file: the lengths of the packed parts after it, the list first, and their checksum. */
const Head = Schema.fromJsonString(
  Schema.Struct({
    format: Schema.Literal(1),
    sha256: Schema.String,
    index: Schema.Int,
    texts: Schema.Array(Schema.Int)
  })
)

/** Largest text that is unpacked, in bytes. */
const largest = 32 * 1024 * 1024

/**
 * Archives in a folder, one file each. A file is written beside its place and moved there atomically, so that processes never
 * see half of one, and the last of two that write the same wins. A damaged one counts as missing. Files that nobody has opened
 * for three months are deleted when another one is saved: engines are updated, and move.
 */
export const archiveFiles = (folder: string): Archives => {
  const fileOf = (name: string) => path.join(folder, `${name.replace(/[^A-Za-z0-9.@_-]/g, "_")}.nodes`)
  const failed = (file: string) => (code: string) => new ArchiveError({ message: `${file}: ${code}` })

  return {
    open: (name) => {
      const file = fileOf(name)
      return Effect.tryPromise({ try: () => readFile(file), catch: codeOf }).pipe(
        Effect.tap(() => touch(file)),
        Effect.map((bytes) => unpack(file, bytes)),
        Effect.catch((code) => (code === "ENOENT" ? Effect.succeedNone : Effect.fail(failed(file)(code))))
      )
    },
    save: (name, index, texts) =>
      Effect.gen(function* () {
        const file = fileOf(name)
        const bytes = pack(index, texts)
        const temporary = `${file}.${process.pid}-${randomBytes(4).toString("hex")}.new`
        yield* Effect.tryPromise({ try: () => mkdir(folder, { recursive: true, mode: 0o700 }), catch: codeOf }).pipe(
          Effect.andThen(write(temporary, bytes)),
          Effect.andThen(Effect.tryPromise({ try: () => rename(temporary, file), catch: codeOf })),
          Effect.mapError(failed(file)),
          Effect.onError(() => Effect.ignore(Effect.tryPromise(() => rm(temporary, { force: true }))))
        )
        yield* tidy(folder)
        const archive = unpack(file, bytes)
        return yield* Effect.fromOption(archive).pipe(
          Effect.mapError(() => new ArchiveError({ message: `${file}: it cannot be read back` }))
        )
      })
  }
}

const unusedMs = 90 * 24 * 60 * 60 * 1000

/** Marks a file as used. One that cannot be marked may be deleted some day, and is then recreated. */
const touch = (file: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.ignore(Effect.tryPromise(() => utimes(file, now / 1000, now / 1000)))
  )

/** Deletes what nobody uses any more; what cannot be deleted stays. */
const tidy = (folder: string) =>
  Effect.gen(function* () {
    const oldest = (yield* Clock.currentTimeMillis) - unusedMs
    const names = yield* Effect.tryPromise(() => readdir(folder))
    const files = names.filter((name) => /\.(?:nodes|new)$/.test(name)).map((name) => path.join(folder, name))
    yield* Effect.forEach(files, (file) => Effect.ignore(removeOlder(file, oldest)), { concurrency: 8 })
  }).pipe(Effect.ignore)

const removeOlder = Effect.fnUntraced(function* (file: string, oldest: number) {
  const { mtimeMs } = yield* Effect.tryPromise(() => stat(file))
  if (mtimeMs < oldest) yield* Effect.tryPromise(() => rm(file))
})

const codeOf = (error: unknown): string => transportCode(error) ?? "it cannot be read or written"

/** Writes a file, and waits until it is on the disk. */
const write = (file: string, bytes: Uint8Array) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => open(file, "wx", 0o600), catch: codeOf }),
    (handle) =>
      Effect.tryPromise({
        try: () => handle.writeFile(bytes).then(() => handle.sync()),
        catch: codeOf
      }),
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const pack = (index: string, texts: ReadonlyArray<string>): Uint8Array => {
  const packedIndex = brotliCompressSync(index, quality)
  const packed = texts.map((text) => brotliCompressSync(text, quality))
  const body = Buffer.concat([packedIndex, ...packed])
  const head = { format: 1, sha256: hash(body), index: packedIndex.length, texts: packed.map(({ length }) => length) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64")

const unpack = (file: string, bytes: Uint8Array): Option.Option<Archive> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = buffer.indexOf("\n")
  const head = Option.getOrUndefined(Schema.decodeOption(Head)(buffer.subarray(0, Math.max(end, 0)).toString("utf8")))
  const body = buffer.subarray(end + 1)
  if (head === undefined || hash(body) !== head.sha256) return Option.none()
  const ends = head.texts.reduce<ReadonlyArray<number>>(
    (all, length) => [...all, (all.at(-1) ?? 0) + length],
    [head.index]
  )
  const text = (from: number, to: number) =>
    Result.try(() => brotliDecompressSync(body.subarray(from, to), { maxOutputLength: largest }).toString("utf8"))
  return Option.map(Result.getSuccess(text(0, head.index)), (index): Archive => ({
    index,
    read: (place) =>
      Effect.mapError(
        Effect.fromResult(text(ends[place] ?? 0, ends[place + 1] ?? 0)),
        () => new ArchiveError({ message: `${file}: an entry cannot be read; delete the file` })
      )
  }))
}
