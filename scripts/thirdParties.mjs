// The packages of others that are part of the command: their licences, and a bill of materials.
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"

/** Every package that is part of the command, with the folder that it came from. */
export async function packagesIn(inputs) {
  const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
  const folders = [...new Set(inputs.flatMap((input) => folder.exec(input)?.[1] ?? []))].sort((a, b) =>
    a.localeCompare(b)
  )
  return Promise.all(
    folders.map(async (dir) => ({ dir, ...JSON.parse(await readFile(path.join(dir, "package.json"), "utf8")) }))
  )
}

/** These packages as parts of our own, by its manifest, in CycloneDX: for scanners that cannot see into a bundle. */
export function billOfMaterials(packages, own) {
  const component = (type, { license, name, version }) => {
    const [own, group] = name.split("/").toReversed()
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`
    const licenses = [{ license: { id: license } }]
    return { type, "bom-ref": purl, ...(group ? { group } : {}), name: own, version, licenses, purl }
  }
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
export async function licenses(packages) {
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
