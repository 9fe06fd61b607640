// Makes the desktop bundle with the official packer, from what `npm run build` made.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import manifest from "../package.json" with { type: "json" }
import { stageDesktop } from "./stageDesktop.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = path.join(root, "packaging/desktop")
const bundle = path.resolve(process.argv[2] ?? path.join(folder, `${manifest.name}-${manifest.version}.mcpb`))

const stage = mkdtempSync(path.join(tmpdir(), "desktop-"))
stageDesktop(path.join(root, "dist"), stage)

const packer = path.join(folder, "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
const steps = [
  ["validate", path.join(stage, "manifest.json")],
  ["pack", stage, bundle]
]
const failed = steps.find((step) => spawnSync(process.execPath, [packer, ...step], { stdio: "inherit" }).status !== 0)
rmSync(stage, { recursive: true })
process.exitCode = failed === undefined ? 0 : 1
