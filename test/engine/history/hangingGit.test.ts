import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { runProgram } from "../../../src/internal/runProgram.ts"
import { directory, useCommand } from "../../cli/built.ts"
import { draft, fakeGit, home, serverIn } from "./processes.ts"

useCommand()

/** Shell that hangs with a child of its own, both deaf to SIGTERM, and notes their numbers in a file. */
const hanging = (file: string) => `trap '' TERM; echo $$ >> '${file}'; sleep 1000 & echo $! >> '${file}'; wait; wait`

/** The processes that it has noted, once they are there. */
const begun = async (file: string) => {
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [])
  while (pids().length < 2) await sleep(10)
  return pids
}

/** Whether a process runs; one that nobody has asked for its end does not. */
const isAlive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** Waits until none of the processes runs: the system ends them a moment after they were killed. */
const gone = async (pids: () => ReadonlyArray<number>) => {
  while (pids().some(isAlive)) await sleep(5)
}

describe.skipIf(!existsSync("/proc/self/stat"))("a program that hangs", () => {
  it.effect("is stopped at its deadline with all that it has started, and is named", () =>
    Effect.gen(function* () {
      const cwd = yield* Effect.promise(() => directory())
      const file = path.join(cwd, "pids")
      const env = { PATH: fakeGit(cwd, hanging(file)) }
      const running = yield* Effect.forkChild(
        runProgram({ name: "git", args: ["log"], cwd, env, deadline: "20 seconds" })
      )
      const pids = yield* Effect.promise(() => begun(file))
      assert.isTrue(pids().every(isAlive))
      yield* TestClock.adjust("20 seconds")
      const { message } = yield* Effect.flip(Fiber.join(running))
      assert.strictEqual(message, "git did not end within 20 seconds, and was stopped")
      yield* Effect.promise(() => gone(pids))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each(["fast-import", "rev-parse", "read-tree", "log"])(
    "does not hold up the end of the server: git %s",
    (command) =>
      Effect.gen(function* () {
        const place = yield* home()
        yield* Effect.promise(async () => {
          const file = path.join(place.cwd, "pids")
          const search = fakeGit(place.cwd, `case "$*" in *${command}*) ${hanging(file)};; esac`)
          const { call, child, ended } = serverIn(place, search)
          const { id } = await call("create_workflow", draft("one"))
          const reading = call("workflow_history", { id }).catch(() => undefined)
          const pids = await begun(file)
          const before = performance.now()
          child.kill("SIGTERM")
          const { code } = await ended
          // Promised are four seconds; git's own deadline would be 20.
          assert.isBelow(performance.now() - before, 15_000)
          await reading
          assert.strictEqual(code, 0)
          await gone(pids)
          const next = serverIn(place)
          const { data } = await next.call("workflow_history", { id })
          assert.lengthOf(Array.isArray(data) ? data : [], 1)
          await next.leave()
        })
      })
  )
})
