import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../..", import.meta.url))
const script = path.join(root, "scripts/bundle.mjs")
const cache = path.join(root, "node_modules/.cache/bundles")

/** The contents of a bundle, in one word. */
const digest = async () => {
  const sources = await readdir(path.join(root, "src"), { recursive: true, withFileTypes: true })
  const scripts = (await readdir(path.dirname(script))).filter((name) => name.endsWith(".mjs")).sort()
  const files = sources.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  const hash = createHash("sha256").update(process.version)
  const made = scripts.map((name) => path.join(path.dirname(script), name))
  for (const file of [
    ...files.sort(),
    ...made,
    path.join(root, "package.json"),
    path.join(root, "package-lock.json")
  ]) {
    hash.update(file).update(await readFile(file))
  }
  return hash.digest("hex").slice(0, 16)
}

const isThere = async (name: string) => (await readdir(cache)).includes(name)

/** Bundles the command once for all test files and runs, as long as its sources stay the same. */
const bundled = async () => {
  await mkdir(cache, { recursive: true })
  const name = await digest()
  if (!(await isThere(name))) {
    const made = await mkdtemp(path.join(cache, "new-"))
    await promisify(execFile)(process.execPath, [script, made])
    // Another test file may have been faster, with the same.
    await rename(made, path.join(cache, name)).catch(() => rm(made, { recursive: true, force: true }))
    const older = (await readdir(cache)).filter((entry) => entry !== name && !entry.startsWith("new-"))
    await Promise.all(older.map((entry) => rm(path.join(cache, entry), { recursive: true, force: true })))
  }
  return path.join(cache, name)
}

/** Puts a copy of the command into a folder. */
export const bundleInto = async (folder: string) => cp(await bundled(), folder, { recursive: true })
