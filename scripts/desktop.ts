// Makes the desktop bundle with the official packer, from what `npm run build` made.
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import manifest from "../package.json" with { type: "json" }
import { OperatorToolset } from "../src/engine/operator/toolset.ts"
import { EngineToolset } from "../src/engine/toolset.ts"
import { desktopManifest } from "./distribution.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = path.join(root, "packaging/desktop")
const bundle = path.resolve(process.argv[2] ?? path.join(folder, `${manifest.name}-${manifest.version}.mcpb`))

/** What is packed: the manifest, the command and the licences of what is inside. */
const stage = mkdtempSync(path.join(tmpdir(), "desktop-"))
const tools = [...EngineToolset.tools, ...OperatorToolset.tools]
mkdirSync(path.join(stage, "server"))
for (const name of ["main.js", "package.json", "chunks", "THIRD-PARTY-LICENSES.txt"]) {
  cpSync(path.join(root, "dist", name), path.join(stage, "server", name), { recursive: true })
}
cpSync(path.join(root, "LICENSE"), path.join(stage, "LICENSE"))
writeFileSync(path.join(stage, "manifest.json"), `${JSON.stringify(desktopManifest(tools), undefined, 2)}\n`)

const packer = path.join(folder, "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
const steps = [
  ["validate", path.join(stage, "manifest.json")],
  ["pack", stage, bundle]
]
const failed = steps.find((step) => spawnSync(process.execPath, [packer, ...step], { stdio: "inherit" }).status !== 0)
rmSync(stage, { recursive: true })
process.exitCode = failed === undefined ? 0 : 1
