// The parts of our code that the command and the library both need, each made into one file that works with either's effect.
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { direct } from "./direct.mjs"
import { smaller } from "./smaller.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The regions with their modules, by path. Nothing that a region imports may lead back into it. */
const regions = {
  internal: /^src\/internal\//,
  mcp: /^src\/mcp\//,
  engine: /^src\/engine\/(?:client|config|workflow|tools|prompts|check|nodes|data|[^/]*$)/,
  changes: /^src\/changes\//,
  operator: /^src\/engine\/(?:operator|changes)\/(?!settings\.ts$)/,
  embedded: /^src\/engine\/embedded\//,
  marketplace: /^src\/marketplace\/(?!embedded\/)/,
  "embedded-marketplace": /^src\/marketplace\/embedded\//
}

/** With all that they import, these are in no region: a start is quickest from few files. */
const start = ["src/cli/command.ts", "src/cli/toolsets/operator.ts", "src/cli/toolsets/changes.ts"]
/** What stands in for these when the command is bundled imports nothing. */
const outlines = /\/outline\.ts$/

/** Packages that import nothing are shared as they are. */
const packages = ["acorn"]

/** An own module by its path from the root, as metafiles have it; a package by its name. */
export const moduleOf = (specifier, folder) =>
  specifier.startsWith(".") || path.isAbsolute(specifier)
    ? path.relative(root, path.resolve(folder, specifier)).split(path.sep).join("/")
    : specifier

const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  outdir: "unused",
  outbase: ".",
  format: "esm",
  platform: "node",
  target: "es2022",
  legalComments: "none",
  logLevel: "error"
}
const minified = { minifySyntax: true, minifyWhitespace: true, minifyIdentifiers: true, splitting: false }
const unbundled = { packages: "external", plugins: [direct] }

/** Which region a module is in, and for each region the modules that it imports and its own that others import. */
const survey = async () => {
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"))
  const entries = Object.values(manifest.exports)
    .flatMap((target) => target.default ?? [])
    .map((file) => file.replace("./dist/lib/", "src/").replace(/js$/, "ts"))
  const { metafile } = await build({ ...options, ...unbundled, entryPoints: [...start, ...entries] })
  const first = firstLoaded(metafile.inputs)
  const regionOf = (file) =>
    first.has(file) ? undefined : Object.keys(regions).find((name) => regions[name].test(file))
  checkOrder(metafile.inputs, regionOf)
  const edges = new Map(Object.keys(regions).map((name) => [name, { needs: new Set(), offers: new Set() }]))
  for (const entry of entries) edges.get(regionOf(entry))?.offers.add(entry)
  for (const [file, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path: imported } of imports) {
      const [from, to] = [regionOf(file), regionOf(imported)]
      if (from === to || packages.includes(imported)) continue
      edges.get(from)?.needs.add(imported)
      edges.get(to)?.offers.add(imported)
    }
  }
  return { edges: new Map([...edges].filter(([, { offers }]) => offers.size > 0)), regionOf }
}

/** What a start of the command loads. */
const firstLoaded = (modules) => {
  const found = new Set()
  for (const open = [...start]; open.length > 0;) {
    const file = open.pop()
    if (found.has(file)) continue
    found.add(file)
    if (outlines.test(file)) continue
    const imports = modules[file].imports.filter(({ external, kind }) => !external && kind === "import-statement")
    open.push(...imports.map(({ path: next }) => next))
  }
  return found
}

/** A region that is needed to make itself could never be made: says which modules lead from it back into it. */
const checkOrder = (modules, regionOf) => {
  for (const name of Object.keys(regions)) {
    const seen = new Set()
    const follow = (file, way) => {
      for (const { path: next, external } of modules[file].imports) {
        const isBack = regionOf(next) === name
        if (isBack && way.length > 0) throw new Error(`region ${name}: ${[...way, file, next].join(" -> ")}`)
        if (isBack || external || seen.has(next)) continue
        seen.add(next)
        follow(next, [...way, file])
      }
    }
    for (const file of Object.keys(modules)) if (regionOf(file) === name) follow(file, [])
  }
}

/** What each module exports. */
const namesOf = async (modules) => {
  const entryPoints = modules.filter((name) => name.startsWith("src/"))
  const { metafile } = await build({ ...options, ...unbundled, entryPoints })
  const names = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]))
  for (const name of modules) if (!names.has(name)) names.set(name, Object.keys(await import(name)))
  return names
}

/** One region: the text of its file, the exports of others that it takes, and those of its own that it gives, in order. */
const makeRegion = async (name, { needs, offers }, namesIn, copies) => {
  const offered = [...offers]
  const given = offered.flatMap((file) => namesIn.get(file).map((exported) => ({ file, exported })))
  const entry = [
    ...offered.map((file, index) => `import * as m${index} from "./${file}"`),
    `export default [${given.map(({ exported, file }) => `m${offered.indexOf(file)}.${exported}`).join()}]`
  ]
  const edge = {
    name: "edge",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path: to, resolveDir }) => {
        if (kind === "entry-point") return { path: "entry", namespace: "entry" }
        if (copies.has(to)) return { path: to, namespace: "copied" }
        const found = moduleOf(to, resolveDir)
        return needs.has(found) ? { path: found, namespace: "needed", sideEffects: false } : undefined
      })
      onLoad({ filter: /./, namespace: "entry" }, () => ({ contents: entry.join("\n"), resolveDir: root }))
      onLoad({ filter: /./, namespace: "copied" }, ({ path: to }) => ({
        contents: `module.exports = requires("./${copies.get(to).name}")`
      }))
      onLoad({ filter: /./, namespace: "needed" }, ({ path: file }) => ({
        contents: namesIn
          .get(file)
          .map((exported) => lazily(exported, `takes("${file}#${exported}")`))
          .join("\n")
      }))
    }
  }
  const { outputFiles } = await build({
    ...options,
    ...minified,
    entryPoints: ["entry"],
    format: "iife",
    globalName: "made",
    plugins: [edge, direct]
  })
  const taken = []
  const body = outputFiles[0].text
    .trimEnd()
    // What the bundlers of others see as well, other than esbuild's own way to require.
    .replaceAll("requires(", "require(")
    .replace(/takes\("([^"]+)"\)/g, (_, key) => {
      if (!taken.includes(key)) taken.push(key)
      return `taken[${taken.indexOf(key)}]`
    })
  return {
    name,
    file: named(name, ".cjs", `"use strict";module.exports=taken=>{${body}return made.default}`),
    given,
    taken: taken.map((key) => key.split("#")).map(([from, exported]) => ({ file: from, exported }))
  }
}

/** A file whose name changes with its content: what caches compiled code may go by the name. */
const named = (name, extension, code) => {
  const text = smaller(`${name}${extension}`, code)
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8)
  return { name: `${name}-${digest}${extension}`, text }
}

/** An export that is left out where nobody uses it. */
export const lazily = (exported, value) =>
  `const x_${exported} = /* @__PURE__ */ ${value}; export { x_${exported} as ${exported} }`

/** Every region, and the files that are shared. */
export const makeRegions = async () => {
  const { edges, regionOf } = await survey()
  const namesIn = await namesOf([...new Set([...edges.values()].flatMap(({ needs, offers }) => [...needs, ...offers]))])
  const copied = await build({ ...options, ...minified, entryPoints: packages, format: "cjs" })
  const copies = new Map(packages.map((name, index) => [name, named(name, ".cjs", copied.outputFiles[index].text)]))
  const made = await Promise.all([...edges].map(([name, edge]) => makeRegion(name, edge, namesIn, copies)))
  return {
    regionOf,
    regions: new Map(made.map((region) => [region.name, region])),
    copies,
    files: [...made.map(({ file }) => file), ...copies.values()],
    inputs: Object.keys(copied.metafile.inputs)
  }
}
