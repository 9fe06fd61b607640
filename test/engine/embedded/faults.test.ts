import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Path, PlatformError } from "effect"

import * as LineFile from "../../../src/cli/files/LineFile.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "faults-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

/** When a fault strikes, what is left of the step that it strikes, and whether anything works afterwards. */
interface Fault {
  readonly step: number
  readonly code: "ENOSPC" | "EIO"
  /** Whether the step is done all the same, as far as it can be. */
  readonly leaves: "nothing" | "half" | "all"
  readonly isLast: boolean
}

/** The real file system, until a fault strikes at one of the steps that change something. */
const faulty = Effect.fnUntraced(function* (fault: Fault) {
  const real = yield* FileSystem.FileSystem
  let steps = 0
  const failure = PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "test",
    cause: Object.assign(new Error(fault.code), { code: fault.code })
  })
  const step = <A>(whole: Effect.Effect<A, PlatformError.PlatformError>, half = Effect.asVoid(whole)) =>
    Effect.suspend(() => {
      steps += 1
      if (steps < fault.step || (steps > fault.step && !fault.isLast)) return whole
      if (steps > fault.step || fault.leaves === "nothing") return Effect.fail(failure)
      return Effect.andThen(Effect.ignore(fault.leaves === "half" ? half : Effect.asVoid(whole)), Effect.fail(failure))
    })
  const nothing = Effect.void
  const service: FileSystem.FileSystem = {
    ...real,
    open: (name, options) =>
      Effect.map(real.open(name, options), (file) =>
        Object.create(file, {
          writeAll: {
            value: (bytes: Uint8Array) =>
              step(file.writeAll(bytes), file.writeAll(bytes.subarray(0, Math.floor(bytes.length / 2))))
          },
          sync: { value: step(file.sync, nothing) }
        })
      ),
    rename: (from, to) => step(real.rename(from, to), nothing),
    truncate: (name, length) => step(real.truncate(name, length), nothing),
    remove: (name, options) => step(real.remove(name, options), nothing)
  }
  return { service, isOver: () => steps < fault.step }
})

type Lines = ReadonlyArray<string>

/** Lines to add, and lists of lines to put in the place of all: of more bytes than were there, and of fewer. */
const stories: ReadonlyArray<ReadonlyArray<string | Lines>> = [
  ["one", "zwei ä ".repeat(50), ["new", "n".repeat(1000)], "last", "very last"],
  ["one", "zwei ä ".repeat(50), ["new"], "last", "very last"]
]

/** Adds a line, or puts lines in the place of all, one after the other; tells all that may be there afterwards. */
const write = Effect.fnUntraced(function* (
  file: LineFile.LineFile,
  entries: (typeof stories)[number],
  goesOn: boolean
) {
  let possible: ReadonlyArray<Lines> = [[]]
  // A refused line may still be there until the next one is written; refused lines in the place of others may stay.
  let torn: ReadonlyArray<Lines> = []
  for (const entry of entries) {
    const after = typeof entry === "string" ? possible.map((lines) => [...lines, entry]) : [entry]
    const exit = yield* Effect.exit(typeof entry === "string" ? file.append(entry) : file.replace(entry))
    if (Exit.isSuccess(exit)) possible = after
    else if (typeof entry !== "string") possible = [...possible, ...after]
    torn = Exit.isSuccess(exit) ? [] : after
    if (Exit.isFailure(exit) && !goesOn) break
  }
  return [...possible, ...torn]
})

const over =
  (service: FileSystem.FileSystem) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provideService(FileSystem.FileSystem, service), Effect.provide(Path.layer), Effect.scoped)

const readAfterwards = (name: string) =>
  Effect.scoped(Effect.flatMap(LineFile.make(name), ({ append, lines }) => Effect.andThen(append("after"), lines)))

/** Has the fault strike at the first step, the second, and so on to the end; tells at how many it could. */
const everywhere = Effect.fnUntraced(function* (entries: (typeof stories)[number], fault: Omit<Fault, "step">) {
  for (let step = 1; ; step += 1) {
    const dir = yield* folder
    const name = path.join(dir, "store.jsonl")
    const { isOver, service } = yield* faulty({ ...fault, step })
    const possible = yield* LineFile.open(name).pipe(
      Effect.flatMap((file) => write(file, entries, !fault.isLast)),
      Effect.orElseSucceed((): ReadonlyArray<Lines> => [[]]),
      over(service)
    )
    const linesAfterwards = yield* readAfterwards(name)
    assert.include(
      possible.map((lines) => JSON.stringify([...lines, "after"])),
      JSON.stringify(linesAfterwards)
    )
    assert.deepStrictEqual(
      readdirSync(dir).filter((entry) => entry !== "store.jsonl.new"),
      ["store.jsonl"]
    )
    if (isOver()) return step
  }
})

describe("a store", () => {
  it.effect.each(["nothing", "half", "all"] as const)(
    "whose process dies at any step of a write, which leaves %s, holds what was acknowledged and no torn line",
    (leaves) =>
      Effect.gen(function* () {
        for (const story of stories) {
          assert.isAbove(yield* everywhere(story, { code: "EIO", leaves, isLast: true }), 20)
        }
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.effect.each(["nothing", "half", "all"] as const)(
    "whose disk is full at any step, which leaves %s, goes on afterwards and loses nothing",
    (leaves) =>
      Effect.gen(function* () {
        for (const story of stories) {
          assert.isAbove(yield* everywhere(story, { code: "ENOSPC", leaves, isLast: false }), 20)
        }
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.effect("says in plain words that its disk is full, also at its first start", () =>
    Effect.gen(function* () {
      for (let step = 1; step <= 4; step += 1) {
        const { service } = yield* faulty({ step, code: "ENOSPC", leaves: "nothing", isLast: true })
        const name = path.join(yield* folder, "store.jsonl")
        const first = Effect.flatMap(LineFile.open(name), ({ append }) => append("one"))
        const { message } = yield* Effect.flip(over(service)(first))
        assert.strictEqual(
          message,
          `${name}: there is no room left on its disk (ENOSPC). Make room, or choose another one.`
        )
      }
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
