// Bundles the page that the HTTP server shows, and the view that clients show beside an answer, into dist/page.
import { cp, mkdir } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { direct } from "./direct.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Of the rules about workflows only those come along that the page calls. */
const ours = {
  name: "ours",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path: to, resolveDir }) => ({
      path: path.resolve(resolveDir, to),
      sideEffects: to.endsWith(".css") || to.endsWith("main.tsx")
    }))
  }
}

/** Writes the files of the page; what comes back are the files that went into them. */
export const bundlePage = async (outdir) => {
  const folder = path.join(outdir, "page")
  await mkdir(folder, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/page/main.tsx", "src/page/page.css"],
    outdir: folder,
    entryNames: "page",
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [ours, direct]
  })
  for (const file of ["index.html", "page.svg"]) await cp(path.join(root, "src/page", file), path.join(folder, file))
  return Object.keys(metafile.inputs)
}
