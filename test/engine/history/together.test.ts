import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { run, useCommand } from "../../cli/built.ts"
import { draft, fakeGit, home, person, serverIn } from "./processes.ts"

useCommand()

/** Every commit's subject, oldest first. */
const subjects = async (history: string) => (await person(history, "log", "--reverse", "--format=%s")).split("\n")

describe("several processes on one repository", () => {
  it.live("lose nothing: two servers, backups from cron, and a person who commits, branches and collects garbage", () =>
    Effect.gen(function* () {
      const place = yield* home()
      const { cwd, history } = place
      yield* Effect.promise(async () => {
        const servers = ["left", "right"].map((name) => ({ name, ...serverIn(place) }))
        let last: unknown
        const work = servers.map(async ({ call, name }) => {
          for (let count = 0; count < 12; count++) {
            const { id } = await call("create_workflow", draft(`${name} ${count}`))
            await call("update_workflow", { id, name: `${name} ${count} again` })
            last = id
          }
        })
        const cron = (async () => {
          for (let count = 0; count < 2; count++) {
            const { code, stderr } = await run(["backup", "--config", ".config.json"], {
              cwd,
              env: { XDG_STATE_HOME: place.state }
            })
            assert.strictEqual(code, 0, stderr)
          }
        })()
        const byHand = (async () => {
          while (!existsSync(path.join(history, "production"))) await sleep(20)
          writeFileSync(path.join(history, "notes.txt"), "mine")
          const again = async (...args: ReadonlyArray<string>): Promise<string> =>
            person(history, ...args).catch(async (error: Error) => {
              assert.match(error.message, /index\.lock|cannot lock ref|HEAD/)
              await sleep(30)
              return again(...args)
            })
          await again("add", "notes.txt")
          await again("commit", "--quiet", "-m", "A note", "--", "notes.txt")
          await again("checkout", "--quiet", "-b", "mine")
          await again("gc", "--quiet")
          await again("checkout", "--quiet", "main")
        })()
        await Promise.all([...work, cron, byHand])
        for (const { leave } of servers) await leave()
        // Whatever they had no time left to record.
        const next = serverIn(place)
        await next.call("workflow_history", { id: last })
        await next.leave()
        const messages = await subjects(history)
        for (const name of ["left", "right"]) {
          for (let count = 0; count < 12; count++) {
            assert.include(messages, `create_workflow: ${name} ${count} on production`)
            assert.include(messages, `update_workflow: ${name} ${count} again on production`)
          }
        }
        assert.lengthOf(
          messages.filter((subject) => subject.startsWith("backup: ")),
          2
        )
        assert.include(messages, "A note")
        // A backup may come across a change before the server that made it has recorded it: nobody is said to undo it.
        const undone = await person(history, "log", "--format=%b", "--grep", "name .* again. → ")
        assert.strictEqual(undone, "")
        await person(history, "fsck", "--full", "--strict")
        assert.strictEqual(await person(history, "status", "--porcelain"), "")
      })
    })
  )

  it.live("lose nobody's name: what a backup has recorded first stands there as the server's, too", () =>
    Effect.gen(function* () {
      const place = yield* home()
      const { cwd, history } = place
      yield* Effect.promise(async () => {
        const begun = path.join(cwd, "begun")
        const backup = () => run(["backup", "--config", ".config.json"], { cwd, env: { XDG_STATE_HOME: place.state } })
        const waiting = `case "$*" in *fast-import*) while [ ! -e '${begun}' ]; do sleep 0.05; done;; esac`
        const { call, leave } = serverIn(place, fakeGit(cwd, waiting))
        const { id } = await call("create_workflow", draft("Mine"))
        assert.strictEqual((await backup()).code, 0)
        await call("archive_workflow", { id, archived: true })
        assert.strictEqual((await backup()).code, 0)
        writeFileSync(begun, "")
        await call("workflow_history", { id })
        await leave()
        const messages = await subjects(history)
        assert.include(messages, "create_workflow: Mine on production")
        assert.include(messages, "archive_workflow: Mine on production")
      })
    })
  )

  it.live("go on where one of them is killed at any moment", () =>
    Effect.gen(function* () {
      const place = yield* home()
      const { cwd, history } = place
      yield* Effect.promise(async () => {
        const survivor = serverIn(place)
        await survivor.call("create_workflow", draft("first"))
        for (let round = 0; round < 4; round++) {
          const { call, child, ended } = serverIn(place)
          for (let count = 0; count <= round; count++) await call("create_workflow", draft(`killed ${round} ${count}`))
          await sleep(round * 5)
          child.kill("SIGKILL")
          await ended
          await survivor.call("create_workflow", draft(`survivor ${round}`))
        }
        await survivor.leave()
        const { code, stdout } = await run(["backup", "--config", ".config.json"], {
          cwd,
          env: { XDG_STATE_HOME: place.state }
        })
        assert.strictEqual(code, 0)
        assert.include(stdout, "production: 15 workflows")
        const messages = await subjects(history)
        for (let round = 0; round < 4; round++)
          assert.include(messages, `create_workflow: survivor ${round} on production`)
        await person(history, "fsck", "--full", "--strict")
        assert.lengthOf((await person(history, "ls-files", "production/*.json")).trim().split("\n"), 15)
        assert.strictEqual(await person(history, "status", "--porcelain"), "")
      })
    })
  )

  it.live("keep the history with hooks, signing, without a name and on a detached head", () =>
    Effect.gen(function* () {
      const place = yield* home()
      const { history } = place
      yield* Effect.promise(async () => {
        const first = serverIn(place)
        const created = await first.call("create_workflow", draft("first"))
        await first.call("workflow_history", { id: created["id"] })
        await first.leave()
        mkdirSync(path.join(history, ".git/hooks"))
        for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"])
          writeFileSync(path.join(history, ".git/hooks", hook), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
        await person(history, "config", "commit.gpgsign", "true")
        await person(history, "config", "user.useConfigOnly", "true")
        await person(history, "config", "core.fsmonitor", "/bin/false")
        await person(history, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "--detach")
        const second = serverIn(place)
        const { id } = await second.call("create_workflow", draft("second"))
        const { notice } = await second.call("workflow_history", { id })
        assert.isUndefined(notice)
        await second.leave()
        assert.match(
          await person(history, "log", "-1", "--format=%s %G?", "main"),
          /^create_workflow: second on production N/
        )
        const bare = path.join(place.cwd, "bare.git")
        await person(place.cwd, "clone", "--quiet", "--bare", history, bare)
        await person(history, "-c", "core.hooksPath=/dev/null", "push", "--quiet", bare, "main")
        assert.strictEqual(await person(bare, "rev-parse", "main"), await person(history, "rev-parse", "main"))
      })
    })
  )

  // As git itself: whoever owns a repository may have put anything into it.
  it.live.skipIf(process.getuid?.() !== 0)(
    "use a folder of another user only where the user's own git may, and lose nothing meanwhile",
    () =>
      Effect.gen(function* () {
        const place = yield* home()
        const { history } = place
        yield* Effect.promise(async () => {
          const first = serverIn(place)
          const created = await first.call("create_workflow", draft("first"))
          await first.call("workflow_history", { id: created["id"] })
          await first.leave()
          chownSync(history, 65534, 65534)
          const second = serverIn(place)
          const { id } = await second.call("create_workflow", draft("second"))
          const refused = await second.call("workflow_history", { id }).catch(String)
          assert.include(refused, "belongs to another user")
          assert.include(refused, `git config --global --add safe.directory ${history}`)
          await second.leave()
          writeFileSync(path.join(place.cwd, ".gitconfig"), `[safe]\n\tdirectory = ${history}\n`)
          const third = serverIn({ ...place, home: place.cwd })
          assert.isUndefined((await third.call("workflow_history", { id }))["notice"])
          await third.leave()
          chownSync(history, 0, 0)
          assert.include(await subjects(history), "create_workflow: second on production")
        })
      })
  )
})
