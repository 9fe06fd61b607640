import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"

import { processLocks } from "../../../src/cli/files/processLocks.ts"
import { thisMachine } from "../../../src/cli/files/thisMachine.ts"

const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "locks-"))),
  (dir) => Effect.promise(() => rm(dir, { recursive: true, force: true }))
)
const filesIn = (folder: string) => Effect.promise(() => readdir(folder))

/** A server among those that use a folder; what it is told where that is impossible. */
const serverIn = Effect.fnUntraced(function* (folder: string) {
  const warnings: Array<string> = []
  const lock = yield* processLocks(folder, ({ message }) => Effect.sync(() => void warnings.push(message))).pipe(
    Effect.provide(NodeFiles.layer)
  )
  const within = <A, E>(name: string, self: Effect.Effect<A, E>, atMost: Duration.Input = "10 seconds") =>
    lock(name, self, {
      atMost: Duration.fromInputUnsafe(atMost),
      busy: (problem) => Effect.fail(problem ?? "")
    })
  return { within, warnings }
})

describe("locks among processes", () => {
  it.live("let one in at a time, in turns, and leave nothing behind", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporary, "deep", "locks")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const servers = [yield* serverIn(folder), yield* serverIn(folder), yield* serverIn(folder)]
          const order: Array<number> = []
          let inside = 0
          const change = (server: number) =>
            Effect.gen(function* () {
              assert.strictEqual(++inside, 1)
              order.push(server)
              yield* Effect.sleep(1)
              inside--
            })
          yield* Effect.forEach(
            servers,
            ({ within }, server) =>
              Effect.forEach(Array.from({ length: 20 }), () => within("w", change(server)), { discard: true }),
            { concurrency: "unbounded", discard: true }
          )
          assert.lengthOf(order, 60)
          // Nobody is left waiting while another one makes all of its changes.
          const last = servers.map((_, server) => order.lastIndexOf(server)).toSorted((a, b) => a - b)
          assert.isAbove(last[0] ?? 0, 20, order.join(""))
          assert.deepStrictEqual(
            servers.flatMap(({ warnings }) => warnings),
            []
          )
        })
      )
      assert.deepStrictEqual(yield* filesIn(folder), [])
    })
  )

  it.live("do not keep changes of other workflows waiting", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const [left, right] = [yield* serverIn(folder), yield* serverIn(folder)]
      const isInside = yield* Deferred.make<void>()
      const slow = yield* Effect.forkChild(
        left.within("slow", Effect.andThen(Deferred.succeed(isInside, undefined), Effect.never))
      )
      yield* Deferred.await(isInside)
      assert.strictEqual(yield* right.within("other", Effect.succeed("done")), "done")
      yield* Fiber.interrupt(slow)
      assert.strictEqual(yield* right.within("slow", Effect.succeed("done")), "done")
    })
  )

  it.live("tell who holds one that does not become free in time", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const [left, right] = [yield* serverIn(folder), yield* serverIn(folder)]
      const refusal = yield* left.within("w", Effect.flip(right.within("w", Effect.void, "50 millis")))
      assert.strictEqual(refusal, `Process ${process.pid} on this machine, another server of this user, is changing it`)
    })
  )

  it.live("are taken over from processes that are gone, by one of many", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const machine = yield* Effect.provide(thisMachine, NodeFiles.layer)
      const probe = yield* serverIn(folder)
      const nameOfLock = yield* probe.within(
        "w",
        Effect.map(filesIn(folder), (files) => files.find((file) => file.endsWith(".lock")) ?? "")
      )
      // Of a process with our number, as a container gives it to whoever is started next.
      const dead = `server-${machine}-${process.pid}-0123456789ab`
      for (const file of [nameOfLock, `${machine}-${"0".repeat(32)}.lock`, `${dead}.holder`]) {
        yield* Effect.promise(() => writeFile(path.join(folder, file), dead))
      }
      const servers = [probe, yield* serverIn(folder), yield* serverIn(folder)]
      let inside = 0
      const change = Effect.gen(function* () {
        assert.strictEqual(++inside, 1)
        yield* Effect.sleep(5)
        inside--
      })
      yield* Effect.forEach(servers, ({ within }) => within("w", change), { concurrency: "unbounded" })
      const left = yield* filesIn(folder)
      assert.deepStrictEqual(
        left.filter((file) => file.endsWith(".lock") || file.includes("0123456789ab")),
        []
      )
    })
  )

  it.live("go on where somebody removes their folder", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporary, "locks")
      const [left, right] = [yield* serverIn(folder), yield* serverIn(folder)]
      yield* left.within("w", Effect.void)
      yield* right.within("w", Effect.void)
      yield* Effect.promise(() => rm(folder, { recursive: true }))
      const refusal = yield* left.within("w", Effect.flip(right.within("w", Effect.void, "50 millis")))
      assert.include(refusal, "is changing it")
      assert.deepStrictEqual([...left.warnings, ...right.warnings], [])
    })
  )

  it.live("say so where their folder cannot be used, and do not keep from working", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporary, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      const { warnings, within } = yield* serverIn(path.join(file, "locks"))
      assert.strictEqual(yield* within("w", Effect.succeed("done")), "done")
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], path.join(file, "locks"))
    })
  )
})
