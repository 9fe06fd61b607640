// Before packing ("packed"): takes out of package.json what is part of the bundled command, so that nobody installs it a
// second time; dist/sbom.cdx.json lists it. Puts in the name by which the registry of MCP servers knows it. After packing ("restored"): puts package.json back as it was.
import { copyFile, readFile, rename, writeFile } from "node:fs/promises"

const kept = ".package.json.kept"

const restore = () =>
  rename(kept, "package.json").catch((error) => (error.code === "ENOENT" ? undefined : Promise.reject(error)))

await restore()
if (process.argv[2] === "packed") {
  await copyFile("package.json", kept)
  const { dependencies = {}, ...manifest } = JSON.parse(await readFile("package.json", "utf8"))
  delete manifest.devDependencies
  delete manifest.scripts
  manifest.mcpName = JSON.parse(await readFile("packaging/server.json", "utf8")).name
  const sbom = JSON.parse(await readFile("dist/sbom.cdx.json", "utf8"))
  const bundled = new Set(sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name)))
  const others = Object.keys(dependencies).filter((name) => !bundled.has(name))
  if (others.length > 0) throw new Error(`${others.join(", ")}: neither bundled nor left in the packed manifest`)
  await writeFile("package.json", `${JSON.stringify(manifest, undefined, 2)}\n`)
}
