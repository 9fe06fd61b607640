/**
 * Holds once what the command and the library both need. They cannot share files as they are: the command brings its own
 * copy of effect, while programs around the library bring theirs. So each region of our code becomes one file that exports
 * a function: it takes what the region imports (from either copy of effect) and gives what the region exports. Where a
 * module of a region is imported, a build that uses this plugin puts a call of that function instead, made once.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { direct } from "./direct.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * The regions, each with its modules. No module outside may both import from a region and be imported by it; what the
 * first answer of a server needs is in none, since a start is quickest from one file.
 */
const regions = {
  changes: /^src\/changes\//,
  nodes: /^src\/engine\/(?:nodes|data)\//,
  embedded: /^src\/engine\/embedded\//,
  marketplace: /^src\/marketplace\/(?!embedded\/)/,
  "embedded-marketplace": /^src\/marketplace\/embedded\//
}
/** Packages without imports of their own are shared as they are. */
const packages = ["acorn"]

const regionOf = (file) => Object.keys(regions).find((name) => regions[name].test(file))
const relative = (file) => path.relative(root, file).split(path.sep).join("/")

const options = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  format: "esm",
  platform: "node",
  target: "es2022",
  logLevel: "error",
  legalComments: "none"
}
const minified = { minifySyntax: true, minifyWhitespace: true, minifyIdentifiers: true }

/** What each region imports and which of its modules are imported, by the command or the library. */
const survey = async () => {
  const { exports } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"))
  const entries = Object.values(exports).flatMap(({ default: file }) =>
    file === undefined ? [] : [file.replace("./dist/lib/", "src/").replace(/js$/, "ts")]
  )
  const { metafile } = await build({
    ...options,
    entryPoints: ["src/main.ts", ...entries],
    outdir: "unused",
    splitting: true,
    packages: "external",
    plugins: [direct]
  })
  const found = Object.fromEntries(Object.keys(regions).map((name) => [name, { inner: new Set(), outer: new Set() }]))
  for (const entry of entries) found[regionOf(entry)]?.inner.add(entry)
  for (const [importer, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path: imported, external = false } of imports) {
      const [from, to] = [regionOf(importer), external ? undefined : regionOf(imported)]
      if (from === to || packages.includes(imported)) continue
      found[from]?.outer.add(imported)
      found[to]?.inner.add(imported)
    }
  }
  return found
}

/** The names that modules export. */
const namesIn = async (modules) => {
  const own = modules.filter((file) => file.startsWith("src/"))
  const { metafile } = await build({
    ...options,
    entryPoints: own,
    outdir: "unused",
    outbase: ".",
    splitting: true,
    packages: "external",
    plugins: [direct]
  })
  const names = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]))
  for (const name of modules) if (!name.startsWith("src/")) names.set(name, Object.keys(await import(name)))
  return names
}

/** One region as the text of its file, with what its function takes and gives. */
const makeRegion = async (name, { inner, outer }, names) => {
  const given = [...inner].toSorted().flatMap((file) => names.get(file).map((exported) => [file, exported]))
  const taken = (file) => ({
    contents: names
      .get(file)
      .map((exported) => `const x_${exported} = /* @__PURE__ */ shared_in("${file}#${exported}"); export { x_${exported} as ${exported} }`)
      .join(";")
  })
  const edge = {
    name: "edge",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^entry$/ }, () => ({ path: "entry", namespace: "entry" }))
      onLoad({ filter: /.*/, namespace: "entry" }, () => ({
        contents: [
          ...[...inner].toSorted().map((file, index) => `import * as m${index} from "./${file}"`),
          `export default [${given.map(([file, exported]) => `m${[...inner].toSorted().indexOf(file)}.${exported}`).join(",")}]`
        ].join("\n"),
        resolveDir: root
      }))
      onResolve({ filter: /.*/ }, async ({ path: to, resolveDir, kind, pluginData }) => {
        if (kind === "entry-point" || pluginData === "seen") return undefined
        if (packages.includes(to)) return { path: `./${to}.js`, external: true }
        const { path: file } = await resolveSource(to, resolveDir)
        if (regionOf(file) === name) return undefined
        return outer.has(file) ? { path: file, namespace: "outer", sideEffects: false } : undefined
      })
      onLoad({ filter: /.*/, namespace: "outer" }, ({ path: file }) => taken(file))
    }
  }
  const { outputFiles } = await build({
    ...options,
    ...minified,
    entryPoints: ["entry"],
    outfile: "unused.js",
    format: "iife",
    globalName: "shared_out",
    plugins: [edge, direct]
  })
  const wanted = []
  const code = outputFiles[0].text.trimEnd().replace(/shared_in\("([^"]+)"\)/g, (_, key) => {
    if (!wanted.includes(key)) wanted.push(key)
    return `shared_in[${wanted.indexOf(key)}]`
  })
  return { code: `export default shared_in=>{${code}return shared_out.default}\n`, given, wanted }
}

/** The path of an own module from the root, as metafiles have it; other specifiers stay. */
const resolveSource = async (to, resolveDir) =>
  to.startsWith(".") ? { path: relative(path.resolve(resolveDir, to)) } : { path: to }

const makeShared = async () => {
  const found = await survey()
  const names = await namesIn([...new Set(Object.values(found).flatMap(({ inner, outer }) => [...inner, ...outer]))])
  const made = await Promise.all(
    Object.entries(found).map(async ([name, edges]) => [name, await makeRegion(name, edges, names)])
  )
  const copied = await build({
    ...options,
    ...minified,
    entryPoints: packages,
    outdir: "unused"
  })
  return {
    inputs: Object.keys(copied.metafile.inputs),
    files: [
      ...made.map(([name, { code }]) => [`${name}.js`, code]),
      ...copied.outputFiles.map(({ path: file, text }) => [path.basename(file), text])
    ],
    regions: Object.fromEntries(made)
  }
}

/** A module that a consumer of a region gets instead of the region: it calls the region's function, once. */
const instance = (name, { wanted }) => {
  const inputs = wanted.map((key, index) => {
    const [file, exported] = key.split("#")
    return { line: `import { ${exported} as i${index} } from ${JSON.stringify(file.startsWith("src/") ? `./${file}` : file)}` }
  })
  return [
    ...inputs.map(({ line }) => line),
    `import make from "#shared/${name}"`,
    `const all = /* @__PURE__ */ make([${wanted.map((_, index) => `i${index}`).join(",")}])`,
    "export const at = (index) => all[index]"
  ].join("\n")
}

/** Puts shared files beside what a build writes; `inputs` lists what of packages went into them. */
export const shared = async (folder) => {
  const { files, inputs, regions: made } = await makeShared()
  return {
    inputs,
    plugin: {
      name: "shared",
      setup({ initialOptions, onEnd, onLoad, onResolve }) {
        onResolve({ filter: /^#shared\// }, ({ path: to }) => ({ path: to, external: true }))
        onResolve({ filter: new RegExp(`^(?:${packages.join("|")})$`) }, ({ path: to }) => ({
          path: `#shared/${to}`,
          external: true
        }))
        onResolve({ filter: /^instance:/ }, ({ path: to }) => ({ path: to, namespace: "instance" }))
        onResolve({ filter: /\.ts$/ }, ({ path: to, resolveDir }) => {
          const file = relative(path.resolve(resolveDir, to))
          return regionOf(file) === undefined ? undefined : { path: file, namespace: "region", sideEffects: false }
        })
        onLoad({ filter: /.*/, namespace: "region" }, ({ path: file }) => {
          const name = regionOf(file)
          const own = made[name].given.flatMap(([from, exported], index) => (from === file ? [[exported, index]] : []))
          return {
            contents: [
              `import { at } from "instance:${name}"`,
              ...own.map(([exported, index]) => `const x_${exported} = /* @__PURE__ */ at(${index}); export { x_${exported} as ${exported} }`)
            ].join("\n"),
            resolveDir: root
          }
        })
        onLoad({ filter: /.*/, namespace: "instance" }, ({ path: to }) => {
          const name = to.slice("instance:".length)
          return { contents: instance(name, made[name]), resolveDir: root }
        })
        onEnd(async ({ metafile, errors }) => {
          if (errors.length > 0) return
          await mkdir(folder, { recursive: true })
          for (const [name, text] of files) await writeFile(path.join(folder, name), text)
          for (const output of Object.keys(metafile.outputs)) {
            const file = path.resolve(initialOptions.absWorkingDir ?? process.cwd(), output)
            const to = path.relative(path.dirname(file), folder).split(path.sep).join("/")
            const text = await readFile(file, "utf8")
            const joined = text.replace(/"#shared\/([\w-]+)"/g, (_, name) =>
              JSON.stringify(`${to.startsWith(".") ? to : `./${to}`}/${name}.js`)
            )
            if (joined !== text) await writeFile(file, joined)
          }
        })
      }
    }
  }
}
