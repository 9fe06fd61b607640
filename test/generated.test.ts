import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { generated, root } from "../scripts/docs.ts"

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

  it("leaves a change log whose newest version is read in a minute", () => {
    const [, newest = ""] = readFileSync(path.join(root, "CHANGELOG.md"), "utf8").split(/^## /m)
    assert.isAtMost(newest.split("\n").length, 60)
  })

  it("leaves a README that is short enough to be read", () => {
    assert.isAtMost(readFileSync(path.join(root, "README.md"), "utf8").split("\n").length, 110)
  })
})
