// Bundles the command into a folder, dist by default: few files, of which a start loads only what it needs.
import { chmod, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { build } from "esbuild"

import { direct } from "./direct.mjs"
import { bundlePage } from "./page.mjs"
import { shared } from "./shared.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = path.resolve(process.argv[2] ?? path.join(root, "dist"))
process.chdir(root)

/** The listener of platform-node could do web sockets, which nothing here does. */
const noWebSockets = {
  name: "no web sockets",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^ws$/ }, () => ({ path: "ws", namespace: "none" }))
    onLoad({ filter: /.*/, namespace: "none" }, () => ({
      contents: "export class WebSocket {}; export class WebSocketServer {}; export default {}"
    }))
  }
}

const { inputs, plugin, write } = await shared(path.join(outdir, "shared"))
const { metafile } = await build({
  entryPoints: ["src/main.ts"],
  outdir,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: "none",
  metafile: true,
  // Only for servers that share something, which have it installed beside this package.
  external: ["redis"],
  logLevel: "warning",
  plugins: [plugin, direct, noWebSockets],
  // Its main file finds its parts by a function that no bundler can see through.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" }
})
await write()
await chmod(path.join(outdir, "main.js"), 0o755)
const inside = await packagesIn([...Object.keys(metafile.inputs), ...inputs, ...(await bundlePage(outdir))])
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
