import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Clock, Effect, FileSystem, Option, Semaphore, Stream } from "effect"

import { parseJson } from "../../internal/json/values.ts"
import { inMemory, type StoredValue, type KeptValues } from "../../internal/KeptValues.ts"
import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { noFollow, refuseLink } from "./fileProblems.ts"

/** Milliseconds after which a value is dropped when the file is read the next time. */
const longest = 100 * 86_400_000

/** Bytes of values that others have replaced, from which on the file is written anew when it is opened. */
const worthwhile = 4 * 1024 * 1024

/**
 * Values in a file, a line of JSON each, which several processes may share: each appends what it has read, and reads what
 * others have appended since. A line that is cut off or no value is passed over. Where the file cannot be used, values are
 * kept for as long as the process runs.
 */
export const make = (file: string): Effect.Effect<KeptValues> =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const memory = inMemory()
    const mutex = yield* Semaphore.make(1)
    let offset = 0
    let problem: string | undefined
    let wasted = 0
    let isOpened = false

    const take = (line: string, oldest: number) => {
      const value = Option.getOrUndefined(parseJson(line))
      if (!isJsonObject(value)) return
      const { at, json, key } = value
      if (typeof key !== "string" || typeof at !== "number" || typeof json !== "string" || at < oldest) {
        wasted += line.length
        return
      }
      memory.put(key, { at, json })
    }

    /** Takes what was appended since the last time; from the beginning, where the file has become shorter. */
    const refresh = Effect.gen(function* () {
      yield* refuseLink(file)
      if (!(yield* fileSystem.exists(file))) return
      const size = Number((yield* fileSystem.stat(file)).size)
      if (size < offset) offset = 0
      if (size === offset) return
      const oldest = (yield* Clock.currentTimeMillis) - longest
      let rest = ""
      yield* fileSystem.stream(file, { offset, bytesToRead: size - offset }).pipe(
        Stream.decodeText(),
        Stream.runForEach((text) =>
          Effect.sync(() => {
            const lines = (rest + text).split("\n")
            rest = lines.pop() ?? ""
            for (const line of lines) take(line, oldest)
          })
        )
      )
      offset = size - new TextEncoder().encode(rest).byteLength
    })

    const linesOf = (some: Iterable<readonly [string, StoredValue]>) =>
      Array.from(some, ([key, { at, json }]) => `${JSON.stringify({ key, at, json })}\n`).join("")

    const write = (target: string, flag: "a" | "w", text: string) =>
      fileSystem.open(target, { flag, mode: 0o600, noFollow }).pipe(
        Effect.tap((handle) => handle.writeAll(new TextEncoder().encode(text))),
        Effect.scoped
      )

    /** Writes the file anew without what was replaced; what another process appends meanwhile is read again some day. */
    const compact = Effect.gen(function* () {
      const size = Number((yield* fileSystem.stat(file)).size)
      const text = linesOf(memory.entries())
      const bytes = new TextEncoder().encode(text).byteLength
      if (size - bytes < worthwhile || size < 2 * bytes) return
      yield* write(`${file}.new`, "w", text)
      yield* fileSystem.rename(`${file}.new`, file)
      offset = bytes
    })

    const opened = Effect.gen(function* () {
      yield* refresh
      if (!isOpened && offset > 0) yield* compact
      isOpened = true
    })

    /** Works on the file; a failure is told once, and then the memory alone is used. */
    const withFile = (work: Effect.Effect<unknown, { readonly message: string }, FileSystem.FileSystem>) =>
      mutex.withPermit(
        Effect.catch(Effect.asVoid(Effect.provideService(work, FileSystem.FileSystem, fileSystem)), ({ message }) => {
          const isNew = problem === undefined
          problem = message
          return isNew ? Effect.logWarning(`Statistics are not kept in ${file}: ${message}`) : Effect.void
        })
      )

    return {
      read: (keys) => Effect.andThen(withFile(opened), memory.read(keys)),
      keep: (some) =>
        Effect.andThen(memory.keep(some), withFile(Effect.andThen(refuseLink(file), write(file, "a", linesOf(some)))))
    } satisfies KeptValues
  }).pipe(Effect.provide(NodeFileSystem.layer))
