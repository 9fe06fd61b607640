// Installs what a suite needs beside this package, from the lock file in the suite's own folder, unless it is there already.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const folder = path.resolve(fileURLToPath(new URL("..", import.meta.url)), process.argv[2] ?? "")
const read = (file) => {
  try {
    return readFileSync(path.join(folder, file), "utf8")
  } catch {
    return undefined
  }
}
const wanted = read("package-lock.json")
const installed = "node_modules/.installed-lock.json"
if (read(installed) !== wanted) {
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32"
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(path.join(folder, installed), wanted)
}
