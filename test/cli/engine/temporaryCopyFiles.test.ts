import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { eraseNoted } from "../../../src/cli/engine/toolFolders.ts"
import { temporaryName } from "../../../src/engine/workflow/naming.ts"
import { engineThat, json, serving } from "../../engine/tools/standIn.ts"
import { inTime } from "../../support/inTime.ts"

const fiveMinutes = 5 * 60 * 1000
const name = temporaryName("Orders", "0123456789ab", "1970-01-01T00:00:00.000Z")

describe("a temporary copy of a process that cannot be asked", () => {
  it.effect("is deleted as soon as no run can need it any more, and not before", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "copies-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true }))
      )
      const entry = { instance: "production", name, machine: "elsewhere", pid: 1, since: 0 }
      yield* Effect.promise(() => writeFile(path.join(folder, "0-x.json"), JSON.stringify(entry)))
      const clock = yield* Clock.Clock
      const deletions: Array<number> = []
      const { client } = engineThat(({ method, path }) => {
        if (method === "DELETE") deletions.push(clock.currentTimeMillisUnsafe())
        const copy = { id: "t1", name, active: true, nodes: [], connections: {} }
        return json(path.startsWith("/api/v1/workflows/") ? copy : { data: [copy] })
      })
      yield* Effect.provide(inTime(eraseNoted(folder)), serving(client))
      assert.lengthOf(deletions, 1)
      assert.isAtLeast(deletions[0] ?? 0, fiveMinutes)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), [])
    })
  )
})
