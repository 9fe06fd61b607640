// Bundles the page that the HTTP server shows, and the view that clients show beside an answer, into dist/page.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises"
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

const bundle = (entryPoints) =>
  build({
    absWorkingDir: root,
    entryPoints,
    outdir: "dist/page",
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

const textOf = ({ outputFiles }, end) => outputFiles.find(({ path: file }) => file.endsWith(end))?.text ?? ""

/** Writes the files of the page; what comes back are the files that went into them. */
export const bundlePage = async (outdir) => {
  const folder = path.join(outdir, "page")
  await mkdir(folder, { recursive: true })
  const page = await bundle([source("main.tsx"), source("page.css")])
  await writeFile(path.join(folder, "page.js"), textOf(page, ".js"))
  await writeFile(path.join(folder, "page.css"), textOf(page, ".css"))
  for (const file of ["index.html", "page.svg"]) await cp(source(file), path.join(folder, file))

  // A client gets the view as one text, and lets it load nothing.
  const view = await bundle([source("view/main.tsx")])
  const script = textOf(view, ".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")
  const html = await readFile(source("view/view.html"), "utf8")
  const whole = html
    .replace("<style>", () => `<style>${textOf(page, ".css").trim()}`)
    .replace('<script type="module">', (tag) => `${tag}${script.trim()}`)
  await writeFile(path.join(folder, "view.html"), whole)
  return [page, view].flatMap(({ metafile }) => Object.keys(metafile.inputs))
}
