// Bundles the command into a folder, dist by default: few files, of which a start loads only what it needs.
import { chmod, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { rolldown } from "rolldown"

import { directInRolldown } from "./direct.mjs"
import { bundlePage } from "./page.mjs"
import { plainExports } from "./plainExports.mjs"
import { later, noWebSockets, outlines, plainImports } from "./plugins.mjs"
import { shared } from "./shared.mjs"
import { inBytes } from "./smaller.mjs"
import { billOfMaterials, licenses, packagesIn } from "./thirdParties.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = path.resolve(process.argv[2] ?? path.join(root, "dist"))
process.chdir(root)

const options = {
  cwd: root,
  platform: "node",
  // Only for servers that share something, which have it installed beside this package.
  external: ["redis", /^node:/],
  checks: { ineffectiveDynamicImport: false },
  // Its main file finds its parts by a function that no bundler can see through.
  resolve: { alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") } },
  transform: { target: "node20", define: { "import.meta.env": "undefined" } }
}
const { inputs, rolldownPlugin, write } = await shared(path.join(outdir, "shared"))
const plugins = [plainImports, later, outlines, rolldownPlugin, directInRolldown, noWebSockets]

/** Which modules every module really takes something from, once what nobody uses is gone. */
const imports = await (async () => {
  const apart = await rolldown({ ...options, input: { start: "src/cli/command.ts" }, plugins })
  const { output } = await apart.generate({ format: "esm", preserveModules: true })
  await apart.close()
  const idOf = new Map(output.map(({ facadeModuleId, fileName }) => [fileName, facadeModuleId]))
  return new Map(
    output.map(({ facadeModuleId, imports = [] }) => [facadeModuleId, imports.map((file) => idOf.get(file))])
  )
})()

/**
 * Modules that the first piece imports, and uses in functions alone: to load schemas, and to make ours of them, takes longer
 * than all else before the first answer, which needs none, nor the tables of encodings. A use while the first piece is loaded
 * ends the build.
 */
const schemas = [
  ...["", "AST", "Issue"].map((name) => `node_modules/effect/dist/Schema${name}.js`),
  ...["ByteSize", "encoding/Base64", "encoding/Base64Url", "encoding/Hex"].map(
    (name) => `node_modules/effect/dist/${name}.js`
  ),
  ...["config/fields.ts", "schema/describeIssue.ts"].map((file) => `src/internal/${file}`),
  "src/engine/config/instanceFields.ts",
  ...["Arguments", "ToolError", "coerce"].map((name) => `src/mcp/${name}.ts`),
  ...["envelopes", "params", "elicitation/schemas"].map((name) => `src/mcp/protocol/${name}.ts`)
]
const atFirstUse = new Set(schemas.map((file) => path.join(root, file)))

/** What is loaded in one piece, with all that it imports: each file that is opened costs as much as many kilobytes. */
const pieces = new Map()
const gather = (name, ...files) => {
  for (const open = files.map((file) => path.join(root, file)); open.length > 0;) {
    const id = open.pop()
    if (id === undefined || pieces.has(id) || (name === "start" && atFirstUse.has(id))) continue
    pieces.set(id, name)
    open.push(...(imports.get(id) ?? []))
  }
}
gather("start", "src/cli/command.ts")
// What other tasks of the command need as well, which would load the engine's programs for it, or the operator's.
const ofAllTasks = ["FileSystem", "Path", "Ref"].map((name) => `node_modules/effect/dist/${name}.js`)
gather("schemas", ...schemas, ...ofAllTasks)
gather("readFile", "src/cli/configuration/readFile.ts")
gather("lists", "src/cli/toolsets/operator.ts", "src/cli/toolsets/changes.ts")
gather(
  "engine",
  "src/cli/toolsets/engineToolset.ts",
  "src/cli/engine/instances.ts",
  "src/cli/engine/warmUp.ts",
  "src/cli/upstream/nodeHttpClient.ts"
)
// By itself: who reads certificates needs none of the operator's programs, and most calls read no files.
gather("files", "node_modules/@effect/platform-node/dist/NodeFileSystem.js")
gather(
  "operator",
  "src/cli/toolsets/operatorToolset.ts",
  "src/cli/toolsets/changesToolset.ts",
  "src/cli/plans/workflowPlans.ts"
)

/**
 * A module as the function that `src/main.ts` calls, which at each start took as long to put together as to read. ES modules are
 * strict, which spares V8 an object for each call of what asks how many arguments there are.
 */
const inModule = (code) => `((exports,require,module,__filename)=>{"use strict";${code}\n})`

const { plugin, withPlaces } = plainExports()
const bundle = await rolldown({
  ...options,
  input: { start: "src/cli/command.ts" },
  plugins: [...plugins, plugin],
  preserveEntrySignatures: "allow-extension"
})
const { output } = await bundle.write({
  dir: outdir,
  // Node starts and reads these faster than ES modules.
  format: "cjs",
  dynamicImportInCjs: false,
  // The soak test counts fibers by the name of their class.
  minify: { compress: true, codegen: true, mangle: { toplevel: true, reserved: ["FiberImpl"] } },
  comments: false,
  entryFileNames: "chunks/[name]-[hash].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: (id) => pieces.get(id) ?? (id.includes("rolldown/runtime") ? "start" : undefined), debugName: "pieces" }
    ]
  }
})
await bundle.close()
await write()
const startFile = output.find(({ isEntry }) => isEntry).fileName
/** A few functions, which would be one more file for a start to open, are in what a start opens. */
const withRuntime = (code, { name }) =>
  !["start", "lists", "readFile", "engine", "operator"].includes(name)
    ? code
    : code.replace(/require\([`"']\.\/(rolldown-runtime-[^`"']*)[`"']\)/, (_, file) => {
        const runtime = output.find(({ fileName }) => path.basename(fileName) === file)
        return `(exports=>{${runtime.code};return exports})({})`
      })
for (const { code, fileName, name } of output) {
  await writeFile(path.join(outdir, fileName), inModule(inBytes(withPlaces(withRuntime(code, { name })))))
}

const main = await rolldown({
  ...options,
  input: { main: "src/main.ts" },
  plugins: [plainImports],
  transform: { ...options.transform, define: { startFile: JSON.stringify(startFile) } }
})
await main.write({ file: path.join(outdir, "main.js"), format: "cjs", minify: true, comments: false })
await main.close()
await chmod(path.join(outdir, "main.js"), 0o755)
await writeFile(path.join(outdir, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`)
const inside = await packagesIn([
  ...output.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => path.relative(root, id))),
  ...inputs,
  ...(await bundlePage(outdir))
])
await writeFile(path.join(outdir, "THIRD-PARTY-LICENSES.txt"), await licenses(inside))
const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"))
const bill = billOfMaterials(inside, manifest)
await writeFile(path.join(outdir, "sbom.cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`)
