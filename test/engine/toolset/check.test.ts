import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { check } from "../../../src/engine/toolset/check/check.ts"
import { settingsPath, versionField } from "../../../src/engine/workflow/naming.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

/** The findings of the check on an engine of this version, which lists no calls. */
const findingOf = (version: string) => {
  const { client } = engineThat(({ path }) => {
    if (path === settingsPath) return json({ data: { [versionField]: version } })
    return path.startsWith("/api/v1/discover")
      ? json({ message: "not found" }, 404)
      : json({ data: [], nextCursor: null })
  })
  return Effect.map(check, ([finding]) => finding).pipe(Effect.provide(Layer.fresh(serving(client))))
}
const notesOf = (version: string) => Effect.map(findingOf(version), (finding) => String(finding?.notes))

describe("the check of an instance", () => {
  it.effect("tells where its version stands among those that are tried", () =>
    Effect.gen(function* () {
      for (const [version, words] of [
        ["1.70.2", "version 1.70.2 is older than any tried; 1.82.3 was tried"],
        ["1.85.0", "is not tried; 1.82.3 and 1.115.4 were tried"],
        ["2.15.1", "is read, not tried; 1.115.4 and 2.20.12 were tried"],
        ["2.42.7", "is read, not tried; 2.41.1 was tried"],
        ["2.50.0", "is newer than any known;"]
      ] as const) {
        assert.include(yield* notesOf(version), words)
      }
      for (const version of ["1.82.0", "2.41.9"]) assert.notInclude(yield* notesOf(version), "tried")
    })
  )

  it.effect("tells what the calls of its version cannot do, where it lists none", () =>
    Effect.gen(function* () {
      for (const [version, words] of [
        [
          "1.114.0",
          "archive workflows; read former versions; retry, stop executions; list, read, update, test credentials"
        ],
        ["1.115.4", "archive workflows; read former versions; stop executions; list, read, update, test credentials"],
        ["2.12.1", "archive workflows; read former versions; read, update, test credentials"],
        ["2.34.0", "read former versions"],
        ["2.35.7", "nothing missing"]
      ] as const) {
        assert.strictEqual((yield* findingOf(version))?.facts?.["cannot do"], words, version)
      }
    })
  )
})
