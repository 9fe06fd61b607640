import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { generated, root } from "../scripts/docs.ts"
import { arrivals, engineDifferences, engineRows } from "../scripts/engines.ts"
import { compareVersions, readMinors, triedVersions } from "../src/engine/workflow/releases.ts"
import { readTries, textOfTries } from "./engines/tries.ts"

describe("what is made from the code", () => {
  it.each([...generated()])("%s is up to date (else: npm run docs)", (name, text) => {
    assert.strictEqual(readFileSync(path.join(root, name), "utf8"), text)
  })

  it("has a snapshot for every tool, and for no other", () => {
    const found = readdirSync(path.join(root, "test/snapshots"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".json"))
      .map((file) => path.posix.join("test/snapshots", file.split(path.sep).join("/")))
    const wanted = [...generated().keys()].filter((name) => name.startsWith("test/snapshots/"))
    assert.deepStrictEqual(found.toSorted(), wanted.toSorted())
    assert.isAbove(wanted.length, 40)
  })

  it("has a folder for every skill, and for no other", () => {
    assert.sameMembers(
      readdirSync(path.join(root, "skills")).map((name) => `skills/${name}/SKILL.md`),
      [...generated().keys()].filter((name) => name.startsWith("skills/"))
    )
  })

  it("has kept results of the versions that are said to be tried, and no other", () => {
    const tries = readTries()
    assert.deepStrictEqual(
      tries.map(({ version }) => version),
      triedVersions
    )
    assert.strictEqual(textOfTries(tries), readFileSync(path.join(root, "test/engines/tried.jsonl"), "utf8"))
    const read = engineRows(tries).flatMap(([minor = "", standing]) => (standing === "read, not tried" ? [minor] : []))
    assert.deepStrictEqual(read, readMinors)
  })

  it("tells of a version what came, what went, and what is refused otherwise than before it", () => {
    const tried = (version: string, call: ReadonlyArray<string>, field: object, answers: object) => ({
      version,
      date: "2026-11-26",
      passed: 2,
      failed: version === "2.0.1" ? ["lists workflows"] : [],
      capabilities: {
        call: new Map(call.map((name) => [name, "offered"])),
        field: new Map(Object.entries(field)),
        answer: new Map(Object.entries(answers))
      }
    })
    const tables = ["GET /tables", "POST /tables", "GET /tables/{}", "DELETE /tables/{}"]
    const before = { "no name": "400 a", "empty name": "200", cursor: "400 b", key: "401 c", pinned: "400 d" }
    const after = { "no name": "200", "empty name": "400 e", cursor: "404 f", key: "401 g", pinned: "400 d" }
    // The newer one first: the file is sorted, and nothing of a version reaches an older one.
    const text = textOfTries([
      tried("2.0.1", ["GET /tags", ...tables], { "tag.id": "text", "tag.color": "text", "tag.by": "text" }, after),
      tried("1.90.0", ["GET /tags", "GET /old"], { "tag.id": "number", "tag.old": "text", "tag.by": "null" }, before)
    ])
    const tries = readTries(text)
    assert.strictEqual(textOfTries(tries), text)
    assert.strictEqual(
      engineDifferences(tries),
      [
        "### 1.90.0\n\nThe oldest: the others are held against it.",
        `### 2.0.1, beside 1.90.0

- Failed: lists workflows.
- New calls: 4 of \`/tables\`.
- Calls that are gone: \`GET /old\`.
- New fields: of \`tag\` \`color\`.
- Fields that are gone: of \`tag\` \`old\`.
- Fields of another type: \`tag.id\` (number → text).
- Taken, was refused: no name.
- Refused, was taken: empty name (400 e).
- Another status: cursor (400 → 404).
- One refusal is worded otherwise.`
      ].join("\n\n")
    )
    assert.deepStrictEqual(engineRows(tries).slice(0, 1), [
      ["1.90", "tried, as 1.90.0", "2026-11-26: 2 tests passed, none failed; 2 calls in its API", ""]
    ])
  })

  it("says of each call since which version it is there as the tried versions have it", () => {
    const wrong = arrivals.flatMap(({ call, since }) =>
      readTries()
        .filter(({ capabilities, version }) => compareVersions(version, since) >= 0 !== capabilities.call.has(call))
        .map(({ version }) => `${call} since ${since}: ${version}`)
    )
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(arrivals.length, 4)
  })

  it("leaves a change log whose newest version is read in a minute", () => {
    const [, newest = ""] = readFileSync(path.join(root, "CHANGELOG.md"), "utf8").split(/^## /m)
    assert.isAtMost(newest.split("\n").length, 60)
  })

  it("leaves a README that is short enough to be read", () => {
    assert.isAtMost(readFileSync(path.join(root, "README.md"), "utf8").split("\n").length, 110)
  })
})
