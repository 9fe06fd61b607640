import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { useCommand } from "../../cli/built.ts"
import { draft, fakeGit, home, person, serverIn } from "./processes.ts"

useCommand()

const secret = "planted-value-of-a-credential"

/** The files in which things wait for the repository. */
const spooled = (state: string) =>
  existsSync(state)
    ? readdirSync(state, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => path.join(state, name))
    : []

/** Ways in which a repository takes nothing, each with what mends it. */
const broken: Readonly<Record<string, (place: { readonly cwd: string; readonly history: string }) => string>> = {
  "on a full disk": ({ cwd }) =>
    fakeGit(cwd, 'case "$*" in *fast-import*) echo "fatal: write error: No space left on device" >&2; exit 128;; esac'),
  "without the program git": ({ cwd }) => {
    mkdirSync(path.join(cwd, "empty"))
    return path.join(cwd, "empty")
  },
  "with damaged objects": ({ cwd }) =>
    fakeGit(
      cwd,
      'case "$*" in *ls-tree*) echo "error: inflate: data stream error" >&2; echo "fatal: not a tree object" >&2; exit 128;; esac'
    )
}

const written = async (history: string) =>
  (await person(history, "log", "--reverse", "--format=%an %s", "--grep=^Tool: ")).trim().split("\n")

describe("what a repository never took", () => {
  it.live.each(Object.entries(broken))("is recorded by the next process after a kill -9, %s", ([name, breaking]) =>
    Effect.gen(function* () {
      const place = yield* home()
      const { apiKey, history, state } = place
      yield* Effect.promise(async () => {
        const first = serverIn(place)
        const { id } = await first.call("create_workflow", draft("Orders"))
        await first.call("workflow_history", { id })
        await first.leave()
        assert.deepStrictEqual(spooled(state), [])

        const { call, child, ended, says } = serverIn(place, breaking(place))
        await call("create_credential", {
          name: "Mail",
          type: "httpBasicAuth",
          data: { user: "ann", password: secret }
        })
        await call("update_workflow", { id, name: "Renamed", settings: { timezone: "UTC" } })
        await call("update_workflow", { id, name: "Renamed again" })
        for (let again = 0; again < 9; again++) await call("list_workflows", {})
        await call("workflow_history", { id }).catch(() => undefined)
        await says("stderr", "cannot be written now")
        child.kill("SIGKILL")
        await ended
        const [file = "", ...more] = spooled(state)
        assert.deepStrictEqual(more, [])
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const text = readFileSync(file, "utf8")
        assert.notInclude(text, secret)
        assert.notInclude(text, apiKey)
        assert.isBelow(text.split("\n").filter((line) => line.includes('"Seen"')).length, 6)
        const copy = path.join(place.cwd, "copy")
        cpSync(state, copy, { recursive: true })

        const next = serverIn(place)
        const { data } = await next.call("workflow_history", { id })
        assert.lengthOf(Object.values(data ?? {}), 3)
        await next.leave()
        const events = [
          "an unknown client create_workflow: Orders on production",
          "an unknown client create_credential: credentials on production",
          "an unknown client update_workflow: Renamed on production",
          "an unknown client update_workflow: Renamed again on production"
        ]
        assert.deepStrictEqual(await written(history), events)
        assert.include(await person(history, "log", "-2", "-p"), '"timezone": "UTC"')
        assert.deepStrictEqual(spooled(state), [])

        assert.strictEqual(await person(history, "status", "--porcelain"), "")
        if (!name.includes("full")) return

        // Killed between its commit and the removal of the file, the next process finds both.
        cpSync(copy, state, { recursive: true })
        const again = serverIn(place)
        await again.call("workflow_history", { id })
        await again.leave()
        assert.deepStrictEqual(await written(history), events)
        assert.deepStrictEqual(spooled(state), [])
      })
    })
  )

  it.live("waits for the next process when a server leaves, and is nobody else's while it lives", () =>
    Effect.gen(function* () {
      const place = yield* home()
      const { history, state } = place
      yield* Effect.promise(async () => {
        const bin = fakeGit(place.cwd, 'case "$*" in *fast-import*) exit 128;; esac')
        const broken = serverIn(place, bin)
        const { id } = await broken.call("create_workflow", draft("Orders"))
        await broken.says("stderr", "cannot be written now")
        const other = serverIn(place)
        const { id: second } = await other.call("create_workflow", draft("Other"))
        await other.call("workflow_history", { id: second })
        assert.deepStrictEqual(await written(history), ["an unknown client create_workflow: Other on production"])
        await broken.leave()
        assert.include((await broken.ended).stderr, "wait in ")
        assert.lengthOf(spooled(state), 1)
        await other.leave()
        const next = serverIn(place)
        const { data } = await next.call("workflow_history", { id })
        assert.lengthOf(Object.values(data ?? {}), 1)
        await next.leave()
        assert.include(await written(history), "an unknown client create_workflow: Orders on production")
        assert.deepStrictEqual(spooled(state), [])
      })
    })
  )
})
