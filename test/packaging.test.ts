import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import { afterAll, assert, beforeAll, describe, it } from "vitest"

import lock from "../package-lock.json" with { type: "json" }
import manifest from "../package.json" with { type: "json" }

const root = fileURLToPath(new URL("..", import.meta.url))
const run = promisify(execFile)
let folder = ""

/** Names and versions of what is part of the bundled command. */
const bundled = async () => {
  const sbom: { components: ReadonlyArray<{ group?: string; name: string; version: string; purl: string }> } =
    JSON.parse(await readFile(path.join(folder, "dist/sbom.cdx.json"), "utf8"))
  return sbom.components.map(({ group, name, ...rest }) => ({ ...rest, name: group ? `${group}/${name}` : name }))
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "packaging-"))
  await run(process.execPath, [path.join(root, "scripts/bundle.mjs"), path.join(folder, "dist")])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("what is part of the bundled command", () => {
  it("is listed in its bill of materials, as the lock file has it, and is no development dependency", async () => {
    const packages = new Map<string, { readonly version?: string; readonly dev?: boolean }>(
      Object.entries(lock.packages)
    )
    const components = await bundled()
    assert.includeMembers(
      components.map(({ name }) => name),
      ["effect", "@effect/platform-node", "jsonc-parser"]
    )
    assert.notInclude(
      components.map(({ name }) => name),
      "undici"
    )
    for (const { name, purl, version } of components) {
      const locked = packages.get(`node_modules/${name}`)
      assert.strictEqual(locked?.version, version, name)
      assert.isUndefined(locked?.dev, `${name} is a development dependency`)
      assert.strictEqual(purl, `pkg:npm/${name.replace("@", "%40")}@${version}`)
    }
  })

  it("is not installed a second time with the packed command, and effect stays a peer of programs around it", async () => {
    const work = path.join(folder, "work")
    await mkdir(work)
    await cp(path.join(folder, "dist"), path.join(work, "dist"), { recursive: true })
    const before = JSON.stringify(manifest)
    await writeFile(path.join(work, "package.json"), before)
    const script = (word: string) =>
      run(process.execPath, [path.join(root, "scripts/manifest.mjs"), word], { cwd: work })
    const read = () => readFile(path.join(work, "package.json"), "utf8")
    for (const again of [1, 2]) {
      await script("packed")
      const packed: Partial<typeof manifest> = JSON.parse(await read())
      assert.notProperty(packed, "dependencies", `attempt ${again}`)
      assert.deepStrictEqual(packed.peerDependencies, { effect: "~4.1.0" })
      assert.deepStrictEqual(packed.bin, manifest.bin)
    }
    await script("restored")
    assert.strictEqual(await read(), before)
  })
})
