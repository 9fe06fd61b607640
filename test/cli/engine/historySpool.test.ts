import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { spoolIn } from "../../../src/cli/engine/history.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "spool-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const linesIn = (file: string) => readFileSync(file, "utf8").trim().split("\n")

describe("the files in which things wait for a repository", () => {
  it.live("are for one user, hold all lines, and go when they are forgotten", () =>
    Effect.gen(function* () {
      const state = path.join(yield* folder, "state")
      const spool = yield* spoolIn([state]).of("/some/history")
      const file = yield* spool.keep(["one", "two"])
      assert.strictEqual(yield* spool.keep(["three"]), file)
      assert.deepStrictEqual(linesIn(file), ["one", "two", "three"])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(path.dirname(file)).mode & 0o777, 0o700)
      yield* spool.forget
      assert.deepStrictEqual(readdirSync(path.dirname(file)), [])
    })
  )

  it.live("are nobody else's while their process lives, and the next one's after it, for the same repository", () =>
    Effect.gen(function* () {
      const state = yield* folder
      const of = (history: string) => spoolIn([state]).of(history)
      const next = yield* of("/some/history")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const first = yield* of("/some/history")
          yield* first.keep(["one"])
          assert.deepStrictEqual(yield* next.left, [])
        })
      )
      assert.deepStrictEqual(yield* (yield* of("/other/history")).left, [])
      const left = yield* Effect.scoped(Effect.tap(next.left, (all) => Effect.forEach(all, ({ remove }) => remove)))
      assert.deepStrictEqual(
        left.map(({ lines }) => lines),
        [["one"]]
      )
      assert.deepStrictEqual(yield* next.left, [])
    })
  )

  it.live("lie in the next folder where the first one cannot be written", () =>
    Effect.gen(function* () {
      const state = yield* folder
      writeFileSync(path.join(state, "file"), "")
      const spool = yield* spoolIn([path.join(state, "file"), path.join(state, "second")]).of("/some/history")
      assert.include(yield* spool.keep(["one"]), path.join(state, "second"))
      const none = yield* spoolIn([path.join(state, "file")]).of("/some/history")
      assert.include((yield* Effect.flip(none.keep(["one"]))).message, "file")
    })
  )

  it.live("go on in the next folder when a disk gets full", () =>
    Effect.gen(function* () {
      const state = yield* folder
      const small = path.join(state, "small")
      mkdirSync(small)
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small])
      // Only a machine where this may mount a disk of its own has one that can be full.
      if (mounted.status !== 0) return
      yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("umount", ["-l", small])))
      const spool = yield* spoolIn([small, path.join(state, "second")]).of("/some/history")
      const first = yield* spool.keep(["one"])
      const second = yield* spool.keep(["x".repeat(100_000)])
      assert.include(first, small)
      assert.include(second, path.join(state, "second"))
      const left = yield* spool.left
      assert.deepStrictEqual(
        left.map(({ lines }) => lines),
        [["one"]]
      )
      const alone = yield* spoolIn([small]).of("/another/history")
      assert.include((yield* Effect.flip(alone.keep(["x".repeat(100_000)]))).message, "ENOSPC")
    })
  )
})
