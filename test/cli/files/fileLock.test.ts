import { appendFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"

import { lock } from "../../../src/cli/files/fileLock.ts"
import { byLink, pipes, sockets } from "../../../src/cli/files/lockClaims.ts"
import { numberIn, thisMachine } from "../../../src/cli/files/thisMachine.ts"

/** The kinds of claims on each system. Linux has names of its own for sockets as well, which stand in for pipes. */
const systems = {
  Linux: sockets,
  macOS: (folder: string) => sockets(folder, byLink),
  Windows: (folder: string) => pipes(folder, "\0")
}
type System = keyof typeof systems
const names: ReadonlyArray<System> = ["Linux", "macOS", "Windows"]

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "locks-"))),
  (dir) => Effect.promise(() => rm(dir, { recursive: true, force: true }))
)
const locked = (system: System, file: string) => Effect.provide(lock(file, systems[system]), NodeFiles.layer)
const briefly = (system: System, file: string) => Effect.scoped(locked(system, file))
const entriesOf = (dir: string) => Effect.promise(() => readdir(dir))

describe.each(names)("a lock as on %s", (system) => {
  it.effect("is held by one at a time, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const dir = yield* folder
      const file = path.join(dir, "a.jsonl")
      yield* Effect.scoped(
        Effect.gen(function* () {
          assert.strictEqual(yield* locked(system, file), file)
          const { inUse, message } = yield* Effect.flip(briefly(system, file))
          assert.deepStrictEqual(
            { inUse, message },
            { inUse: true, message: `${file} is in use by process ${process.pid}.` }
          )
          yield* briefly(system, path.join(dir, "b.jsonl"))
        })
      )
      yield* briefly(system, file)
      assert.deepStrictEqual(yield* entriesOf(dir), [])
    })
  )

  it.effect("goes to one of many that want it at once", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "a.jsonl")
      const othersLeft = yield* Deferred.make<void>()
      let left = 0
      const all = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () =>
          Effect.scoped(Effect.andThen(locked(system, file), Deferred.await(othersLeft))).pipe(
            Effect.tapError(() => (++left === 11 ? Deferred.succeed(othersLeft, undefined) : Effect.void)),
            Effect.exit
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter(Exit.isSuccess), 1)
    })
  )

  it.effect("is taken over from a claim that nobody answers for", () =>
    Effect.gen(function* () {
      const dir = yield* folder
      const file = path.join(dir, "a.jsonl")
      const machine = yield* Effect.provide(thisMachine, NodeFiles.layer)
      yield* Effect.promise(() => appendFile(`${file}.lock-${machine}-5-0123456789ab`, ""))
      yield* briefly(system, file)
      assert.deepStrictEqual(yield* entriesOf(dir), [])
    })
  )

  it.effect("is possible for a file deep below many folders", () =>
    Effect.gen(function* () {
      const deep = path.join(yield* folder, "d".repeat(120), "e".repeat(120))
      yield* Effect.promise(() => mkdir(deep, { recursive: true }))
      const file = path.join(deep, "a.jsonl")
      yield* Effect.scoped(
        Effect.andThen(
          locked(system, file),
          Effect.map(Effect.flip(briefly(system, file)), ({ inUse }) => assert.isTrue(inUse))
        )
      )
      assert.deepStrictEqual(yield* entriesOf(deep), [])
    })
  )
})

it.effect("a lock as on macOS leaves no links behind", () =>
  Effect.gen(function* () {
    const links = () =>
      Effect.map(entriesOf(tmpdir()), (all) => all.filter((entry) => /^lock-[0-9a-f]{12}$/.test(entry)))
    const before = yield* links()
    const deep = path.join(yield* folder, "d".repeat(120))
    yield* Effect.promise(() => mkdir(deep))
    yield* briefly("macOS", path.join(deep, "a.jsonl"))
    assert.deepStrictEqual(yield* links(), before)
  })
)

it.effect("a lock whose address no system takes is refused, never taken under a shorter one", () =>
  Effect.gen(function* () {
    const file = path.join(yield* folder, `${"a".repeat(90)}.jsonl`)
    for (const system of ["Linux", "macOS"] as const) {
      assert.match((yield* Effect.flip(briefly(system, file))).message, /its lock would need an address of \d+ bytes/)
    }
  })
)

it.effect("a claim that answers is asked by its own name, whatever leads to the folder", () =>
  Effect.gen(function* () {
    const dir = yield* folder
    const deep = path.join(dir, "d".repeat(120))
    yield* Effect.promise(() => mkdir(deep))
    const link = path.join(dir, "short")
    yield* Effect.promise(() => symlink(deep, link))
    yield* locked("Linux", path.join(link, "a.jsonl"))
    assert.isTrue((yield* Effect.flip(briefly("macOS", path.join(deep, "a.jsonl")))).inUse)
  })
)

it("reads the number of the machine out of what its system answers", () => {
  const ioreg = `+-o J314sAP  <class IOPlatformExpertDevice>\n{\n  "IOPlatformUUID" = "0B1E5C2A-9D0F-4B6E-8A55-3C1B1D0F9E77"\n}`
  const registry =
    "\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography\r\n    MachineGuid    REG_SZ    6f1b2c3d-0000-4e5f-8a9b-1234567890ab\r\n"
  assert.strictEqual(numberIn("darwin", ioreg), "0B1E5C2A-9D0F-4B6E-8A55-3C1B1D0F9E77")
  assert.strictEqual(numberIn("win32", registry), "6f1b2c3d-0000-4e5f-8a9b-1234567890ab")
  assert.isUndefined(numberIn("win32", "ERROR: The system was unable to find the specified registry key or value."))
  assert.isUndefined(numberIn("linux", ioreg))
})
