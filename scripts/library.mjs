// Bundles the library into one file for each subpath and what several share, and keeps the types that can be reached.
import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { keepReachable } from "./declarations.mjs"
import { shared } from "./shared.mjs"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const out = "dist/lib"
const { exports } = JSON.parse(await readFile("package.json", "utf8"))
const files = Object.values(exports).flatMap((target) => target.default ?? [])
const entries = files.map((file) => path.relative(out, file).replace(/\.js$/, ""))

const { plugin, write } = await shared("dist/shared")
await build({
  metafile: true,
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
  external: ["effect"],
  plugins: [plugin]
})

await write()
await keepReachable(
  out,
  entries.map((entry) => path.join(out, `${entry}.d.ts`))
)
// The command beside it is CommonJS.
await writeFile(path.join(out, "package.json"), `${JSON.stringify({ type: "module" })}\n`)
