// Builds dist/: the library as the compiler emits it, for programs that embed the server, and the command.
import { spawnSync } from "node:child_process"
import { readdir, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { rolldown } from "rolldown"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
await rm("dist", { recursive: true, force: true })

const run = (...step) => {
  const { status } = spawnSync(process.execPath, step, { stdio: "inherit" })
  if (status !== 0) process.exit(1)
}
const compile = (...options) => run("node_modules/typescript/bin/tsc", "-p", "scripts/tsconfig.build.json", ...options)
// The declarations hold the documentation; a tenth of the package would be the same words in the code.
compile("--emitDeclarationOnly")
compile("--declaration", "false", "--removeComments", "--noCheck")

// Declarations that none of the exported ones leads to are of no use to anybody.
const { exports } = JSON.parse(await readFile("package.json", "utf8"))
const declared = new Set(
  Object.values(exports)
    .flatMap(({ types }) => types ?? [])
    .map(path.normalize)
)
for (const file of declared) {
  const text = await readFile(file, "utf8")
  for (const [, name] of text.matchAll(/\b(?:from|import\() ?"(\.[^"]+)\.ts"/g)) {
    declared.add(path.join(path.dirname(file), `${name}.d.ts`))
  }
}
const library = (await readdir("dist/lib", { recursive: true })).map((name) => path.join("dist/lib", name))
const unused = library.filter((file) => file.endsWith(".d.ts") && !declared.has(file))
await Promise.all(unused.map((file) => rm(file)))

/** Modules of the library that import what programs around it do not have: what they import becomes part of them. */
for (const name of ["version", "engine/nodes/check/acorn"]) {
  const file = `dist/lib/${name}.js`
  const bundle = await rolldown({ input: file })
  await bundle.write({ file, minify: true, comments: false })
  await bundle.close()
}
run("scripts/bundle.mjs")
