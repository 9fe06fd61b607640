import { Result } from "effect"

import { GitError } from "./Git.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const newline = 10

/** The texts that `git cat-file --batch` writes for these paths, in their order, without missing ones. */
export const blobsIn = (
  bytes: Uint8Array,
  paths: ReadonlyArray<string>
): Result.Result<ReadonlyMap<string, string>, GitError> => {
  const texts = new Map<string, string>()
  let at = 0
  for (const path of paths) {
    const end = bytes.indexOf(newline, at)
    const head = decoder.decode(bytes.subarray(at, end === -1 ? bytes.length : end))
    at = end + 1
    if (head.endsWith(" missing")) continue
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1])
    if (end === -1 || !Number.isInteger(size)) {
      return Result.fail(new GitError({ message: `${path} cannot be read from the repository: ${head.slice(0, 100)}` }))
    }
    texts.set(path, decoder.decode(bytes.subarray(at, at + size)))
    at += size + 1
  }
  return Result.succeed(texts)
}
