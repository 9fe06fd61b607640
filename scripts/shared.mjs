/**
 * Holds once what the command and the library both need. They cannot share modules as they are: the command brings its own
 * copy of effect, programs around the library bring theirs. So each region of our code is one file that exports a function:
 * it takes what the region imports and gives what the region exports. A build with this plugin puts a call of that function,
 * made once, wherever a module of the region is imported.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { lazily, makeRegions, moduleOf } from "./regions.mjs"
import { smaller } from "./smaller.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A module that makes a region of what this build has of its imports. */
const maker = ({ file, taken }) => {
  const imports = new Map()
  for (const [index, { exported, file: from }] of taken.entries()) {
    imports.set(from, [...(imports.get(from) ?? []), `${exported} as i${index}`])
  }
  const specifier = (from) => JSON.stringify(from.startsWith("src/") ? path.join(root, from) : from)
  return [
    ...[...imports].map(([from, names]) => `import { ${names.join(", ")} } from ${specifier(from)}`),
    `import make from "#shared/${file.name}"`,
    `const made = /* @__PURE__ */ make([${taken.map((_, index) => `i${index}`).join()}])`,
    "export const at = (index) => made[index]"
  ].join("\n")
}

/** A module that stands for one of a region. */
const standIn = (file, { given, name }) =>
  [
    `import { at } from "region:${name}"`,
    ...given.flatMap((one, index) => (one.file === file ? [lazily(one.exported, `at(${index})`)] : []))
  ].join("\n")

/** The shared files: `write` puts them into a folder, plugins for both bundlers join a build to them. */
export const shared = async (folder) => {
  const { copies, files, inputs, regionOf, regions } = await makeRegions()
  const write = async () => {
    await mkdir(folder, { recursive: true })
    await Promise.all(files.map(({ name, text }) => writeFile(path.join(folder, name), text)))
  }

  /** For esbuild, which leaves the way to an external file as it was asked for. */
  const plugin = {
    name: "shared",
    setup({ initialOptions, onEnd, onLoad, onResolve }) {
      onResolve({ filter: /^#shared\// }, ({ path: to }) => ({ path: to, external: true }))
      onResolve({ filter: /^region:/ }, ({ path: to }) => ({ path: to.slice("region:".length), namespace: "region" }))
      onResolve({ filter: /\.ts$/ }, ({ kind, path: to, resolveDir }) => {
        const file = moduleOf(kind === "entry-point" ? path.join(root, to) : to, resolveDir)
        return regionOf(file) ? { path: file, namespace: "stand-in", sideEffects: false } : undefined
      })
      onResolve({ filter: /^[a-z]/ }, ({ path: to }) =>
        copies.has(to) ? { path: `#shared/${copies.get(to).name}`, external: true } : undefined
      )
      onLoad({ filter: /./, namespace: "region" }, ({ path: name }) => ({
        contents: maker(regions.get(name)),
        resolveDir: root
      }))
      onLoad({ filter: /./, namespace: "stand-in" }, ({ path: file }) => ({
        contents: standIn(file, regions.get(regionOf(file))),
        resolveDir: root
      }))
      onEnd(async ({ errors, metafile }) => {
        if (errors.length > 0) return
        for (const output of Object.keys(metafile.outputs)) {
          const file = path.resolve(initialOptions.absWorkingDir ?? "", output)
          const text = joined(await readFile(file, "utf8"), path.relative(path.dirname(file), folder))
          await writeFile(file, smaller(output, text))
        }
      })
    }
  }

  /** For rolldown. */
  const rolldownPlugin = {
    name: "shared",
    resolveId(to, importer) {
      if (to.startsWith("#shared/")) return { id: to, external: true }
      if (copies.has(to)) return { id: `#shared/${copies.get(to).name}`, external: true }
      if (to.startsWith("region:")) return `\0${to}`
      if (!to.endsWith(".ts")) return undefined
      const file = moduleOf(to, importer === undefined ? root : path.dirname(importer))
      return regionOf(file) ? { id: `\0stand-in:${file}`, moduleSideEffects: false } : undefined
    },
    load(id) {
      if (id.startsWith("\0region:")) return maker(regions.get(id.slice("\0region:".length)))
      if (!id.startsWith("\0stand-in:")) return undefined
      const file = id.slice("\0stand-in:".length)
      return standIn(file, regions.get(regionOf(file)))
    },
    renderChunk(code, { fileName }, { dir = "." }) {
      return joined(code, path.relative(path.dirname(path.resolve(dir, fileName)), folder))
    }
  }
  return { inputs, plugin, rolldownPlugin, write }
}

/** A built file that finds the shared files by the path to their folder. */
const joined = (text, to) => {
  const steps = to.split(path.sep).join("/")
  return text.replace(/"#shared\/([\w.-]+)"/g, (_, name) => `"${steps.startsWith(".") ? steps : `./${steps}`}/${name}"`)
}
