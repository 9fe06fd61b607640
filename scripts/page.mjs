// Bundles the page that the HTTP server shows, which is also the view that clients show beside an answer, into dist/page.
import { cp, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { direct } from "./direct.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const source = (file) => path.join(root, "src/page", file)

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
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [source("main.tsx"), source("page.css")],
    outdir: folder,
    write: false,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [ours, direct]
  })
  const textOf = (end) => outputFiles.find(({ path: file }) => file.endsWith(end))?.text ?? ""
  // The view of a client is one document, in which the script stands: nothing in it may look like its end.
  const script = textOf(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")
  await writeFile(path.join(folder, "page.js"), script)
  await writeFile(path.join(folder, "page.css"), textOf(".css"))
  for (const file of ["index.html", "view.html", "page.svg"]) await cp(source(file), path.join(folder, file))
  return Object.keys(metafile.inputs)
}
