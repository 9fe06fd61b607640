import { execFile } from "node:child_process"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const loaders = "src/cli/toolsets/toolsets.ts"
const facts = "src/cli/configuration/toolsetFacts.ts"
let copy = ""

const edit = async (file: string, change: (text: string) => string) => {
  const before = await readFile(path.join(copy, file), "utf8")
  const after = change(before)
  assert.notStrictEqual(after, before, file)
  await writeFile(path.join(copy, file), after)
}

/** Runs a program and returns what it prints, whatever its exit code. */
const run = (...args: ReadonlyArray<string>) =>
  new Promise<string>((resolve) => {
    const env = { PATH: process.env["PATH"], XDG_CACHE_HOME: copy, XDG_STATE_HOME: copy }
    execFile(process.execPath, args, { cwd: copy, env }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`.trim()))
  })

/** The project without its marketplace, and with the notes of the examples as a toolset of the command. */
beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), "toolsets-"))
  for (const name of ["package.json", "tsconfig.json"]) await cp(path.join(root, name), path.join(copy, name))
  await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"))
  await cp(path.join(root, "src"), path.join(copy, "src"), {
    recursive: true,
    filter: (source) => !/^marketplace(?:\.ts)?$/.test(path.basename(source))
  })
  await edit(loaders, (text) => text.replace(/^.*\/marketplace\.ts.*\n/m, ""))

  await cp(path.join(root, "examples/notes"), path.join(copy, "src/notes"), {
    recursive: true,
    filter: (source) => !/(?:\.test\.ts|\.md)$/.test(source)
  })
  await edit(facts, (text) => text.replace("  operator: {},\n", "$&  notes: { isUsefulAlone: true },\n"))
  await edit(loaders, (text) =>
    text.replace(/^ {2}engine: .*\n/m, '$&  notes: Effect.promise(() => import("../../notes/load.ts")),\n')
  )
  // The notes import the package by its name, which is the copy here.
  await edit("package.json", (text) => text.replaceAll(/"\.\/dist\/lib\/(.*)\.js"/g, '"./src/$1.ts"'))
})
afterAll(() => rm(copy, { recursive: true, force: true }))

describe("a project with one toolset less and another one more", () => {
  it("compiles, where the folders of the one and its line are deleted, and two files name the other", async () => {
    // The only error is one made here, which shows that the compiler has looked.
    await writeFile(path.join(copy, "src/wrong.ts"), "export const wrong: string = 1\n")
    await writeFile(path.join(copy, "sources.json"), JSON.stringify({ extends: "./tsconfig.json", include: ["src"] }))
    const compiler = path.join(root, "node_modules/typescript/bin/tsc")
    const errors = await run(compiler, "--noEmit", "--pretty", "false", "--project", "sources.json")
    assert.match(errors, /^src\/wrong\.ts\(1,14\): error TS2322: .*$/)
  }, 120_000)

  it("offers the tools of the other, with its plans, and checks what they work on", async () => {
    const call = async (...words: ReadonlyArray<string>) =>
      JSON.parse(await run("src/main.ts", "call", ...words, "--json", "--toolsets", "notes"))
    assert.lengthOf((await call("list_notes", "--folder", "inbox")).notes, 3)
    assert.deepInclude(await call("plan_note_moves", "--from", "inbox", "--to", "done"), { kind: "moves", steps: 2 })
    assert.match(await run("src/main.ts", "--help"), /engine \(always\), operator, notes/)
    assert.match(await run("src/main.ts", "check", "--toolsets", "notes"), /The notes service answers: 4 notes/)
  }, 120_000)
})
