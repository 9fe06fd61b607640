import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { check } from "../../../src/engine/toolset/check/check.ts"
import { settingsPath, versionField } from "../../../src/engine/workflow/naming.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

/** What the check notes of an engine of this version. */
const notesOf = (version: string) => {
  const { client } = engineThat(({ path }) => {
    if (path === settingsPath) return json({ data: { [versionField]: version } })
    return path.startsWith("/api/v1/discover")
      ? json({ message: "not found" }, 404)
      : json({ data: [], nextCursor: null })
  })
  return Effect.map(check, (findings) => findings.flatMap(({ notes = [] }) => notes).join(" ")).pipe(
    Effect.provide(Layer.fresh(serving(client)))
  )
}

describe("the check of an instance", () => {
  it.effect("tells where its version stands among those that are tried", () =>
    Effect.gen(function* () {
      for (const [version, words] of [
        ["1.70.2", "version 1.70.2 is older than any tried; 1.82.3 was tried"],
        ["1.85.0", "is not tried; 1.82.3 and"],
        ["2.15.1", "is read, not tried;"],
        ["2.42.7", "is read, not tried;"],
        ["2.50.0", "is newer than any known;"]
      ] as const) {
        assert.include(yield* notesOf(version), words)
      }
      for (const version of ["1.82.0", "2.41.9"]) assert.notInclude(yield* notesOf(version), "tried")
    })
  )
})
