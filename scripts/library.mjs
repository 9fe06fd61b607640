// Bundles the library into one file for each subpath and what several share, and keeps the types that can be reached.
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const out = "dist/lib"
const { exports } = JSON.parse(await readFile("package.json", "utf8"))
const files = Object.values(exports).flatMap((target) => target.default ?? [])
const entries = files.map((file) => path.relative(out, file).replace(/\.js$/, ""))

await build({
  entryPoints: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  outdir: out,
  chunkNames: "shared/[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: "none",
  logLevel: "warning",
  external: ["effect"]
})

/** Files that a declaration imports, and its text with the names that they have at run time. */
const read = async (file) => {
  const imports = []
  const text = (await readFile(file, "utf8")).replace(
    /(\bfrom |\bimport\(|^import )"(\.[^"]+?)\.ts"/gm,
    (_, before, to) => {
      imports.push(path.join(path.dirname(file), `${to}.d.ts`))
      return `${before}"${to}.js"`
    }
  )
  return { imports, text }
}
const kept = new Set()
for (const open = entries.map((entry) => path.join(out, `${entry}.d.ts`)); open.length > 0;) {
  const file = open.pop()
  if (kept.has(file)) continue
  kept.add(file)
  const { imports, text } = await read(file)
  await writeFile(
    file,
    text.replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4))
  )
  open.push(...imports)
}
for (const name of await readdir(out, { recursive: true })) {
  const file = path.join(out, name)
  if (file.endsWith(".d.ts") && !kept.has(file)) await rm(file)
}
for (const name of (await readdir(out, { recursive: true })).reverse()) {
  if (path.extname(name) === "" && (await readdir(path.join(out, name))).length === 0)
    await rm(path.join(out, name), { recursive: true })
}
// The command beside it is CommonJS.
await writeFile(path.join(out, "package.json"), `${JSON.stringify({ type: "module" })}\n`)
