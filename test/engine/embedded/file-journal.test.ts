import { appendFile, link, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { fileJournal } from "../../../src/cli/engine/embeddedEngine.ts"
import { isForeignAndUncertain } from "../../../src/cli/files/thisMachine.ts"
import { Journal } from "../../../src/engine/embedded/store/Store.ts"

/** A folder for one test, and the journal's file in it. */
const folder = Effect.acquireRelease(
  Effect.map(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "journal-"))),
    (dir) => ({ dir, file: path.join(dir, "engine.jsonl") })
  ),
  ({ dir }) => Effect.promise(() => rm(dir, { recursive: true, force: true }))
)

/** One use of a file by one process. */
const open = <A, E>(file: string, use: (journal: Journal["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Journal, use), fileJournal(file), { local: true })

const entries = (file: string) => open(file, (journal) => journal.entries)
const append = (file: string, ...lines: ReadonlyArray<string>) =>
  open(file, (journal) => Effect.forEach(lines, journal.append))

describe("a journal in a file", () => {
  it.effect("holds what was written, in its order", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      yield* append(file, "one", "zwei ä", "three")
      yield* append(file, "four")
      assert.deepStrictEqual(yield* entries(file), ["one", "zwei ä", "three", "four"])
    })
  )

  it.effect("cuts off what was torn, and goes on behind what is whole", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      yield* append(file, "one", "two")
      yield* Effect.promise(() => appendFile(file, `{"half`))
      assert.deepStrictEqual(yield* entries(file), ["one", "two"])
      yield* append(file, "three")
      assert.deepStrictEqual(yield* entries(file), ["one", "two", "three"])
    })
  )

  it.effect("cuts off what a refused writing left behind, before it writes again", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      const all = yield* open(file, (journal) =>
        Effect.gen(function* () {
          yield* journal.append("one")
          yield* Effect.promise(() => appendFile(file, "half"))
          yield* journal.append("two")
          return yield* journal.entries
        })
      )
      assert.deepStrictEqual(all, ["one", "two"])
    })
  )

  it.effect("leaves a file alone that it did not write", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      yield* Effect.promise(() => writeFile(file, `{"somebody":"else's"}`))
      assert.strictEqual((yield* Effect.flip(entries(file))).message, `${file} is not a journal of this server`)
      assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), `{"somebody":"else's"}`)
    })
  )

  it.effect("is replaced as a whole, and leaves nothing else in the folder", () =>
    Effect.gen(function* () {
      const { dir, file } = yield* folder
      yield* open(file, (journal) =>
        Effect.gen(function* () {
          yield* journal.append("old")
          yield* journal.replace(["new", "newer"])
          yield* journal.append("newest")
        })
      )
      assert.deepStrictEqual(yield* entries(file), ["new", "newer", "newest"])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dir)), ["engine.jsonl"])
    })
  )

  it.effect("belongs to one user at a time, under all its names, and is free again afterwards", () =>
    Effect.gen(function* () {
      const { dir, file } = yield* folder
      const elsewhere = path.join(dir, "elsewhere")
      yield* Effect.promise(() => mkdir(elsewhere))
      yield* append(file, "one")
      const link = path.join(dir, "link.jsonl")
      const names = [file, link, path.join(elsewhere, "loop", "engine.jsonl")]
      yield* Effect.promise(() => symlink("engine.jsonl", link))
      yield* Effect.promise(() => symlink(dir, path.join(elsewhere, "loop")))
      for (const name of names) {
        yield* open(name, () =>
          Effect.forEach(names, (other) =>
            Effect.map(Effect.flip(entries(other)), ({ message }) =>
              assert.strictEqual(message, `${other === link ? file : other} is in use by process ${process.pid}.`)
            )
          )
        )
      }
      for (const name of names) assert.deepStrictEqual(yield* entries(name), ["one"])
      assert.sameMembers(yield* Effect.promise(() => readdir(dir)), ["elsewhere", "engine.jsonl", "link.jsonl"])
    })
  )

  it.effect("is made and written behind a link, which stays one", () =>
    Effect.gen(function* () {
      const { dir, file } = yield* folder
      const link = path.join(dir, "link.jsonl")
      yield* Effect.promise(() => symlink("engine.jsonl", link))
      yield* append(link, "one", "two")
      yield* open(link, (journal) => journal.replace(["three"]))
      assert.strictEqual(yield* Effect.promise(() => readlink(link)), "engine.jsonl")
      assert.deepStrictEqual(yield* entries(file), ["three"])
    })
  )

  it.effect("is refused where somebody could hold it unseen", () =>
    Effect.gen(function* () {
      const { dir, file } = yield* folder
      const said = (name: string) => Effect.map(Effect.flip(entries(name)), ({ message }) => message)
      yield* append(file, "one")
      yield* Effect.promise(() => link(file, path.join(dir, "second.jsonl")))
      assert.match(yield* said(file), /has a second name \(a hard link\)/)
      yield* Effect.promise(() => rm(path.join(dir, "second.jsonl")))
      yield* Effect.promise(() => writeFile(`${file}.lock`, `${process.ppid}\n`))
      assert.match(yield* said(file), /is in use by an older version of this server\. If none runs, delete .*\.lock\.$/)
      yield* Effect.promise(() => rm(`${file}.lock`))
      assert.deepStrictEqual(yield* entries(file), ["one"])
    })
  )

  it.effect("is taken over from a claim before the last start of this machine, but not from another machine's", () =>
    Effect.gen(function* () {
      const { dir, file } = yield* folder
      yield* append(file, "one")
      const dead = `${file}.lock-0123456789ab-5-0123456789ab`
      yield* Effect.promise(() => writeFile(dead, ""))
      assert.deepStrictEqual(yield* entries(file), ["one"])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dir)), ["engine.jsonl"])
      // No disk of this machine alone: nobody here can know whether a process elsewhere lives.
      for (const shared of ["/proc", path.join(dir, "missing")]) {
        assert.isTrue(yield* isForeignAndUncertain(shared, "here", "there"))
        assert.isFalse(yield* isForeignAndUncertain(shared, "here", "here"))
      }
    })
  )

  it.effect("may lie in a folder whose path is longer than the address of a socket", () =>
    Effect.gen(function* () {
      const { dir } = yield* folder
      const deep = path.join(dir, "d".repeat(120), "e".repeat(120))
      yield* Effect.promise(() => mkdir(deep, { recursive: true }))
      const file = path.join(deep, "engine.jsonl")
      yield* append(file, "one")
      const { message } = yield* Effect.flip(open(file, () => Effect.asVoid(entries(file))))
      assert.include(message, "is in use by process")
    })
  )

  it.effect("is nobody else's to read", () =>
    Effect.gen(function* () {
      const { file } = yield* folder
      yield* append(file, "one")
      const { mode } = yield* Effect.promise(() => import("node:fs/promises").then(({ stat }) => stat(file)))
      assert.strictEqual(mode & 0o777, 0o600)
      assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "one\n")
    })
  )

  it.effect("names the file that it cannot open", () =>
    Effect.gen(function* () {
      const { dir } = yield* folder
      const { message } = yield* Effect.flip(entries(path.join(dir, "missing", "engine.jsonl")))
      assert.include(message, path.join(dir, "missing", "engine.jsonl"))
    })
  )
})
