// Builds dist/: the library with its types for programs that embed the server, and the command.
import { spawnSync } from "node:child_process"
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
await rm("dist", { recursive: true, force: true })

const steps = [
  ["node_modules/typescript/bin/tsc", "-p", "scripts/tsconfig.build.json"],
  ["scripts/library.mjs"],
  ["scripts/bundle.mjs"]
]
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { stdio: "inherit" })
  if (status !== 0) process.exit(1)
}
