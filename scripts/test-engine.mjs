// Runs the tests against the real engines. Their scripts lie beside the clone; without them there is nothing to run.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

if (!existsSync(new URL("../../shared/engine/start-engine.mjs", import.meta.url))) {
  console.error("SKIPPED: ../shared/engine is not there, so nothing was tested against the real engines")
  process.exit(0)
}
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "engine", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" }
)
process.exit(status ?? 1)
