import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask } from "../../support/harness.ts"
import { folder, git, serverWith } from "./support.ts"

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
const created = (name: string) => ask("create_workflow", { name, nodes: [start], connections: {} })

const Answer = Schema.decodeUnknownSync(
  Schema.Struct({
    notice: Schema.optionalKey(Schema.String),
    data: Schema.Array(Schema.Struct({ change: Schema.String, tool: Schema.optionalKey(Schema.String) }))
  })
)
const historyOf = (id: unknown) => Effect.map(ask("workflow_history", { id }), Answer)
const toolsOf = (id: unknown) => Effect.map(historyOf(id), ({ data }) => data.map(({ tool }) => tool))

describe("a repository that cannot be used", () => {
  it.live("stops no write, is told of, and is caught up when it is there again", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* folder, "history")
      writeFileSync(directory, "a file, where the folder should be")
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        yield* ask("update_workflow", { id, name: "Renamed" })
        const refused = yield* Effect.flip(
          Effect.flatMap(ask("workflow_history", { id }), () => Effect.void).pipe(Effect.sandbox)
        )
        assert.include(String(refused), directory)
        rmSync(directory)
        assert.deepStrictEqual(yield* toolsOf(id), ["update_workflow", "create_workflow"])
      }).pipe(Effect.provide(serverWith(directory)))
      assert.strictEqual(git(directory, "status", "--porcelain"), "")
    })
  )

  it.live("may be locked by another git: the history goes on, the work tree follows later", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        assert.deepStrictEqual(yield* toolsOf(id), ["create_workflow"])
        const lock = path.join(directory, ".git", "index.lock")
        writeFileSync(lock, "")
        yield* ask("update_workflow", { id, name: "Renamed" })
        const { data, notice } = yield* historyOf(id)
        assert.lengthOf(data, 2)
        assert.include(notice, "index.lock")
        assert.include(git(directory, "log", "-1", "--format=%s"), "Renamed")
        rmSync(lock)
        assert.isUndefined((yield* historyOf(id)).notice)
        assert.strictEqual(git(directory, "status", "--porcelain"), "")
        assert.deepStrictEqual(readdirSync(path.join(directory, "production")), [`Renamed.${String(id)}.json`])
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )

  it.live("may have its branch locked: changes wait until it is free", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        assert.deepStrictEqual(yield* toolsOf(id), ["create_workflow"])
        const lock = path.join(directory, ".git", "refs", "heads", "main.lock")
        writeFileSync(lock, "")
        yield* ask("update_workflow", { id, name: "Renamed" })
        const { data, notice } = yield* historyOf(id)
        assert.lengthOf(data, 1)
        assert.include(notice, "main.lock")
        rmSync(lock)
        const after = yield* historyOf(id)
        assert.lengthOf(after.data, 2)
        assert.isUndefined(after.notice)
        assert.deepStrictEqual(
          readdirSync(path.join(directory, ".git")).filter((name) => name.startsWith("fast_import_crash")),
          []
        )
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )

  it.live("keeps what a person changed in it and did not commit", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        const { id: other } = yield* created("Other")
        yield* historyOf(id)
        const file = path.join(directory, "production", `Orders.${String(id)}.json`)
        writeFileSync(file, "mine")
        writeFileSync(path.join(directory, "notes.txt"), "mine too")
        git(directory, "add", "notes.txt")
        yield* ask("update_workflow", { id, settings: { timezone: "UTC" } })
        const { data, notice } = yield* historyOf(id)
        assert.lengthOf(data, 2)
        assert.include(notice, "changes of somebody else's")
        assert.strictEqual(readFileSync(file, "utf8"), "mine")
        assert.include(git(directory, "show", `HEAD:production/Orders.${String(id)}.json`), '"timezone": "UTC"')
        git(directory, "checkout", "HEAD~1", "--", "production")
        yield* ask("update_workflow", { id: other, settings: { timezone: "UTC" } })
        assert.isUndefined((yield* historyOf(id)).notice)
        assert.strictEqual(git(directory, "status", "--porcelain"), "A  notes.txt\n")
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )

  it.live("says where its objects are damaged", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        yield* historyOf(id)
        const commit = git(directory, "rev-parse", "HEAD").trim()
        const object = path.join(directory, ".git", "objects", commit.slice(0, 2), commit.slice(2))
        const bytes = readFileSync(object)
        chmodSync(object, 0o600)
        writeFileSync(object, "garbage")
        yield* ask("update_workflow", { id, name: "Renamed" })
        const refused = yield* Effect.flip(Effect.sandbox(ask("workflow_history", { id })))
        assert.match(String(refused), /damaged/)
        writeFileSync(object, bytes)
        assert.deepStrictEqual(yield* toolsOf(id), ["update_workflow", "create_workflow"])
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )

  it.live("may have been left half begun by a process that was killed", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      mkdirSync(path.join(directory, ".git", "objects"), { recursive: true })
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        assert.deepStrictEqual(yield* toolsOf(id), ["create_workflow"])
      }).pipe(Effect.provide(serverWith(directory)))
      assert.strictEqual(git(directory, "status", "--porcelain"), "")
    })
  )

  it.live("is no folder of somebody else's files", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      writeFileSync(path.join(directory, "photo.jpg"), "")
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        assert.match(String(yield* Effect.flip(Effect.sandbox(ask("workflow_history", { id })))), /holds other files/)
      }).pipe(Effect.provide(serverWith(directory)))
      assert.deepStrictEqual(readdirSync(directory), ["photo.jpg"])
    })
  )

  it.live("may lie on a disk that is full", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=400k", "tmpfs", directory])
      // Only a machine where this may mount a disk of its own has one that can be full.
      if (mounted.status !== 0) return
      yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("umount", ["-l", directory])))
      yield* Effect.gen(function* () {
        const { id } = yield* created("Orders")
        assert.deepStrictEqual(yield* toolsOf(id), ["create_workflow"])
        const filler = path.join(directory, ".git", "filler")
        spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1k"])
        yield* ask("update_workflow", { id, name: "Renamed" })
        const full = yield* historyOf(id)
        assert.include(full.notice, "full")
        assert.lengthOf(full.data, 1)
        for (let again = 0; again < 3; again++) yield* historyOf(id)
        rmSync(filler)
        const after = yield* historyOf(id)
        assert.isUndefined(after.notice)
        assert.lengthOf(after.data, 2)
        git(directory, "fsck", "--full")
        assert.deepStrictEqual(
          readdirSync(path.join(directory, ".git", "objects", "pack")).filter((name) => name.startsWith("tmp_")),
          []
        )
      }).pipe(Effect.provide(serverWith(directory)))
    })
  )
})

describe("two servers on one repository", () => {
  it.live("record all that each of them does, and the work tree shows it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const work = (name: string) =>
        Effect.gen(function* () {
          const ids: Array<unknown> = []
          for (let count = 0; count < 10; count++) {
            const { id } = yield* created(`${name} ${count}`)
            ids.push(id)
            yield* ask("update_workflow", { id, name: `${name} ${count} again` })
          }
          yield* historyOf(ids[0])
          return ids
        }).pipe(Effect.provide(serverWith(directory)))
      const ids = yield* Effect.all([work("left"), work("right")], { concurrency: "unbounded" })
      for (const id of ids.flat()) {
        const subjectLines = git(directory, "log", "--format=%s", `--grep=.${String(id)}.json`)
        assert.match(subjectLines, /^update_workflow: .* again on production\ncreate_workflow: .*\n$/)
      }
      assert.strictEqual(git(directory, "status", "--porcelain"), "")
      assert.isTrue(existsSync(path.join(directory, "production")))
      const bare = path.join(yield* folder, "pushed.git")
      mkdirSync(bare)
      git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
      git(directory, "push", "--quiet", bare, "main")
      const clone = yield* folder
      git(clone, "clone", "--quiet", bare, "copy")
      assert.strictEqual(
        git(path.join(clone, "copy"), "rev-parse", "HEAD^{tree}"),
        git(directory, "rev-parse", "HEAD^{tree}")
      )
    })
  )
})
