import { statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

import { afterEach, assert, describe, it, vi } from "vitest"

import { persistentFolder } from "../../../src/cli/files/homeFolders.ts"

afterEach(() => vi.unstubAllEnvs())

describe("the folder of what outlives the process", () => {
  it("is that of the configuration file, else the working folder", () => {
    assert.strictEqual(
      persistentFolder("conf/my.json", () => false),
      "conf"
    )
    assert.strictEqual(
      persistentFolder(undefined, () => true),
      process.cwd()
    )
  })

  it("is the user's own where a client starts the process in a folder that cannot be written", async () => {
    const home = await mkdtemp(path.join(tmpdir(), "state-"))
    vi.stubEnv("XDG_STATE_HOME", home)
    const folder = persistentFolder(undefined, () => false)
    assert.strictEqual(folder, path.join(home, "workflow-tool-server"))
    assert.strictEqual(statSync(String(folder)).mode & 0o777, 0o700)
    await rm(home, { recursive: true })
  })
})
