import { createGunzip } from "node:zlib"

import { Effect, Schema } from "effect"

/** A package could not be unpacked. */
class UnpackError extends Schema.TaggedError<UnpackError>()("UnpackError", { message: Schema.String }) {}

/** Maximum unpacked size of a package, so that a small file cannot fill the memory or block the process. */
const largestPackage = 1024 * 1024 * 1024
const largestFile = 64 * 1024 * 1024

const block = 512

/**
 * The text of one file of a package, `undefined` if it has none of this name. Packages are gzipped tar files, whose top folder
 * is ignored. Nothing else is unpacked, and nothing after it is read.
 */
export const unpackFile = (archive: Uint8Array, wanted: string): Effect.Effect<string | undefined, UnpackError> =>
  Effect.callback<string | undefined, UnpackError>((resume) => {
    const gunzip = createGunzip()
    let rest: Buffer = Buffer.alloc(0)
    let seen = 0
    /** Remaining bytes of the current file, its padding included. */
    let left = 0
    let size = 0
    let isWanted = false
    let parts: Array<Buffer> = []

    const end = (result: Effect.Effect<string | undefined, UnpackError>) => {
      gunzip.removeAllListeners("data")
      gunzip.destroy()
      resume(result)
    }

    const header = (head: Buffer) => {
      const name = textIn(head, 0, 100)
      const prefix = textIn(head, 345, 500)
      size = Number.parseInt(textIn(head, 124, 136).trim() || "0", 8)
      left = Math.ceil(size / block) * block
      const isFile = [0, 0x30].includes(head[156] ?? 0)
      isWanted = isFile && withoutFolder(prefix === "" ? name : `${prefix}/${name}`) === wanted
      parts = []
    }

    const take = (): boolean => {
      if (left === 0) {
        if (rest.length < block) return false
        const head = rest.subarray(0, block)
        rest = rest.subarray(block)
        if (head.every((byte) => byte === 0)) return true
        header(head)
        if (!Number.isSafeInteger(size) || size < 0 || (isWanted && size > largestFile)) {
          end(Effect.fail(new UnpackError({ message: "the package is not a valid archive" })))
          return false
        }
        return true
      }
      if (rest.length === 0) return false
      const taken = rest.subarray(0, Math.min(left, rest.length))
      rest = rest.subarray(taken.length)
      left -= taken.length
      if (isWanted) parts.push(taken)
      if (left === 0 && isWanted) {
        end(Effect.succeed(Buffer.concat(parts).subarray(0, size).toString("utf8")))
        return false
      }
      return true
    }

    gunzip.on("data", (chunk: Buffer) => {
      seen += chunk.length
      if (seen > largestPackage) {
        end(Effect.fail(new UnpackError({ message: `the package is larger than ${largestPackage} bytes` })))
        return
      }
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      while (take());
    })
    gunzip.on("error", (error) =>
      end(Effect.fail(new UnpackError({ message: `the package is damaged (${error.message})` })))
    )
    gunzip.on("end", () => resume(Effect.succeed(undefined)))
    gunzip.end(archive)
    return Effect.sync(() => gunzip.destroy())
  })

const textIn = (head: Buffer, from: number, to: number): string => {
  const field = head.subarray(from, to)
  const zero = field.indexOf(0)
  return field.subarray(0, zero < 0 ? field.length : zero).toString("utf8")
}

const withoutFolder = (name: string) => name.slice(name.indexOf("/") + 1)
