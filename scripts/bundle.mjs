// Bundles the command and the page into a folder, dist by default. The maps of the command, which nobody packs, go into `maps` in it.
import { chmod, cp, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

import { rolldown } from "rolldown"

import { billOfMaterials, licenses, packagesIn } from "./thirdParties.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = path.resolve(process.argv[2] ?? path.join(root, "dist"))
process.chdir(root)

/** The files that are run, each by its name in the folder. */
const entries = { main: "src/main.ts" }

/**
 * What is loaded together, in one file with all that it imports: each file that is opened costs as much as many kilobytes. What
 * two of them import goes with the first. All else is split where `import()` stands.
 */
const pieces = {
  // By itself: Node keeps what it compiles of all that is loaded after this.
  folders: ["cli/files/ownFolders"],
  start: ["cli/command"],
  commandLine: ["cli/commandLine"],
  engine: ["engine/toolset/toolset", "cli/engine/instances", "cli/upstream/nodeHttpClient"],
  operator: ["cli/toolsets/planningToolsets", "cli/plans/workflowPlans"]
}

/** What lists tell of toolsets is worked out here, once, and not at every start. */
const outlines = {
  name: "outlines",
  load: {
    filter: { id: /[\\/]cli[\\/]toolsets[\\/]outlines\.ts$/ },
    async handler(id) {
      const { outlines } = await import(pathToFileURL(id).href)
      const json = JSON.stringify(JSON.stringify(outlines))
      return { code: `export const outlines = JSON.parse(${json})`, moduleType: "js" }
    }
  }
}

/** The listener of platform-node could do web sockets, which nothing here does. */
const noWebSockets = {
  name: "no web sockets",
  resolveId: (id) => (id === "ws" ? "\0ws" : undefined),
  load: (id) =>
    id === "\0ws" ? "export class WebSocket {}; export class WebSocketServer {}; export default {}" : undefined
}

const bundle = async (input, output) => {
  const bundled = await rolldown(input)
  const written = await bundled.write({ dir: outdir, format: "esm", ...output })
  await bundled.close()
  return written.output
}

const command = await bundle(
  {
    input: entries,
    platform: "node",
    // Only for servers that share something, or send mail, which have it installed beside this package.
    external: ["redis", "nodemailer", /^node:/],
    // Its main file finds its parts by a function that no bundler can see through.
    resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
    transform: { target: "node20", define: { "import.meta.env": "undefined" } },
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
    plugins: [outlines, noWebSockets]
  },
  {
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    minify: true,
    // One other letter, and Node keeps two bytes for each of a file: 13 MiB of what the operator's tools need.
    charset: "ascii",
    comments: false,
    sourcemap: "hidden",
    codeSplitting: {
      groups: Object.entries(pieces).map(([name, files], index, { length }) => ({
        name,
        test: new RegExp(`[\\\\/]src[\\\\/](?:${files.join("|")})\\.ts$`),
        priority: length - index
      }))
    }
  }
)
for (const name of Object.keys(entries)) await chmod(path.join(outdir, `${name}.js`), 0o755)

/** The page, and the view of MCP Apps: two files, as the view is one document whose size counts. */
const page = []
for (const [name, input] of [
  ["page", "src/page/main.tsx"],
  ["view", "src/page/view/main.tsx"]
]) {
  const written = await bundle(
    {
      input: { [name]: input },
      platform: "browser",
      tsconfig: "src/page/tsconfig.json",
      transform: { target: ["chrome123", "firefox120", "safari17.5"] },
      // Of the rules about workflows only those come along that the page calls.
      treeshake: { moduleSideEffects: (id) => id.endsWith("main.tsx"), manualPureFunctions: ["Schema"] }
    },
    { entryFileNames: "page/[name].js", minify: true, comments: false }
  )
  page.push(...written)
}
for (const file of ["index.html", "view.html", "page.css", "page.svg"]) {
  await cp(path.join("src/page", file), path.join(outdir, "page", file))
}

const maps = path.join(outdir, "maps")
for (const { fileName } of command.filter(({ fileName }) => fileName.endsWith(".map"))) {
  await mkdir(path.join(maps, path.dirname(fileName)), { recursive: true })
  await rename(path.join(outdir, fileName), path.join(maps, fileName))
}

const modules = [...command, ...page].flatMap(({ moduleIds = [] }) => moduleIds)
const inside = await packagesIn(modules.map((id) => path.relative(root, id)))
const manifest = JSON.parse(await readFile("package.json", "utf8"))
await writeFile(path.join(outdir, "THIRD-PARTY-LICENSES.txt"), await licenses(inside))
await writeFile(
  path.join(outdir, "sbom.cdx.json"),
  `${JSON.stringify(billOfMaterials(inside, manifest), undefined, 2)}\n`
)
// Where no manifest lies beside it, as in a desktop bundle or an image.
await writeFile(path.join(outdir, "package.json"), `${JSON.stringify({ type: "module" })}\n`)
