// Bundles the command into a folder, dist by default: few files, of which a start loads only what it needs.
import { chmod, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

import { rolldown } from "rolldown"

import { directInRolldown } from "./direct.mjs"
import { bundlePage } from "./page.mjs"
import { shared } from "./shared.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = path.resolve(process.argv[2] ?? path.join(root, "dist"))
process.chdir(root)

/** The listener of platform-node could do web sockets, which nothing here does. */
const noWebSockets = {
  name: "no web sockets",
  resolveId: (id) => (id === "ws" ? "\0ws" : undefined),
  load: (id) =>
    id === "\0ws" ? "export class WebSocket {}; export class WebSocketServer {}; export default {}" : undefined
}

/** What lists tell of a toolset is worked out here, once, and not at every start. */
const outlines = {
  name: "outlines",
  load: {
    filter: { id: /[\\/]outline\.ts$/ },
    async handler(id) {
      const values = await import(pathToFileURL(id).href)
      const literal = (value) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
      return {
        code: Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${literal(value)}`)
          .join("\n"),
        moduleType: "js"
      }
    }
  }
}

/**
 * What is imported of Node is copied as it is, with its default: made by the bundler, each of its names would be a new getter
 * of what may be a hundred.
 */
const plainImports = {
  name: "plain imports",
  transform: {
    filter: { id: /rolldown[\\/]runtime/ },
    handler(code) {
      const made = "export var __toESM ="
      if (!code.includes(made)) throw new Error("The bundler makes imports of Node in another way")
      const copied = "{ ...Object.getOwnPropertyDescriptors(mod), default: { value: mod, enumerable: true } }"
      return code.replace(made, `${made} (mod) => Object.create(Object.getPrototypeOf(mod), ${copied});\nvar byNames =`)
    }
  }
}

/**
 * What modules of effect do while they are loaded, and a start need not wait for, by their files: each text with what stands in
 * for it. Twice an error is made to see how V8 writes its stacks, which takes as long as all else of effect; a cutter of
 * characters takes 4 ms.
 */
const begunLater = new Map([
  ["Utils.js", [["if (limit === 0) return forced[InternalTypeId];", "return standard[InternalTypeId];"]]],
  ["internal/effect.js", [["if (limit === 0) return false;", "return true;"]]],
  [
    "cli/CliOutput.js",
    [
      ["const graphemeSegmenter = /*#__PURE__*/new Intl", "let made;\nconst segmenter = () => made ??= new Intl"],
      [" of graphemeSegmenter.segment(", " of segmenter().segment("]
    ]
  ]
])
const later = {
  name: "later",
  transform: {
    filter: { id: [...begunLater.keys()].map((name) => `**/effect/dist/${name}`) },
    handler(code, id) {
      const [, name = ""] = id.replaceAll("\\", "/").split("/effect/dist/")
      return (begunLater.get(name) ?? []).reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`effect's ${name} has no ${from} any more`)
        return text.replace(from, to)
      }, code)
    }
  }
}

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
gather("schemas", ...schemas)
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
 * What the first piece gives to the others is there when they are loaded, and stays: plain values, taken once, by their
 * place. A thousand getters were a sixth of what a start reads, and a thousand names still took 3 ms.
 */
const plainExports = () => {
  const places = new Map()
  const given =
    /^(?:exports\.(?!main )([\w$]+) = ([\w$]+);|Object\.defineProperty\(exports, ["']([\w$]+)["'], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return ([\w$]+);\s*\}\s*\}\);)$/gm
  /** What the first piece takes of schemas comes with the first use of one. */
  const lazily = (code) => {
    const [statement, name] = /^const (\w+) = require\("[^"]*\/schemas-[^"]*"\);$/m.exec(code) ?? []
    if (statement === undefined) throw new Error("The first piece does not import schemas any more")
    return code
      .replace(new RegExp(`\\bnew ${name}\\.([\\w$]+)`, "g"), (_, made) => `new (${name}.${made})`)
      .replaceAll(`${name}.`, `${name}().`)
      .replace(statement, () => `let ${name}_;${statement.replace("= ", `= () => ${name}_ ??= `)}`)
  }
  const plainly = (all, _name, _value, name, value) => (name === undefined ? all : `exports.${name} = ${value};`)
  const renderChunk = (code, { name }) => {
    if (name === "start") {
      const values = []
      const rest = lazily(code).replace(given, (...[, name, value, lateName = name, lateValue = value]) => {
        places.set(lateName, values.length)
        values.push(lateValue)
        return ""
      })
      return `${rest}\nmodule.exports = Object.assign([${values.join(", ")}], exports);`
    }
    const [statement, start] = /^const (\w+) = require\("[^"]*\/start-[^"]*"\);$/m.exec(code) ?? []
    if (statement === undefined) return undefined
    const used = new Set()
    const own = ["engine", "schemas"].includes(name) ? code.replace(given, plainly) : code
    const taken = own.replace(new RegExp(`\\b${start}\\.([\\w$]+)`, "g"), (_, name) => {
      used.add(name)
      return `${start}_${name}`
    })
    const names = [...used].map((name) => `${name}: ${start}_${name}`).join(", ")
    return taken.replace(statement, statement.replace(`const ${start} =`, `const { ${names} } =`))
  }
  /** The names are known before all places are, so that these are put in at the end. */
  const withPlaces = (code) =>
    code.replace(/\{([\w$:,]+)\}(?==require\(["'`]\.\/start-)/g, (_, pairs) => {
      const inPlaces = pairs.split(",").map((pair) => {
        const [name, own = name] = pair.split(":")
        if (!places.has(name)) throw new Error(`${name} is not given by the first piece`)
        return `${places.get(name)}:${own}`
      })
      return `{${inPlaces.join(",")}}`
    })
  return { plugin: { name: "plain exports", renderChunk }, withPlaces }
}

/** A module as the function that `src/main.ts` calls, which at each start took as long to put together as to read. */
const inModule = (code) => `((exports,require,module,__filename)=>{${code}\n})`

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
/** Letters of one byte each are read without a look at them, and take half of the memory. */
const inBytes = (code) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
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
await writeFile(path.join(outdir, "sbom.cdx.json"), `${JSON.stringify(await billOfMaterials(inside), undefined, 2)}\n`)

/** Every package that is part of the command, with the folder that it came from. */
async function packagesIn(inputs) {
  const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
  const folders = [...new Set(inputs.flatMap((input) => folder.exec(input)?.[1] ?? []))].sort((a, b) =>
    a.localeCompare(b)
  )
  return Promise.all(
    folders.map(async (dir) => ({ dir, ...JSON.parse(await readFile(path.join(dir, "package.json"), "utf8")) }))
  )
}

/** The same in CycloneDX, for scanners that cannot see into a bundle. */
async function billOfMaterials(packages) {
  const component = (type, { license, name, version }) => {
    const [own, group] = name.split("/").toReversed()
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`
    const licenses = [{ license: { id: license } }]
    return { type, "bom-ref": purl, ...(group ? { group } : {}), name: own, version, licenses, purl }
  }
  const own = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"))
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: component("application", own) },
    components: packages.map((one) => component("library", one))
  }
}

/** The licence texts of every package that is part of the command. */
async function licenses(packages) {
  const texts = await Promise.all(
    packages.map(async ({ dir, license, name, version }) => {
      const file = (await readdir(dir)).find((entry) => /^licen[cs]e/i.test(entry))
      return [`${name} ${version} (${license})`, ...(file ? [await readFile(path.join(dir, file), "utf8")] : [])].join(
        "\n\n"
      )
    })
  )
  return texts.join(`\n${"-".repeat(80)}\n`)
}
