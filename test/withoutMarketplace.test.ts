import { execFile } from "node:child_process"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { afterAll, assert, beforeAll, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
let copy = ""

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), "without-marketplace-"))
})
afterAll(() => rm(copy, { recursive: true, force: true }))

/** Runs a program of the development tools and returns what it prints, whatever its exit code. */
const run = (file: string, ...args: ReadonlyArray<string>) =>
  new Promise<string>((resolve) => {
    execFile(file, args, { cwd: copy }, (_, stdout) => resolve(stdout.trim()))
  })

it(
  "leaves a workflow half that compiles, when its folders and its one line are deleted",
  { timeout: 120_000 },
  async () => {
    for (const name of ["package.json", "tsconfig.json"]) await cp(path.join(root, name), path.join(copy, name))
    await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"))
    await cp(path.join(root, "src"), path.join(copy, "src"), {
      recursive: true,
      filter: (source) => !/^marketplace(?:\.ts)?$/.test(path.basename(source))
    })
    const list = path.join(copy, "src/cli/toolsets/toolsets.ts")
    const lines = (await readFile(list, "utf8")).split("\n")
    const others = lines.filter((line) => !line.includes("/marketplace.ts"))
    assert.strictEqual(lines.length - others.length, 1)
    await writeFile(list, others.join("\n"))

    // The only error is one made here, which shows that the compiler has looked.
    await writeFile(path.join(copy, "src/wrong.ts"), "export const wrong: string = 1\n")
    await writeFile(path.join(copy, "sources.json"), JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }))
    const compiler = path.join(root, "node_modules/typescript/bin/tsc")
    const errors = await run(process.execPath, compiler, "--noEmit", "--pretty", "false", "--project", "sources.json")
    assert.match(errors, /^src\/wrong\.ts\(1,14\): error TS2322: .*$/)
  }
)
