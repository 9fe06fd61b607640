import { assert, describe, it } from "@effect/vitest"

import { explainGitError } from "../../../src/engine/history/git/explainGitError.ts"

const words = (said: string) => explainGitError(said, "/kept/it's")

describe("what git says", () => {
  it("leads to the lock of another git, wherever it lies", () => {
    const lock = "/kept/it's/.git/refs/heads/main.lock"
    assert.include(
      words(`error: cannot lock ref 'refs/heads/main': Unable to create '${lock}': File exists.`),
      `is locked by another git. If none runs, delete ${lock}.`
    )
  })

  for (const why of ["Operation not permitted", "Permission denied", "Read-only file system"]) {
    it(`leads to the access rights, and to no lock, where a lock cannot be made: ${why}`, () => {
      const explanation = words(`fatal: Unable to create '/kept/it's/.git/index.lock': ${why}`)
      assert.include(explanation, "cannot be written: fix its access rights")
      assert.notInclude(explanation, "delete")
    })
  }

  it("leads to the folder that is gone, and only else to the program", () => {
    const start = "the program git could not be started: NotFound: "
    assert.include(words(`${start}FileSystem.access (/kept/it's)`), "the folder /kept/it's is gone")
    assert.include(words(`${start}ChildProcess.spawn (git)`), "the program git is missing")
  })
})
