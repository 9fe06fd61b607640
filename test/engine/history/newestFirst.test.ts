import { assert, it } from "vitest"

import { newestFirst } from "../../../src/engine/operator/history/engineVersions.ts"
import { VersionId } from "../../../src/engine/workflow/models.ts"

const when = "2026-11-22T09:00:00.000Z"
const ours = (version: string, engineVersion: string, at = when) => ({
  version,
  when: at,
  by: "a client",
  tool: undefined,
  reason: undefined,
  call: undefined,
  change: "",
  engineVersion,
  isDeletion: false
})

it("tells versions of the same millisecond in the order in which the engine made them", () => {
  const all = ["third", "second", "first"].map((version) => ({ versionId: VersionId.make(version) }))
  const rows = newestFirst([ours("c", "third"), ours("a", "first")], [{ version: "second", when }], all)
  assert.deepStrictEqual(
    rows.map(({ version }) => version),
    ["c", "second", "a"]
  )
})

it("tells versions of other moments by their time", () => {
  const rows = newestFirst(
    [ours("a", "first", "2026-11-22T10:00:00Z"), ours("b", "second", "2026-11-22T08:00:00Z")],
    [{ version: "c", when }],
    []
  )
  assert.deepStrictEqual(
    rows.map(({ version }) => version),
    ["a", "c", "b"]
  )
})
